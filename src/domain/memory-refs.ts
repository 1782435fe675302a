// How a person names a memory on the command line. Protocols take whole ids only.

const KIND = "mem_";

/** Those that may be meant: the one that is named in full, else those that begin so or, without their kind, end so. */
export function memoriesMeant(ids: readonly string[], ref: string): readonly string[] {
  if (ids.includes(ref)) return [ref];
  return ids.filter((id) => (ref.startsWith(KIND) ? id.startsWith(ref) : id.endsWith(ref)));
}
