// Callers choose agents by their descriptions: two that say the same are a coin toss.
interface Described {
  readonly description: string;
}

const ALIKE = 0.8;
/** Each pair is compared: with more agents than this, only the first of them are. */
const MOST = 500;

/** Pairs of agents that cannot be told apart. */
export function alikePairs<T extends Described>(agents: readonly T[]): (readonly [T, T])[] {
  const some = agents.slice(0, MOST).map((agent) => ({ agent, words: wordsOf(agent) }));
  return some.flatMap(({ agent: one, words }, index) =>
    some.slice(index + 1).flatMap(({ agent: other, words: others }) => {
      return isAlike(words, others) ? [[one, other] as const] : [];
    }),
  );
}

/** Without what every description has. */
function wordsOf({ description }: Described): ReadonlySet<string> {
  const words = description.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const telling = words.filter((word) => !COMMON.has(word)).map((word) => word.replace(/s$/, ""));
  return new Set(telling.length > 0 ? telling : words);
}

const COMMON: ReadonlySet<string> = new Set(
  "a an and agent any are as at be by for from in into is it of on or that the this to use used when with you your".split(
    " ",
  ),
);

function isAlike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (a.size === 0 || b.size === 0) return a.size === b.size;
  const [less, more] = a.size < b.size ? [a, b] : [b, a];
  if (less.size < ALIKE * more.size) return false;
  const both = [...less].filter((word) => more.has(word)).length;
  return both / (a.size + b.size - both) >= ALIKE;
}
