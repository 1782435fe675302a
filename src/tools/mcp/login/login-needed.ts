import { ServerFault } from "../message-lines.ts";

/** Only a person can help, outside of the attempt: nobody opens a browser inside of one. */
export class LoginNeeded extends ServerFault {
  constructor(why: string, command: string) {
    super(`${why}. Log in on a terminal: ${command}`);
  }
}

/** As it is typed. A server that an agent's own file names is found by the agent. */
export const loginCommand = (server: string, agent: string | null): string =>
  `cadre tools login ${server}${agent === null ? "" : ` --agent ${agent}`}`;
