// Tokens that can be told from any other text by how they are made, wherever they were found: most have a prefix of
// their maker's and a fixed length. Strict on purpose: whatever fits is taken out of what an agent reads and of what
// is kept, so a word that merely looks like one must not fit.

interface Shape {
  /** In place of it: `{{secret:NAME}}`. With a dash or in small letters, unlike names of variables. */
  readonly name: string;
  readonly pattern: string;
}

const word = (name: string, pattern: string): Shape => ({
  name,
  pattern: `(?<![A-Za-z0-9_-])(?:${pattern})(?![A-Za-z0-9_-])`,
});

const KEY_HEAD = "-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----";
const KEY_END = "-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----";
/** Perhaps with the number of the line. */
const KEY_LINE = "[^\\n]{0,40}?[A-Za-z0-9+/]{60,100}[^\\n]{0,20}(?:\\n|$)";
/** The last line is shorter, and a sum may follow it. */
const KEY_TAIL = `(?:[^\\n]{0,120}\\n){0,3}?[^\\n]{0,40}?${KEY_END}`;
/** Cut off before its end, or too long to look for it. Some begin with a few words on themselves. */
const KEY_LINES = `[^\\n]{0,20}\\n(?:[^\\n]{0,80}\\n){0,4}?(?:${KEY_LINE})+(?:${KEY_TAIL})?`;
/** Longer than any that is made: one of PGP may have many keys in it. */
const KEY_MOST = 32_000;

/** `(?i:…)` is too new for some. */
const anyCase = (text: string): string => text.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
const AWS_SECRET = anyCase("aws_?secret");
const AWS_BEGUN = ["aws_secret", "awssecret"] as const;
const AWS_LONGEST = Math.max(...AWS_BEGUN.map(({ length }) => length));

