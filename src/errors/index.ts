export { CadreError, ERROR_CODES, type ErrorCode, type ErrorExtra, type Facts } from "./cadre-error.ts";
export * from "./input-errors.ts";
export * from "./task-errors.ts";
export * from "./store-errors.ts";
