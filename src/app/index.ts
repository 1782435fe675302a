export type { Cadre } from "./cadre.ts";
export { type CadreOptions, openCadre } from "./open-cadre.ts";
