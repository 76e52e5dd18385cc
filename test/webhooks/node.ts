// A node that delivers events on a simulated clock, a second at a time.
import { expect } from "bun:test";
import { random } from "../../src/app/world.ts";
import { Issues } from "../../src/config/errors.ts";
import { buildEndpoints } from "../../src/config/webhooks.ts";
import type { Endpoint } from "../../src/core/events/webhook.ts";
import type { Store } from "../../src/core/store.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { Delivering } from "../../src/webhooks/delivery.ts";
import { ManualClock } from "../harness/manual-clock.ts";

export type Given = NonNullable<Parameters<typeof buildEndpoints>[0]>[number];

export class DeliveringNode {
  readonly logged: LogEvent[] = [];
  readonly delivering: Delivering;
  readonly endpoints: readonly Endpoint[];

  readonly store: Store;
  readonly clock: ManualClock;
  readonly random = random;

  constructor(store: Store, clock: ManualClock, given: readonly Given[]) {
    [this.store, this.clock] = [store, clock];
    const issues = new Issues();
    this.endpoints = buildEndpoints([...given], issues);
    expect(issues.all).toEqual([]);
    this.delivering = new Delivering({
      store,
      clock,
      random,
      fetch,
      version: "1",
      endpoints: () => this.endpoints,
      log: (event) => this.logged.push(event),
    });
  }

  /** A second of its life, until nothing is being sent. */
  async live(seconds = 1): Promise<void> {
    for (let at = 0; at < seconds; at++) {
      await this.delivering.tick();
      await this.delivering.settle();
      await this.clock.move(1000);
    }
  }

  /** Moves the clock on, and lives at its end. */
  async after(ms: number): Promise<void> {
    await this.clock.move(ms);
    await this.live();
  }
}

export async function startClock(): Promise<ManualClock> {
  const clock = new ManualClock();
  await clock.move(Date.now());
  return clock;
}
