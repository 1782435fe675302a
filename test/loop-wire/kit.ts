// A whole Cadre on a folder of its own, whose models are scripted servers that speak the providers' own formats.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { calcPrice } from "@pydantic/genai-prices";
import { type Cadre, type CadreOptions, openCadre } from "../../src/app/index.ts";
import type { Envelope, TaskEvent, TaskEventType, TaskView } from "../../src/schema/index.ts";
import { type Line, LINES } from "../models/lines.ts";
import { startWireServer, type WireScript, type WireServer } from "../models/wire/index.ts";

/** The four formats, each once. */
export const FORMATS: readonly Line[] = LINES.filter(({ provider }) => provider !== "local");

export interface Wired extends AsyncDisposable {
  readonly cadre: Cadre;
  readonly server: WireServer;
  readonly project: string;
  readonly home: string;
  log(task: TaskView): Promise<readonly TaskEvent[]>;
  /** All that is on disk of it, as one text. */
  onDisk(): string;
}

export interface WiredOptions extends Partial<CadreOptions> {
  /** Of the project. */
  readonly files?: Readonly<Record<string, string>>;
  /** In the user's own home. */
  readonly userFiles?: Readonly<Record<string, string>>;
}

export async function openWired(line: Line, script: WireScript, options: WiredOptions = {}): Promise<Wired> {
  const { files = {}, userFiles = {}, settings, ...rest } = options;
  const base = realpathSync(mkdtempSync(join(tmpdir(), "cadre-wire-")));
  const [project, userHome] = [join(base, "project"), join(base, "user")];
  const home = join(project, ".cadre");
  for (const folder of [home, userHome]) mkdirSync(folder, { recursive: true });
  writeFiles(project, files);
  writeFiles(userHome, userFiles);
  const server = await startWireServer(line.format, script);
  const cadre = await openCadre({
    home,
    userHome,
    cwd: project,
    env: { PATH: process.env["PATH"], ...line.env(server.url) },
    trusted: [project],
    settings: { defaultModel: line.model, rateLimitPerMin: 10_000, ...settings },
    ...rest,
  });
  return {
    cadre,
    server,
    project,
    home,
    async log(task) {
      const all: Envelope[] = [];
      for await (const envelope of cadre.tail(task)) all.push(envelope);
      return all.filter(({ stream }) => stream === `task:${task.id}`).map(({ event }) => event as TaskEvent);
    },
    onDisk: () => textsIn(base),
    async [Symbol.asyncDispose]() {
      await cadre.close();
      await server.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

export const factsIn = <Type extends TaskEventType>(log: readonly TaskEvent[], type: Type) =>
  log.filter((event) => event.type === type) as Extract<TaskEvent, { type: Type }>[];

/** What the list of prices says, asked without any code of ours. */
export function listedMicroUsd({ model, format }: Line, input: number, output: number): number {
  const providerId = { anthropic: "anthropic", responses: "openai", chat: "openai", google: "google" }[format];
  const [, name = ""] = model.split("/");
  const found = calcPrice({ input_tokens: input, output_tokens: output }, name, { providerId });
  if (found === null) throw new Error(`${model} is not in the list of prices`);
  return Math.round(found.total_price * 1_000_000);
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function textsIn(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}
