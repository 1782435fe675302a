// What an agent or a program sends out: looked through for secrets before it leaves. One that is wrapped once, so that
// it can stand in an address, is found as well. Whoever wraps it twice, or in a way of his own, is held by the list of
// hosts and by nothing else.

const BASE64 = /[A-Za-z0-9+/_-]{11,}/g;
const HEX = /(?:[0-9A-Fa-f]{2}){8,}[0-9A-Fa-f]?/g;

/** `redact`: takes out what is known as a secret, by its value or by its shape. */
export function carriesSecret(text: string, redact: (text: string) => string): boolean {
  const holds = (view: string): boolean => redact(view) !== view;
  if (holds(text)) return true;
  const plain = unescaped(text);
  if (holds(plain) || holds(plain.replaceAll("+", " "))) return true;
  // Long ones are broken into lines, which JSON writes in its own way.
  const joined = plain.replaceAll(/\r?\n|(?:\\r)?\\n/g, "");
  return (
    wrapped(joined, BASE64, [0, 1, 2, 3], fromBase64).some(holds) || wrapped(joined, HEX, [0, 1], fromHex).some(holds)
  );
}

/** What stands in the middle of something longer begins anywhere. */
const wrapped = (
  text: string,
  runs: RegExp,
  offsets: readonly number[],
  decode: (run: string) => string,
): readonly string[] => (text.match(runs) ?? []).flatMap((run) => offsets.map((offset) => decode(run.slice(offset))));

/** Each by itself: one that is wrong must not hide the others. */
const unescaped = (text: string): string =>
  text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run.replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    }
  });

function fromBase64(run: string): string {
  const usual = run.replaceAll("-", "+").replaceAll("_", "/");
  return atob(usual.slice(0, usual.length - (usual.length % 4)) + rest(usual));
}

/** The last characters, where they make a whole byte. */
function rest(usual: string): string {
  const left = usual.slice(usual.length - (usual.length % 4));
  return left.length < 2 ? "" : left.padEnd(4, "=");
}

const fromHex = (run: string): string =>
  run.replaceAll(/(..)|.$/g, (_, pair?: string) =>
    pair === undefined ? "" : String.fromCharCode(Number.parseInt(pair, 16)),
  );
