// Goose: agents in Markdown, and recipes, which can say more.
import type { Format } from "../format.ts";
import { readGooseAgent, writeGooseAgent } from "./goose-agent.ts";
import { isForRecipe, readRecipe, writeRecipe } from "./recipe.ts";
import { PLACES } from "../places.ts";

export const goose: Format = {
  id: "goose",
  label: "Goose",
  places: PLACES.goose,
  read: (file) => [/\.md$/i.test(file.below) ? readGooseAgent(file) : readRecipe(file)],
  write: (definition) => (isForRecipe(definition) ? writeRecipe(definition) : writeGooseAgent(definition)),
};
