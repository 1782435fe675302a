// Where things lie: of the project in its home, of the user in theirs.
import { join } from "node:path";
import type { Home } from "./find-home.ts";

export interface Place extends Home {
  readonly userHome: string;
}

const ownHome = ({ userHome }: Place): string => join(userHome, ".cadre");

/** A home that is the user's own belongs to no project. */
const isUsersOwn = (place: Place): boolean => place.home === ownHome(place);

export function toolLayers(place: Place) {
  const ofProject = { folder: join(place.home, "tools"), trustRoot: place.project };
  const ofUser = { folder: join(ownHome(place), "tools"), trustRoot: null };
  return { project: isUsersOwn(place) ? null : ofProject, user: ofUser };
}

export function memoryPlaces(place: Place): { readonly project: string | null; readonly user: string } {
  return { project: isUsersOwn(place) ? null : memoryFileIn(place.home), user: memoryFileIn(ownHome(place)) };
}

const memoryFileIn = (folder: string): string => join(folder, "memory", "memory.db");
