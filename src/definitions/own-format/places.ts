export type Path = readonly PropertyKey[];

export interface Place {
  /** Where the key stands; for an item of a list, where the item does. */
  readonly key: number;
  readonly value: number;
  readonly end: number;
}

/** Where in the file each part of a value stands. */
export interface Places {
  at(path: Path): Place | undefined;
  put(path: Path, place: Place): void;
  /** Whether the map there has keys that nobody knows. The value leaves them out. */
  hasUnknownKeys(path: Path): boolean;
  noteUnknownKey(path: Path): void;
}

export function newPlaces(): Places {
  const places = new Map<string, Place>();
  const unknown = new Set<string>();
  return {
    at: (path) => places.get(JSON.stringify(path)),
    put: (path, place) => void places.set(JSON.stringify(path), place),
    hasUnknownKeys: (path) => unknown.has(JSON.stringify(path)),
    noteUnknownKey: (path) => void unknown.add(JSON.stringify(path)),
  };
}
