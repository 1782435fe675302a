// How hard a page is to read, found out by one pass over it. Trees are taken apart by functions that call
// themselves, and pages can be made on which those take minutes.

const MAX_LENGTH = 1_000_000;
const MAX_TAGS = 12_000;
const MAX_BREAKS = 4_000;
const MAX_DEPTH = 100;
/** The depth of every tag, added up: each is looked at again for what lies around it. */
const MAX_WEIGHT = 300_000;

const TAG = /<(?:(\/?)([a-z][a-z0-9:-]*))?/gi;

/** Without an end tag; or ended by the next of their kind, so that a row of them is no depth. */
const FLAT: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta source track wbr p li td th tr dt dd option".split(" "),
);

export function isEasyPage(html: string): boolean {
  if (html.length > MAX_LENGTH) return false;
  let [depth, tags, breaks, weight] = [0, 0, 0, 0];
  for (const [, slash, name = ""] of html.matchAll(TAG)) {
    const lower = name.toLowerCase();
    if (lower === "br") breaks++;
    tags++;
    weight += depth;
    if (tags > MAX_TAGS || breaks > MAX_BREAKS || weight > MAX_WEIGHT) return false;
    if (name === "" || FLAT.has(lower)) continue;
    depth = Math.max(0, depth + (slash === "/" ? -1 : 1));
    if (depth > MAX_DEPTH) return false;
  }
  return true;
}
