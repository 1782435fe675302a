// Every issue of validation at its place in the file.
import { describeIssue, type Issue } from "./describe-issue.ts";
import type { Path, Places } from "./places.ts";
import type { Report } from "./problems.ts";
import { show, showPath } from "./show.ts";
import { describeSpecial } from "./special-values.ts";

/** `value` is what was validated: what was read, and what was filled in. */
export function explainIssues(issues: readonly Issue[], value: unknown, places: Places, report: Report): void {
  for (const issue of issues) explain(issue, value, places, report);
}

function explain(issue: Issue, root: unknown, places: Places, report: Report): void {
  const { path } = issue;
  const value = valueAt(root, path);
  if (issue.code === "unrecognized_keys") {
    for (const key of issue.keys) report(keyPlace(places, [...path, key]), `${show(key)} does not belong here`);
  } else if (issue.code === "invalid_union" && value !== undefined) {
    explainUnion(issue, root, places, report);
  } else if (value === undefined) {
    report(keyPlace(places, path), `${showPath(path)} is missing`);
  } else {
    const subject = path.length === 0 ? "the definition" : showPath(path);
    const place = places.at(path)?.value ?? 0;
    report(place, describeSpecial(path, value) ?? `${subject} ${describeIssue(issue, value)}`);
  }
}

/** Validation says what is wrong with each alternative; a person meant one of them. */
function explainUnion(issue: Issue & { code: "invalid_union" }, root: unknown, places: Places, report: Report): void {
  const { path, errors } = issue;
  const value = valueAt(root, path);
  const fitting = errors.filter((branch) => !branch.some(isWrongKind)).toSorted(byFit);
  const [best] = fitting;
  if (best === undefined) {
    report(places.at(path)?.value ?? 0, `${showPath(path)} ${describeIssue(issue, value)}`);
  } else if (fitting.length > 1 && isEmptyMap(value)) {
    const firsts = fitting.map(([first]) => show(first?.path[0]));
    // Where unknown keys were left out, it is they that are wrong.
    if (!places.hasUnknownKeys(path))
      report(keyPlace(places, path), `${showPath(path)} needs one of ${firsts.join(", ")}`);
  } else {
    const inner = best.map((one) => ({ ...one, path: [...path, ...one.path] }));
    explainIssues(inner, root, places, report);
  }
}

const isWrongKind = (issue: Issue): boolean => issue.path.length === 0 && issue.code === "invalid_type";

const isEmptyMap = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** The alternative that knows most of the keys, then the one that has least to say. */
const byFit = (one: readonly Issue[], other: readonly Issue[]): number =>
  strangers(one) - strangers(other) || one.length - other.length;

const strangers = (branch: readonly Issue[]): number =>
  branch.reduce(
    (sum, issue) => sum + (issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys.length : 0),
    0,
  );

/** Of what is missing: where that begins in which it is missing. The whole file begins at its first character. */
function keyPlace(places: Places, path: Path): number {
  for (let above = path; above.length > 0; above = above.slice(0, -1)) {
    const place = places.at(above);
    if (place !== undefined) return place.key;
  }
  return 0;
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
