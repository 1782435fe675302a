import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * Who a person is to git, from their own settings, which are only read: nothing that stands there is run.
 * `null`: they have not said.
 */
export async function personIdentity(
  folder: string,
  userHome: string,
): Promise<{ readonly name: string; readonly email: string } | null> {
  const ask = async (key: string) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: userHome, LC_ALL: "C" };
    const options = { cwd: folder, env, timeout: 5_000, killSignal: "SIGKILL" } as const;
    const answer = await promisify(execFile)("git", ["config", "--get", key], options).catch(() => ({ stdout: "" }));
    return answer.stdout.trim();
  };
  const [name, email] = await Promise.all([ask("user.name"), ask("user.email")]);
  return name === "" || email === "" ? null : { name, email };
}
