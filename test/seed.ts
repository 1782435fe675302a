// What tests make up is the same in every run: a change is judged by what it changes. Somebody who wants to find more sets
// CADRE_TEST_SEED to `random`, or to the seed that a failure has named.
import * as fc from "fast-check";

const seed = process.env["CADRE_TEST_SEED"];
if (seed !== "random") fc.configureGlobal({ seed: Number(seed ?? 1) });
