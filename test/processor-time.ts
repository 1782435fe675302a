/** How long the processor worked on it, in ms: whatever else the machine does, and however long it stood still. */
export function processorMs(action: () => void): number {
  const before = process.cpuUsage();
  action();
  return sinceThen(before);
}

export async function processorMsOf(action: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await action();
  return sinceThen(before);
}

function sinceThen(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
