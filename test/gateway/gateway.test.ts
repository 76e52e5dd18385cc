// Parts of the gateway on a manual clock: deadlines, bounded connecting, settlements.

import { beforeEach, describe, expect, test } from "bun:test";
import type { SettlementAnswer } from "../../src/core/demand.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import { Ending } from "../../src/core/world/ending.ts";
import type { Deadlines, LogEvent } from "../../src/core/world/world.ts";
import { Contents } from "../../src/gateway/answer/contents.ts";
import { Settlements } from "../../src/gateway/settle/settlements.ts";
import type { Ticket } from "../../src/ledger/ledger.ts";
import type { Outcome } from "../../src/ledger/outcome.ts";
import { UpstreamCall } from "../../src/transport/client.ts";
import { DeadlineSweep } from "../../src/transport/deadlines.ts";
import { KeptConnections } from "../../src/transport/kept.ts";
import { Reachability } from "../../src/transport/reachability.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { FAILED, makeAsk, makeKey, makeRecord, PRODUCED, RULES } from "../harness/samples.ts";

let clock: ManualClock;
let deadlines: Deadlines;

beforeEach(() => {
  clock = new ManualClock();
  deadlines = new DeadlineSweep(clock);
});

describe("deadlines", () => {
  test("fire once, at most 250 ms late; moved ones fire later, cleared ones never", async () => {
    const came: string[] = [];
    const tell = (name: string) => ({ late: () => void came.push(`${name} at ${clock.nowMs()}`) });
    deadlines.watch(1000, tell("first"));
    const moved = deadlines.watch(1000, tell("moved"));
    deadlines.watch(1000, tell("cleared")).clear();
    moved.atMs = 2000;
    await clock.move(10_000);
    expect(came).toEqual(["first at 1000", "moved at 2000"]);
  });
});

describe("connecting", () => {
  const NO_WORDS = { redactedWords: [] };
  const CONNECT_MS = 4000;
  const outgoing = { url: "http://up.example/v1", headers: {}, body: {}, dropped: [] };

  /** Sends calls to a host, and returns their outcomes and how often the host was tried. */
  function sending(reached: readonly boolean[]) {
    const faults: string[] = [];
    const answers: ((response: Response) => void)[] = [];
    let tries = 0;
    const ports = {
      clock,
      deadlines,
      kept: new KeptConnections(),
      reachability: new Reachability(deadlines, async () => reached[tries++] ?? false),
      authorize: () => ({ headers: {} }),
      fetch(_url: string, { signal }: RequestInit) {
        const { promise, resolve, reject } = Promise.withResolvers<Response>();
        answers.push(resolve);
        signal?.addEventListener("abort", () => reject(signal.reason));
        return promise;
      },
    };
    const send = (name: string, untilMs = 60_000) => {
      const terms = {
        client: new Ending(),
        credential: { secret: null, weight: 1 },
        upstream: NO_WORDS,
        fresh: false,
      };
      const call = new UpstreamCall(ports, terms, deadlines.nowMs() + untilMs);
      const sent = call.send(outgoing, CONNECT_MS).catch((thrown: unknown) => {
        faults.push(`${name}: ${call.toFault(thrown).details.unsent === true ? "unsent" : "late"}`);
      });
      return { call, sent };
    };
    return { send, faults, answers, tries: () => tries };
  }

  test("a host that accepts no connection ends the call within the connect timeout", async () => {
    const { send, faults } = sending([false]);
    send("one");
    await clock.move(CONNECT_MS);
    expect(faults).toEqual(["one: unsent"]);
  });

  test("a slow answer is waited for; calls that wait together share one check", async () => {
    const { send, faults, tries } = sending([true, false]);
    send("one");
    send("two");
    await clock.move(CONNECT_MS);
    expect([faults, tries()]).toEqual([[], 1]);
    send("three");
    await clock.move(CONNECT_MS);
    expect([faults, tries()]).toEqual([["three: unsent"], 2]);
  });

  test("after the check a call still ends at its own deadline", async () => {
    const { send, faults, tries } = sending([true]);
    send("one", 5000);
    await clock.move(4500);
    expect([faults, tries()]).toEqual([[], 1]);
    await clock.move(1000);
    expect(faults).toEqual(["one: late"]);
  });

  test("an answered call triggers no check", async () => {
    const { send, faults, answers, tries } = sending([false]);
    const { call, sent } = send("one");
    answers[0]?.(new Response("{}"));
    const response = await sent;
    if (response instanceof Response) call.open(response);
    await clock.move(CONNECT_MS);
    expect([faults, tries()]).toEqual([[], 0]);
  });
});

