// Runs on whatever Node there is, so nothing newer than ES2015 here.
import process from "node:process";

const major = process.versions.node.split(".")[0];

if (major !== "24") {
  console.error("cadre: this is Node " + process.versions.node + ", the sources need the repository's own Node 24.");
  console.error(
    "hint: run `npm install` with install scripts allowed for the package `node`, then use the npm scripts.",
  );
  process.exit(1);
}
