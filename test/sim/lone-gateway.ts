// A gateway on virtual time with a store of its own, without the upkeep of a process.
import type { ProviderSetup } from "../../src/core/settings.ts";
import type { Store } from "../../src/core/store.ts";
import type { Fetch } from "../../src/core/world/world.ts";
import { Gateway } from "../../src/gateway/gateway.ts";
import { Caches } from "../../src/health/caches.ts";
import { Health } from "../../src/health/health.ts";
import { KnownPrompts } from "../../src/health/prompts.ts";
import { Stickiness } from "../../src/health/stickiness.ts";
import { createVault } from "../../src/keys/vault.ts";
import { LearnedModels } from "../../src/learning/learned.ts";
import { createLedger } from "../../src/ledger/ledger.ts";
import { createAuthorize } from "../../src/transport/auth/authorize.ts";
import { DeadlineSweep } from "../../src/transport/deadlines.ts";
import { KeptConnections } from "../../src/transport/kept.ts";
import { Reachability } from "../../src/transport/reachability.ts";
import { NO_TOKENS } from "../harness/no-tokens.ts";
import { RULES } from "../harness/samples.ts";
import type { Dice } from "./dice.ts";
import type { EventClock } from "./event-clock.ts";

interface GatewayParts {
  readonly store: Store;
  readonly clock: EventClock;
  readonly dice: Dice;
  readonly fetch: Fetch;
  readonly providers: readonly ProviderSetup[];
}

export function makeGateway({ store, clock: events, dice, fetch, providers }: GatewayParts): Gateway {
  const clock = events.forLife(() => false);
  const random = { bytes: (count: number) => dice.bytes(count) };
  const deadlines = new DeadlineSweep(clock);
  const health = new Health(() => {});
  health.configured(providers);
  return new Gateway({
    clock,
    random,
    ledger: createLedger({ store, clock, rules: () => RULES }),
    vault: createVault(new Uint8Array(32).fill(7), random),
    log: () => {},
    deadlines,
    health,
    stickiness: new Stickiness(),
    caches: new Caches(),
    prompts: new KnownPrompts(random),
    learning: { known: new LearnedModels(), learn: () => {} },
    fetch,
    reachability: new Reachability(deadlines, async () => true),
    kept: new KeptConnections(),
    authorize: createAuthorize(NO_TOKENS),
  });
}
