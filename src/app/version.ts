// Apart from the rest of the app: asking for the version loads nothing else.
export { packageRoot, packageVersion } from "../platform/package-root.ts";
