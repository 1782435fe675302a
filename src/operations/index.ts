export { Batch } from "./batch-operations.ts";
export type { Caller, OperationContext } from "./operation.ts";
export {
  call,
  type MouthName,
  MOUTHS,
  type OperationInput,
  type OperationName,
  type OperationOutput,
  OPERATIONS,
  operationsFor,
} from "./operations.ts";
