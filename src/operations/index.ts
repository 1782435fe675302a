export { Batch } from "./batch-operations.ts";
export type { Caller, OperationContext } from "./operation.ts";
export {
  call,
  isOperation,
  type MouthName,
  MOUTHS,
  type OperationInput,
  type OperationName,
  type OperationOutput,
  OPERATIONS,
  operationsFor,
} from "./operations.ts";
export { TaskWorkspace } from "./task-workspace.ts";