const SHAPES: readonly Shape[] = [
  {
    name: "private-key",
    pattern: `${KEY_HEAD}(?:(?=[\\s\\S]{0,400}?[A-Za-z0-9+/]{40})[\\s\\S]{40,${KEY_MOST}}?${KEY_END}|${KEY_LINES})`,
  },
  word("anthropic-key", "sk-ant-[a-z]{3,8}\\d{2}-[A-Za-z0-9_-]{40,}"),
  word("openai-key", "sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}|sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"),
  word("openrouter-key", "sk-or-v1-[0-9a-f]{64}"),
  word("google-key", "AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{28}|ya29\\.[A-Za-z0-9_-]{60,}"),
  word("github-token", "gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
  word("gitlab-token", "gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas)-[A-Za-z0-9_-]{20,}"),
  word("aws-key", "(?:AKIA|ASIA)[A-Z2-7]{16}"),
  {
    name: "aws-secret",
    pattern: `(?<=${AWS_SECRET}_?(?:${anyCase("access_?")})?${anyCase("key")}["']?\\s{0,3}[:=]\\s{0,3}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])`,
  },
  word("slack-token", "xox[abeoprs]-[A-Za-z0-9-]{24,}|xapp-\\d-[A-Z0-9]+-\\d+-[0-9a-f]{64}"),
  { name: "slack-webhook", pattern: "(?<=hooks\\.slack\\.com/services/)T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/[A-Za-z0-9]{24}" },
  word("stripe-key", "[sr]k_(?:live|test)_[A-Za-z0-9]{24,}|whsec_[A-Za-z0-9+/]{32,}"),
  word("npm-token", "npm_[A-Za-z0-9]{36}"),
  word("pypi-token", "pypi-AgE[A-Za-z0-9_-]{50,}"),
  word("sendgrid-key", "SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}"),
  word("huggingface-token", "hf_[A-Za-z0-9]{34}"),
  word("groq-key", "gsk_[A-Za-z0-9]{52}"),
  word("xai-key", "xai-[A-Za-z0-9]{80}"),
  word("digitalocean-token", "do[opr]_v1_[0-9a-f]{64}"),
  word("vault-token", "hv[sb]\\.[A-Za-z0-9_-]{24,}"),
  word("linear-key", "lin_api_[A-Za-z0-9]{40}"),
  word("shopify-token", "shp(?:at|ca|pa|ss)_[0-9a-f]{32}"),
  word("jwt", "eyJ[A-Za-z0-9_-]{12,}\\.eyJ[A-Za-z0-9_-]{12,}\\.[A-Za-z0-9_-]{20,}"),
];

/** How each of them begins: without any of these there is none, which is quickly told. */
const KEY_BEGUN = "-----BEGIN ";
const BEGINNINGS = (
  "sk- AIza GOCSPX- ya29. ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glcbt- glptt- glft- glsoat- " +
  "glagent- gloas- AKIA ASIA xox xapp- hooks.slack.com/services/ sk_live_ sk_test_ rk_live_ rk_test_ whsec_ npm_ " +
  "pypi-AgE SG. hf_ gsk_ xai- doo_v1_ dop_v1_ dor_v1_ hvs. hvb. lin_api_ shpat_ shpca_ shppa_ shpss_ eyJ"
).split(" ");

/** All that is not the whole of one. */
const PARTS = new Set(BEGINNINGS.flatMap((one) => Array.from(one, (_, length) => one.slice(0, length))));
const LONGEST_PART = Math.max(...BEGINNINGS.map(({ length }) => length)) - 1;

const literal = (text: string): string => text.replaceAll(/[.+-]/g, "\\$&");
const anyOf = (beginnings: readonly string[]): string => beginnings.map(literal).join("|");
const BEGUN = new RegExp(`${anyOf([KEY_BEGUN, ...BEGINNINGS])}|${AWS_SECRET}`);
const ALL = new RegExp(SHAPES.map(({ pattern }) => `(${pattern})`).join("|"), "g");

/** As long as the shortest of them, a key of AWS: most names and words are shorter. */
const SHORTEST = 20;

/** Each as its name: what it was is not told. */
export function withoutShapes(text: string): string {
  if (text.length < SHORTEST || !BEGUN.test(text)) return text;
  return text.replaceAll(ALL, (_whole, ...groups: readonly unknown[]) => {
    const shape = SHAPES[groups.findIndex((group) => group !== undefined)];
    return `{{secret:${shape?.name ?? "token"}}}`;
  });
}

/** What may be a token is waited for no longer than this: then it is taken for one. */
const TOKEN_MOST = 8192;
/** Much else begins as a web token does: all JSON in base64. With one of these signs before a dot it is none. */
const NO_WEB_TOKEN = "(?!eyJ[A-Za-z0-9_-]*[+/])";
const TOKEN_BEGUN = new RegExp(`(?<![A-Za-z0-9_-])${NO_WEB_TOKEN}(?:${anyOf(BEGINNINGS)})`);
/** What is known by its value is out of the text already. */
const TOKEN_GOES_ON = /^(?:[\w./+=-]|\{\{secret:[\w-]+\}\})*/;
const KEY_ENDED = new RegExp(KEY_END);
const KEY_IS_LONG = new RegExp(`^${KEY_HEAD}${KEY_LINES}[^\\n]{0,160}$`);
const KEY_GOES_ON = new RegExp(`^(?:${KEY_LINE.replace("|$", "")})*`);
const KEY_OVER = new RegExp(`^${KEY_TAIL}`);
/** These dashes are no beginning. */
const KEY_JUST_ENDED = new RegExp(`${KEY_END}$`);
const ASSIGNMENT_BEGUN = new RegExp(`${AWS_SECRET}[A-Za-z0-9_"':=\\s/+]{0,80}$`);

/** Where in a text one of them may have begun that is not at its end yet; its length, where none has. */
export function unfinishedShape(text: string): number {
  const beginning = text.length - Math.max(partOfBeginning(text), partOfKeyHead(text), partOfAssignment(text));
  if (!BEGUN.test(text)) return beginning;
  return Math.min(beginning, unfinishedToken(text), unfinishedAssignment(text), unfinishedKey(text));
}

/** How many of the last signs may be the first ones of a token. Asked for every piece of a text that streams. */
function partOfBeginning(text: string): number {
  for (let length = Math.min(text.length, LONGEST_PART); length > 0; length--) {
    if (!PARTS.has(text.slice(-length))) continue;
    const isWithinWord = /[A-Za-z0-9_-]/.test(text.charAt(text.length - length - 1)); // there none begins
    if (!isWithinWord) return length;
  }
  return 0;
}

function partOfKeyHead(text: string): number {
  const length = overlap(text, KEY_BEGUN);
  return length > 0 && KEY_JUST_ENDED.test(text) ? 0 : length;
}

function partOfAssignment(text: string): number {
  const last = text.slice(-AWS_LONGEST).toLowerCase();
  return Math.max(...AWS_BEGUN.map((one) => overlap(last, one)));
}

function unfinishedToken(text: string): number {
  let start = text.length;
  while (start > 0 && /[\w./+=-]/.test(text.charAt(start - 1))) start--;
  const begun = text.slice(start).search(TOKEN_BEGUN);
  return begun === -1 ? text.length : start + begun;
}

function unfinishedAssignment(text: string): number {
  const tail = Math.max(0, text.length - 120);
  const begun = text.slice(tail).search(ASSIGNMENT_BEGUN);
  return begun === -1 ? text.length : tail + begun;
}

function unfinishedKey(text: string): number {
  const begun = text.lastIndexOf(KEY_BEGUN);
  if (begun === -1) return text.length;
  const key = text.slice(begun);
  const isOpen = !KEY_ENDED.test(key) && (key.length < KEY_MOST || KEY_IS_LONG.test(key));
  return isOpen ? begun : text.length;
}

/** One that is longer than anybody waits for: its name, and what of a text that follows still belongs to it. */
export interface LongShape {
  readonly name: string;
  /** How much of the text is the shape's, and whether it may go on after that. */
  rest(text: string): { readonly length: number; readonly mayGoOn: boolean };
}

const LONG_TOKEN: LongShape = {
  name: "long-token",
  rest(text) {
    const length = TOKEN_GOES_ON.exec(text)?.[0].length ?? 0;
    return { length, mayGoOn: length === text.length };
  },
};

/** As much as has to be seen to know whether it is over. */
const TAIL_MOST = 600;

const LONG_KEY: LongShape = {
  name: "private-key",
  rest(text) {
    const length = KEY_GOES_ON.exec(text)?.[0].length ?? 0;
    const after = text.slice(length);
    const tail = KEY_OVER.exec(after)?.[0];
    if (tail !== undefined) return { length: length + tail.length, mayGoOn: false };
    return { length, mayGoOn: after.length < TAIL_MOST };
  },
};

/** What has to be taken for a secret, of a text that waits because of `unfinishedShape`: it is as long as that. */
export function longShape(waiting: string): LongShape | undefined {
  if (waiting.startsWith(KEY_BEGUN)) return waiting.length < KEY_MOST ? undefined : LONG_KEY;
  return waiting.length < TOKEN_MOST ? undefined : LONG_TOKEN;
}

/** How much of the end of a text may be the beginning of a value. */
export function overlap(text: string, value: string): number {
  const first = value.charAt(0);
  let at = text.indexOf(first, text.length - value.length + 1);
  while (at !== -1 && !value.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
  return at === -1 ? 0 : text.length - at;
}

const NAMES = [...SHAPES, LONG_TOKEN].map(({ name }) => name);
const PLACE = new RegExp(`\\{\\{secret:(?:${NAMES.join("|")})\\}\\}`);

/** Whether a text has the name of a shape in the place of what it stood for: to be written nowhere. */
export const holdsShapeName = (text: string): boolean => PLACE.test(text);
