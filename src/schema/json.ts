import * as z from "zod";

/** Anything that JSON can hold. Used where a value is another program's or a model's. */
export const Json = z.json();
export type Json = z.infer<typeof Json>;

export const JsonObject = z.record(z.string(), Json);
export type JsonObject = z.infer<typeof JsonObject>;
