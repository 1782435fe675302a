/**
 * Calls back after what runs now and all that is promised within it, before anything more is heard from outside: the next
 * timer, file, socket or message.
 */
export const whenTurnEnds = (callback: () => void): void => process.nextTick(callback);
