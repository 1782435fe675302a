import type { Bell, Store } from "../ports/index.ts";

/**
 * A store as one process sees it, which can be cut off as SIGKILL would: from then on nothing that the
 * process does reaches the store, and nothing that it waits for comes.
 */
export function severable(store: Store): { readonly store: Store; readonly sever: () => void } {
  let isSevered = false;
  const never = new Promise<never>(() => undefined);
  const handler: ProxyHandler<Store> = {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== "function") return member;
      if (property === "subscribe")
        return (ring: Bell) => target.subscribe((written) => void (isSevered || ring(written)));
      return async (...args: unknown[]) => {
        if (isSevered) return never;
        const result: unknown = await Reflect.apply(member, target, args);
        return isSevered ? never : result;
      };
    },
  };
  return { store: new Proxy(store, handler), sever: () => void (isSevered = true) };
}
