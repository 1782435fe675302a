// Public fakes, strict on purpose: what a test did not expect fails it.
export { tapeBackend } from "../backends/tape/tape-backend.ts";
export { memoryStore } from "../stores/memory/memory-store.ts";
export { type FakeClock, fakeClock } from "./fake-clock.ts";
export { type FakeMachine, fakeMachine } from "./fake-machine.ts";
export { fakeMint } from "./fake-mint.ts";
export { type MemoryWorkspaces, memoryWorkspaces } from "./memory-workspaces.ts";
export { registryOf } from "./registry-of.ts";
export {
  answers,
  hangs,
  type Script,
  scriptedBackend,
  type ScriptedBackend,
  untilStopped,
} from "./scripted-backend.ts";
export { severable } from "./severable-store.ts";
export { startEngine, type TestEngine, type TestEngineOptions, testWorld, type TestWorld } from "./start-engine.ts";
export { type ContractCase, storeContract, type StoreUnderTest } from "./store-contract/index.ts";
export {
  type ReplyScript,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  scriptedModel,
  someUsage,
} from "./scripted-model.ts";
