import { admissionCases } from "./admission-cases.ts";
import { budgetCases } from "./budget-cases.ts";
import { claimCases } from "./claim-cases.ts";
import type { ContractCase } from "./contract-case.ts";
import { controlCases } from "./control-cases.ts";
import { coolDownCases } from "./cool-down-cases.ts";
import { handleCases } from "./handle-cases.ts";
import { inboxCases } from "./inbox-cases.ts";
import { logCases } from "./log-cases.ts";
import { sessionCases } from "./session-cases.ts";
import { writeCases } from "./write-cases.ts";

export type { ContractCase, StoreUnderTest } from "./contract-case.ts";

/** All that the `Store` port promises. */
export const storeContract: readonly ContractCase[] = [
  ...admissionCases,
  ...claimCases,
  ...writeCases,
  ...logCases,
  ...controlCases,
  ...budgetCases,
  ...coolDownCases,
  ...sessionCases,
  ...inboxCases,
  ...handleCases,
];
