// Answers that can't be kept: the client gets its answer, and the log tells a store's failure from a bug.
import { expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { KeptAnswers } from "../../src/gateway/answer/kept-answers.ts";
import { DeadlineSweep } from "../../src/transport/deadlines.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { makeKey, openMemoryStore } from "../harness/samples.ts";

const broken = () => {
  throw new TypeError("A bug.");
};
const away = () => {
  throw new Fault("store_unavailable", "The gateway's store is unavailable.");
};
const seal = (text: string) => text;

test.each([
  ["a store that is away", { add: away }, {}, ["response_lost"]],
  ["a bug in the store", { add: broken }, {}, ["response_lost", "internal_error"]],
  ["a bug before it is written", {}, { seal: broken }, ["response_lost", "internal_error"]],
])(
  "%s keeps no client from its answer, and is logged as what it is",
  async (_what, stored, sealed, expected) => {
    const key = makeKey("key_a", { keepsResponses: true });
    const store = await openMemoryStore(key);
    const clock = new ManualClock();
    const events: LogEvent[] = [];
    const kept = new KeptAnswers({
      store: { ...store, responses: { ...store.responses, ...stored } },
      vault: { seal, open: seal, ...sealed },
      clock,
      deadlines: new DeadlineSweep(clock),
      log: (event: LogEvent) => void events.push(event),
      rules: () => ({ keepMs: 60_000, bytesMax: 1e6 }),
      bodies: { reserve: () => ({ release: () => {} }) },
      turns: { wait: async () => {} },
    });
    const exchange = { id: "resp_1", itemIds: [], input: [], response: {} };
    expect(await kept.keep(key, exchange)).toBeUndefined();
    expect(events.map(({ event }) => event)).toEqual(expected);
    const [, bug] = events;
    if (bug) expect(String(bug.cause)).toMatch(/A bug\..*kept-answers\.test\.ts/s);
  },
);
