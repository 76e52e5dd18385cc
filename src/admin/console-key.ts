// The built-in key of the console's playground: an ordinary row, so that it is billed like any other key.
import { Fault } from "../core/fault.ts";
import { type GatewayKey, KEY_DEFAULTS } from "../core/key.ts";
import { CONSOLE_KEY } from "./keys.ts";
import type { AdminWorld } from "./world.ts";

/** Not a digest, so no secret can match it. */
const NO_DIGEST = "console";

/** Returns the key, and creates it at its first use. */
export async function consoleKey({ store, clock }: Pick<AdminWorld, "store" | "clock">): Promise<GatewayKey> {
  const known = await store.key(CONSOLE_KEY);
  if (known !== null) return known;
  const key: GatewayKey = {
    id: CONSOLE_KEY,
    name: CONSOLE_KEY,
    last4: "",
    createdAtMs: clock.nowMs(),
    ...KEY_DEFAULTS,
  };
  try {
    await store.addKey(key, NO_DIGEST);
    return key;
  } catch (error) {
    // Another process may have created it at the same moment.
    const made = error instanceof Fault ? null : await store.key(CONSOLE_KEY);
    if (made !== null) return made;
    throw error;
  }
}
