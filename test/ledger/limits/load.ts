// Clients of one node that send requests as fast as the limits let them, and a log of what was let in.
import { randomUUID } from "node:crypto";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import type { Store } from "../../../src/core/store.ts";
import { createLedger, type Ledger, type Ticket } from "../../../src/ledger/ledger.ts";
import { BILLING, costing, makeAsk, makeOutcome, QUOTA } from "../../harness/samples.ts";

/** The reservations of each request of the load. */
export const RESERVED = { nanoUsd: 1000, tokens: 100 } as const;
/** Some requests cost more than was reserved. */
export const COST_MAX = 1200;

/** An admission, which the store decided between the two times. */
export interface LetIn {
  readonly keyId: string;
  readonly accountId: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly costNanoUsd: number;
}

export interface LoadJob {
  readonly clients: number;
  readonly requestsEach: number;
  /** Each client answers its requests after up to this many milliseconds. */
  readonly answerMs: number;
}

/** Runs the load, and returns the requests that were let in with the refusals' counts by code. */
export async function runLoad(store: Store, keys: readonly GatewayKey[], job: LoadJob) {
  const ledger = createLedger({
    store,
    clock: { nowMs: () => Date.now() },
    rules: () => ({ quota: QUOTA, billing: BILLING }),
  });
  const letIn: LetIn[] = [];
  const refused: Record<string, number> = {};
  const most = new Map<string, number>();
  const running = new Map<string, number>();
  const one = async (client: number) => {
    for (let at = 0; at < job.requestsEach; at++) {
      const key = keys[(client + at) % keys.length];
      if (!key) return;
      const fromMs = Date.now();
      const ticket = askFor(ledger, key, fromMs);
      try {
        await ledger.admit(ticket);
      } catch (thrown) {
        if (!(thrown instanceof Fault)) throw thrown;
        refused[thrown.code] = (refused[thrown.code] ?? 0) + 1;
        await Bun.sleep(Math.random() * job.answerMs);
        continue;
      }
      const untilMs = Date.now();
      count(running, most, key.id, 1);
      await Bun.sleep(Math.random() * job.answerMs);
      const costNanoUsd = Math.ceil(Math.random() * COST_MAX);
      count(running, most, key.id, -1);
      await ledger.settle(ticket, makeOutcome(ticket, { costNanoUsd }));
      letIn.push({ keyId: key.id, accountId: key.accountId, fromMs, untilMs, costNanoUsd });
    }
  };
  await Promise.all(Array.from({ length: job.clients }, (_, client) => one(client)));
  return { letIn, refused, most: Object.fromEntries(most) };
}

function count(running: Map<string, number>, most: Map<string, number>, id: string, by: number): void {
  const now = (running.get(id) ?? 0) + by;
  running.set(id, now);
  most.set(id, Math.max(most.get(id) ?? 0, now));
}

function askFor(ledger: Ledger, key: GatewayKey, nowMs: number): Ticket {
  return ledger.ticket(
    makeAsk(`chatcmpl-${randomUUID()}`, key, {
      isNew: true,
      nowMs,
      offers: () => [costing(RESERVED.nanoUsd)],
      load: () => ({ prompt: RESERVED.tokens, output: 0 }),
    }),
  );
}
