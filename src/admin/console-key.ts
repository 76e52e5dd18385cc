// The built-in key that the console's playground asks with: a row as any other, so that the books treat it as any other.
import { Fault } from "../core/fault.ts";
import type { GatewayKey } from "../core/key.ts";
import { CONSOLE_KEY } from "./keys.ts";
import type { AdminWorld } from "./world.ts";

/** No secret has this digest: it is none. */
const NO_DIGEST = "console";

/** The key, made when it is first asked for. */
export async function consoleKey({ store, clock }: Pick<AdminWorld, "store" | "clock">): Promise<GatewayKey> {
  const known = await store.key(CONSOLE_KEY);
  if (known !== null) return known;
  const key: GatewayKey = {
    id: CONSOLE_KEY,
    name: CONSOLE_KEY,
    accountId: "default",
    last4: "",
    createdAtMs: clock.nowMs(),
    expiresAtMs: null,
    revokedAtMs: null,
    allowedModels: null,
    requestsPerDay: "default",
    spendLimitNanoUsd: null,
    keepsResponses: true,
  };
  try {
    await store.addKey(key, NO_DIGEST);
    return key;
  } catch (error) {
    // Another process may have made it at the same moment.
    const made = error instanceof Fault ? null : await store.key(CONSOLE_KEY);
    if (made !== null) return made;
    throw error;
  }
}
