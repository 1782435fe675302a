// Records the golden log of a version, once: node test/golden-logs/record.ts <version>
// A recorded log is never recorded again. If the code cannot fold it any more, the code is wrong.
import { writeFileSync } from "node:fs";
import type { Envelope } from "../../src/schema/index.ts";
import { fold } from "./fold.ts";
import { playEverything } from "./scenario.ts";

const version = process.argv[2];
if (version === undefined) throw new Error("which version? node test/golden-logs/record.ts <version>");
// Imagined workers have the real process in their ids, which is another one each time.
const played = JSON.stringify(await playEverything()).replaceAll(`"work_${process.pid}`, '"work_');
const envelopes = JSON.parse(played) as Envelope[];
const file = (ending: string) => new URL(`${version}.${ending}`, import.meta.url);
writeFileSync(file("jsonl"), envelopes.map((envelope) => `${JSON.stringify(envelope)}\n`).join(""), { flag: "wx" });
writeFileSync(file("views.json"), `${JSON.stringify(fold(envelopes), null, 2)}\n`, { flag: "wx" });
