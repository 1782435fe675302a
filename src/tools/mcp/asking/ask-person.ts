// What a server wants to know from a person, as a question of the attempt. Its words are shown as its words.
import type { ElicitRequestFormParams, ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import type { AttemptScope } from "../../../ports/index.ts";
import { harmless } from "../../envelope.ts";
import type { AskPerson } from "../connected-server.ts";
import { safeAddress } from "../login/authorization-fetch.ts";
import { formFields, type FormField } from "./form-fields.ts";
import { readAnswer } from "./read-answer.ts";

export interface Asking {
  readonly server: string;
  /** Of a server by its address. */
  readonly url: URL | null;
  readonly scope: Pick<AttemptScope, "ask">;
}

const DECLINED: ElicitResult = { action: "decline" };
const MAX_TRIES = 3;
const MAX_WORDS = 4_000;
const WHO =
  "What follows is the server's own, and nobody has checked it. Your answer goes to that server: never give it a password or a key.";

export const askPerson =
  (asking: Asking): AskPerson =>
  (question) =>
    isForm(question) ? askForm(asking, question) : askAddress(asking, question);

const isForm = (question: ElicitRequestParams): question is ElicitRequestFormParams => question.mode !== "url";

async function askForm(asking: Asking, { message, requestedSchema }: ElicitRequestFormParams): Promise<ElicitResult> {
  const fields = formFields(requestedSchema);
  if (fields === undefined) return DECLINED;
  let problem: string | undefined;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const said = problem === undefined ? [] : [`Your last answer could not be read: ${problem}.`];
    const body = [WHO, quoted(message), ...fields.map(fieldText), howTo(fields), ...said];
    const answer = await asking.scope.ask({
      kind: "question",
      title: `The MCP server "${asking.server}" asks`,
      body: body.filter((part) => part !== "").join("\n\n"),
    });
    if (answer.verdict === "deny") return DECLINED;
    const read = readAnswer(fields, answer.verdict === "text" ? answer.text : "");
    if (read.ok) return { action: "accept", content: read.content };
    problem = read.problem;
  }
  return DECLINED;
}

/** It is shown, and opened by nobody but the person. */
async function askAddress(
  { server, url, scope }: Asking,
  { message, url: address }: { readonly message: string; readonly url: string },
): Promise<ElicitResult> {
  const shown = safeOrNull(address, url);
  if (shown === null) return DECLINED;
  const answer = await scope.ask({
    kind: "question",
    title: `The MCP server "${server}" wants you to open an address at ${shown.host}`,
    body: [WHO, quoted(message), shown.href, "Open it yourself if you trust it, then say yes."].join("\n\n"),
  });
  return answer.verdict === "allow" || (answer.verdict === "text" && /^\s*(?:y|yes)\s*$/i.test(answer.text))
    ? { action: "accept" }
    : DECLINED;
}

/** A program is not at any address: for it, as for a public one, only https. */
function safeOrNull(address: string, server: URL | null): URL | null {
  try {
    return safeAddress(address, server ?? new URL("https://nowhere.invalid/"));
  } catch {
    return null;
  }
}

const quoted = (text: string): string =>
  harmless(text)
    .slice(0, MAX_WORDS)
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");

const TYPES = {
  text: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "yes or no",
  one: "one of these",
  several: "some of these, with commas between them",
};

function fieldText(field: FormField): string {
  const { name, words, kind, isRequired, preset } = field;
  const facts = [
    TYPES[kind],
    isRequired ? "needed" : "may be left out",
    ...(preset === undefined ? [] : [`otherwise ${line(JSON.stringify(preset))}`]),
  ];
  const options = "options" in field ? field.options : [];
  return [
    `> ${line(name)}${words === "" ? "" : ` - ${words}`} (${facts.join(", ")})`,
    ...options.map(({ value, title }, at) => `>   ${at + 1}. ${line(title === value ? value : `${title} (${value})`)}`),
  ].join("\n");
}

const line = (text: string): string => harmless(text).replaceAll("\n", " ").slice(0, 200);

function howTo(fields: readonly FormField[]): string {
  if (fields.length === 0) return "Say yes or no.";
  const free = "Say yes to leave all as it is";
  return fields.length === 1
    ? `Answer with the value. ${free}.`
    : `Answer with a line "name: value" for each, or with a JSON object. ${free}.`;
}
