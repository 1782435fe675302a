/** Set for everything that runs inside of an attempt: which one it is, and the token that proves it. */
export const ATTEMPT_VARIABLE = "CADRE_ATTEMPT";
export const TOKEN_VARIABLE = "CADRE_TOKEN";
