// The state of tool servers for the metrics.
import type { Tools } from "./tools.ts";

/** Servers that nobody has asked yet are left out. */
export function describeServers({ servers }: Pick<Tools, "servers">): ReadonlyMap<string, number> {
  const asked = servers.describe().filter(({ state }) => state !== "unknown");
  return new Map(asked.map(({ name, state }) => [name, state === "up" ? 1 : 0]));
}