describe("settlements", () => {
  const reads = {
    accountId: "default",
    keyId: "key_a",
    owners: [],
    days: [],
    requestId: null,
    replyId: null,
    movementId: null,
  };
  const ticket = (id: string, accountId = "default"): Ticket => ({
    ask: makeAsk(id, makeKey("key_a", { accountId })),
    reads,
    rules: RULES,
    noted: null,
    isTried: false,
  });
  const outcome = (id: string): Outcome => ({ ...PRODUCED, record: makeRecord(id), sealedReply: null });
  const SETTLED: SettlementAnswer = {
    chargedNanoUsd: 700,
    holdNanoUsd: 900,
    writtenOffNanoUsd: 0,
    late: false,
  };
  const PATIENCE_MS = 1000;

  /** Settlements on a ledger that throws the fault in `answer`, if any. */
  function settling(answer: (id: string) => Fault | null) {
    const written: string[] = [];
    const events: LogEvent[] = [];
    const ledger = {
      settle: async ({ ask }: Ticket, { record }: Outcome) => {
        const fault = answer(ask.id);
        if (fault) throw fault;
        written.push(`${ask.id} ${record.ended}`);
        return SETTLED;
      },
    };
    const log = (event: LogEvent) => void events.push(event);
    return { settlements: new Settlements({ ledger, clock, deadlines, log }), written, events };
  }

  test("settlements refused by a store that is down are written once, in order, when it is back", async () => {
    let down = true;
    const { settlements, written } = settling(() => (down ? new Fault("store_unavailable", "down") : null));
    const added = ["a", "b", "c"].map((id) => settlements.add(ticket(id), outcome(id), PATIENCE_MS));
    await clock.move(5000);
    expect([written, settlements.waiting]).toEqual([[], 3]);
    down = false;
    await clock.move(2000);
    expect(await Promise.all(added)).toEqual([null, null, null]);
    expect(written).toEqual(["a done", "b done", "c done"]);
    expect(settlements.waiting).toBe(0);
    await clock.move(60_000);
    expect(written.length).toBe(3);
  });

  test("an account whose part of the store is away delays those of no other account", async () => {
    const away = new Set(["1", "2", "3", "4"]);
    const { settlements, written } = settling((id) =>
      down || away.has(id.slice(1)) ? new Fault("store_unavailable", "down") : null,
    );
    let down = true;
    const ids = ["a1", "b1", "a2", "a3", "a4", "a5", "b5", "a6"];
    for (const id of ids) void settlements.add(ticket(id, `acct_${id.slice(1)}`), outcome(id), PATIENCE_MS);
    await clock.move(500);
    down = false;
    await clock.move(4000);
    expect(written).toEqual(["a5 done", "b5 done", "a6 done"]);
    expect(settlements.listIds().toSorted()).toEqual(["a1", "a2", "a3", "a4", "b1"]);
    away.clear();
    await clock.move(2000);
    expect(written.indexOf("a1 done")).toBeLessThan(written.indexOf("b1 done"));
    expect([written.length, settlements.listIds()]).toEqual([ids.length, []]);
  });

  test("a permanently refused settlement is not retried, and delays no other", async () => {
    const { settlements, written, events } = settling((id) =>
      id === "bad" ? new Fault("internal_error", "no") : null,
    );
    expect(await settlements.add(ticket("bad"), outcome("bad"), PATIENCE_MS)).toBeNull();
    expect(await settlements.add(ticket("good"), outcome("good"), PATIENCE_MS)).toEqual(SETTLED);
    expect([written, settlements.waiting]).toEqual([["good done"], 0]);
    expect(events.map(({ event }) => event)).toEqual(["settle_failed", "settle_lost", "request"]);
    const bill = { chargedNanoUsd: 700, holdNanoUsd: 900 };
    expect(events[2]).toMatchObject({ late: false, record: { id: "good", ...bill } });
  });

  test("an answer waits for its row only for the given time", async () => {
    const slow = Promise.withResolvers<SettlementAnswer>();
    const ledger = { settle: () => slow.promise };
    const settlements = new Settlements({ ledger, clock, deadlines, log: () => {} });
    const answers: (SettlementAnswer | null)[] = [];
    void settlements.add(ticket("slow"), outcome("slow"), PATIENCE_MS).then((settled) => {
      answers.push(settled);
    });
    await clock.move(900);
    expect(answers).toEqual([]);
    await clock.move(400);
    expect([answers, settlements.waiting]).toEqual([[null], 1]);
    slow.resolve(SETTLED);
    await clock.move(0);
    expect([answers, settlements.waiting]).toEqual([[null], 0]);
  });

  test("an answer that may be withheld waits for a write under way, which decides what the client gets", async () => {
    const writes: PromiseWithResolvers<SettlementAnswer>[] = [];
    const written: string[] = [];
    const ledger = {
      settle: async ({ ask }: Ticket, { record }: Outcome) => {
        const write = Promise.withResolvers<SettlementAnswer>();
        writes.push(write);
        const settled = await write.promise;
        written.push(`${ask.id} ${record.ended}`);
        return settled;
      },
    };
    const settlements = new Settlements({ ledger, clock, deadlines, log: () => {} });
    const withheld = (id: string): Outcome => ({
      ...FAILED,
      record: makeRecord(id, { ended: "lost" }),
      sealedReply: null,
    });
    const answers: (SettlementAnswer | null)[] = [];
    for (const id of ["taken", "refused"]) {
      const added = settlements.add(ticket(id), outcome(id), PATIENCE_MS, () => withheld(id));
      void added.then((settled) => void answers.push(settled));
    }
    await clock.move(PATIENCE_MS * 2);
    expect(answers).toEqual([]);
    writes[0]?.resolve(SETTLED);
    writes[1]?.reject(new Fault("store_unavailable", "down"));
    await clock.move(2000);
    expect(answers).toEqual([SETTLED, null]);
    writes[2]?.resolve(SETTLED);
    await clock.move(0);
    expect(written).toEqual(["taken done", "refused lost"]);
  });

  test("a settlement that no client waits for is written in its alternative form, if it has one", async () => {
    let down = true;
    const { settlements, written } = settling(() => (down ? new Fault("store_unavailable", "down") : null));
    const lost: Outcome = { ...outcome("paid"), ...FAILED, record: makeRecord("paid", { ended: "lost" }) };
    const added = settlements.add(ticket("paid"), outcome("paid"), PATIENCE_MS, () => lost);
    await clock.move(2000);
    expect(await added).toBeNull();
    down = false;
    await clock.move(2000);
    expect(written).toEqual(["paid lost"]);
  });
});

describe("a logged content", () => {
  test("that can't be sealed is lost by itself: its request is settled all the same, and a shutdown doesn't wait", async () => {
    const events: LogEvent[] = [];
    const seal = () => {
      throw new Error("no key");
    };
    const ports = { store: { addContent: async () => {} }, vault: { seal }, isWanted: () => true };
    const contents = new Contents(ports, (event) => void events.push(event));
    contents.keep(
      { call: { id: "chatcmpl-1", key: makeKey("key_1"), created: 0 }, text: () => "{}" },
      null,
      [],
    );
    expect(contents.waiting).toBe(1);
    await clock.move(1);
    expect(contents.waiting).toBe(0);
    const about = { id: "chatcmpl-1", cause: "Error: no key" };
    const [lost, bug, ...others] = events;
    expect([lost, others]).toEqual([{ event: "content_lost", level: "warn", ...about }, []]);
    expect([bug?.event, bug?.cause]).toEqual(["internal_error", expect.stringContaining("at seal")]);
  });
});
