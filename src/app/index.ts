export type { Cadre } from "./cadre.ts";
export { ATTEMPT_VARIABLE, TOKEN_VARIABLE } from "./caller.ts";
export { type CadreOptions, openCadre } from "./open-cadre.ts";
