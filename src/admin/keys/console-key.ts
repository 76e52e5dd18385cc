// The built-in keys of the console's playground, of sampling and of hooks: ordinary rows, those of hooks never charged.

import { Fault } from "../../core/faults/fault.ts";
import { type GatewayKey, KEY_DEFAULTS, SAMPLING_KEY } from "../../core/keys/key.ts";
import { NO_LIMITS } from "../../core/limits/limit.ts";
import { HOOKS_KEY } from "../../core/models/hook.ts";
import { GATEWAY } from "../../core/people/people.ts";
import { actAs } from "../audit/audit-trail.ts";
import type { AdminWorld } from "../world.ts";
import { CONSOLE_KEY } from "./keys.ts";

type ConsoleKeyWorld = AdminWorld;

const DEFAULT = KEY_DEFAULTS.accountId;

/** The default account's has always had the bare name. */
export function consoleKey(world: ConsoleKeyWorld, accountId: string = DEFAULT): Promise<GatewayKey> {
  return accountId === DEFAULT
    ? readInternalKey(world, CONSOLE_KEY, {})
    : readInternalKey(world, `${CONSOLE_KEY}_${accountId}`, { name: CONSOLE_KEY, accountId });
}

/** The key of sampled answers and judgments. A few hundred calls at once would use up an allowance. */
export function samplingKey(world: ConsoleKeyWorld): Promise<GatewayKey> {
  return readInternalKey(world, SAMPLING_KEY, { requestsPerDay: null });
}

/** The key of the calls that hooks make themselves. Only budgets of its account bound it. */
export function hooksKey(world: ConsoleKeyWorld): Promise<GatewayKey> {
  return readInternalKey(world, HOOKS_KEY, { ...NO_LIMITS, requestsPerDay: null });
}

/** Returns the key, and creates it at its first use. */
async function readInternalKey(
  world: ConsoleKeyWorld,
  id: string,
  own: Partial<GatewayKey>,
): Promise<GatewayKey> {
  const { store, clock } = world;
  const known = await store.key(id);
  if (known !== null) return known;
  const key: GatewayKey = { id, name: id, last4: "", createdAtMs: clock.nowMs(), ...KEY_DEFAULTS, ...own };
  try {
    // An id is no digest, so no secret can match it.
    await actAs(world, GATEWAY).changes.addKey(key, id);
    return key;
  } catch (error) {
    // Another process may have created it at the same moment.
    const made = error instanceof Fault ? null : await store.key(id);
    if (made !== null) return made;
    throw error;
  }
}
