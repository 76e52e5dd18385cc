// Idempotency-Keys across restarts, two gateways on one store, slow readers and shutdowns.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { AdmissionAnswer } from "../../../src/core/demand.ts";
import { Ending } from "../../../src/core/world/ending.ts";
import { bufferFlow } from "../../../src/gateway/answer/buffered.ts";
import { type AnswerFlow, Pause } from "../../../src/gateway/answer/flow.ts";
import { Admissions } from "../../../src/gateway/settle/admissions.ts";
import { makeAsk, makeKey, makePlace, RULES } from "../../harness/samples.ts";
import { openRequests, readAsked, readCompletion } from "../world/money-again.ts";
import { FLOOD_PIECES } from "../world/money-upstream.ts";
import { computePrice, type MoneyWorld, type Payer, startMoneyWorld } from "../world/money-world.ts";
import { formatLine } from "../world/observe.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

const USD = 1_000_000_000;
const COST = computePrice(1000, 500);
const NAME = "order-1";
const PATIENT_MS = 20_000;
const NO_READS = {
  accountId: "default",
  keyId: null,
  owners: [],
  days: [],
  requestId: null,
  replyId: null,
  movementId: null,
};

/** Returns the number once it has stopped changing. */
async function standing(look: () => number): Promise<number> {
  let before = look();
  let same = 0;
  return until(
    "it stands",
    () => {
      same = look() === before ? same + 1 : 0;
      before = look();
      return same >= 10 ? before : null;
    },
    PATIENT_MS,
  );
}

/** Sends the request over a separate socket. */
function asRaw(url: string, { secret }: Payer, body: object): Socket {
  const { hostname, port } = new URL(url);
  const text = JSON.stringify(body);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x.example\r\nAuthorization: Bearer ${secret}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n` +
      `Idempotency-Key: ${NAME}\r\nConnection: close\r\n\r\n${text}`,
  );
  return socket;
}

describe("several gateways on one store", () => {
  let world: MoneyWorld;
  beforeAll(async () => {
    world = await startMoneyWorld();
  });
  afterAll(() => world.stop());

  test("two duplicates share one upstream call", async () => {
    const other = await world.another();
    const payer = await world.payer(1);
    const one = readAsked(world.url, payer, NAME, asking("Gated#middle", "x", { stream: true }));
    await until("the upstream waits", () => world.gated.waiting === 1);
    const two = readAsked(other.url, payer, NAME, asking("Gated#middle", "x"));
    await openRequests(other.url, 1);
    world.gated.release();
    expect(readCompletion(await two)).toEqual(readCompletion(await one));
    expect([(await one).replayed, (await two).replayed]).toEqual([false, true]);
    expect(world.gated.bodies).toHaveLength(1);
    expect(world.books(payer)).toMatchObject({ kinds: ["topup", "hold", "post"], balance: USD - COST });
    await other.stop();
  });

  test("one started after another has stopped repeats its stored answers", async () => {
    const payer = await world.payer(1);
    const one = await readAsked(world.url, payer, NAME, asking("Gated#calm", "x"));
    await world.halt();
    const next = await world.another();
    const two = await readAsked(next.url, payer, NAME, asking("Gated#calm", "x", { stream: true }));
    expect([two.replayed, readCompletion(two)]).toEqual([true, readCompletion(one)]);
    await next.stop();
  });
});

describe("shutting down", () => {
  let world: MoneyWorld;
  beforeAll(async () => {
    world = await startMoneyWorld("", "drain: 300ms");
  });
  afterAll(() => world.stop());

  test(
    "waiting duplicates are informed, and calls that no client waits for are ended and recorded",
    async () => {
      const payer = await world.payer(1);
      const left = await world.payer(1);
      const streaming = await world.payer(1);
      const gone = new AbortController();
      const { signal } = gone;
      const forNobody = readAsked(world.url, left, NAME, asking("Gated#middle", "x", { stream: true }), {
        signal,
      });
      await until("the upstream waits", () => world.gated.waiting === 1);
      gone.abort();
      await forNobody.catch(() => {});
      const twins = [1, 2, 3].map(() => readAsked(world.url, payer, NAME, asking("Gated#mute", "x")));
      const stream = readAsked(world.url, streaming, NAME, asking("Gated#middle", "x", { stream: true }));
      await until("all upstreams wait", () => world.gated.waiting === 3);
      await openRequests(world.url, 5);
      await world.halt();
      for (const twin of twins)
        expect(formatLine(await twin)).toBe("503 api_error shutting_down, retry after 1");
      expect(formatLine(await stream)).toBe("200 then api_error shutting_down");
      await until("no upstream call is left", () => world.gated.open === 0);
      const begun = { kinds: ["topup", "hold", "post"], holds: 0, requests: [{ ended: "broken_off" }] };
      expect(world.books(streaming)).toMatchObject(begun);
      expect(world.books(left)).toMatchObject(begun);
      expect(world.books(payer)).toMatchObject({ kinds: ["topup", "hold", "void"], holds: 0, balance: USD });
    },
    PATIENT_MS,
  );

  test(
    "calls without clients may finish during the drain, then they are ended",
    async () => {
      // Enough time for the first answer on a busy machine. The second would never end.
      const own = await startMoneyWorld("", "drain: 2s");
      const finished = await own.payer(1);
      const ended = await own.payer(1);
      for (const [at, model] of ["Acme#sim~pace=50~tokens=1000:500", "Gated#middle"].entries()) {
        const payer = at === 0 ? finished : ended;
        const gone = new AbortController();
        const { signal } = gone;
        const left = readAsked(own.url, payer, NAME, asking(model, "say: a b c", { stream: true }), {
          signal,
        });
        await until("it is called", () => own.provider.calls.open + own.gated.waiting === at + 1);
        gone.abort();
        await left.catch(() => {});
      }
      await own.halt();
      expect(own.books(finished)).toMatchObject({ holds: 0, requests: [{ ended: "done" }] });
      expect(own.books(ended)).toMatchObject({ holds: 0, requests: [{ ended: "broken_off" }] });
      await until("no upstream call is left", () => own.gated.open === 0);
      await own.stop();
    },
    PATIENT_MS,
  );
});

describe("a slow client", () => {
  let world: MoneyWorld;
  beforeAll(async () => {
    world = await startMoneyWorld();
  });
  afterAll(() => world.stop());

  test(
    "slows down the upstream and gets everything in the end",
    async () => {
      const payer = await world.payer(1);
      const socket = asRaw(world.url, payer, asking("Gated#flood", "x", { stream: true }));
      await new Promise((resolve) => socket.once("data", resolve));
      socket.pause();
      const stopped = await standing(() => world.gated.flooded);
      expect(stopped).toBeLessThan(FLOOD_PIECES / 2);
      let tail = "";
      socket.on("data", (data) => {
        tail = (tail + data.toString("latin1")).slice(-100);
      });
      socket.resume();
      await new Promise((resolve) => socket.once("close", resolve));
      expect([tail.includes("data: [DONE]"), world.gated.flooded]).toEqual([true, FLOOD_PIECES]);
    },
    PATIENT_MS,
  );
});

describe("waiting for a duplicate's answer", () => {
  const granted = {
    kind: "granted",
    place: makePlace("unlimited"),
    limits: null,
    holdNanoUsd: 0,
    outputTokens: null,
  } as const;
  /** This clock's timers never fire, so polling can't wake a request. */
  const clock = { after: () => () => {}, monotonicMs: () => 0 };
  const ending = new Ending();

  test("ends as soon as it is settled", async () => {
    const answers: AdmissionAnswer[] = [{ kind: "pending", id: "two" }, granted];
    const admissions = new Admissions({
      ledger: { admit: async () => answers.shift() ?? granted, look: async () => null },
      clock,
    });
    const ticket = {
      ask: makeAsk("three", makeKey("key_a")),
      reads: NO_READS,
      rules: RULES,
      noted: null,
      isTried: false,
    };
    const admitted = admissions.wait("one", () => ticket, [ending, ending], Number.POSITIVE_INFINITY);
    for (const [left, id] of [
      [1, "one"],
      [0, "two"],
    ] as const) {
      await until(`it is woken by ${id}`, () => {
        admissions.wakeTwins(id);
        return answers.length === left;
      });
    }
    expect(await admitted).toEqual(granted);
  });
});

describe("an answer that is finished without its client", () => {
  const unexpected = (thrown: unknown) => {
    throw thrown;
  };

  /** Yields the parts, then fails if a failure is given. */
  function make(parts: readonly string[], seen: string[], failure?: Error): AnswerFlow<string> {
    return {
      begin: () => Promise.resolve(parts[0]),
      async pour(take) {
        for (const part of parts) {
          seen.push(part);
          await take(part);
        }
        if (failure) throw failure;
      },
      leave() {},
    };
  }

  for (const [what, parts, most] of [
    ["small parts", Array.from({ length: 1000 }, (_, at) => `${at}`), 260],
    ["large parts", Array.from({ length: 100 }, (_, at) => `${at}`.repeat(100_000)), 14],
  ] as const) {
    test(`${what}: the buffer is bounded, every part arrives, and none is kept once the client leaves`, async () => {
      const [seen, unread]: [string[], string[]] = [[], []];
      const reader = bufferFlow(make(parts, seen), unexpected);
      const got: string[] = [];
      const pause = new Pause();
      const reading = reader.pour((part) => {
        got.push(part);
        return got.length === 1 ? pause.wait() : null;
      });
      await standing(() => seen.length);
      expect(seen.length).toBeLessThan(most);
      pause.end();
      await reading;
      expect(got).toEqual([...parts]);
      const leaver = bufferFlow(make(parts, unread), unexpected);
      await leaver.begin();
      leaver.leave();
      await until("all are made", () => unread.length === parts.length);
    });
  }

  test("its failure is reported once if the client has left before", async () => {
    for (const isEarly of [true, false]) {
      const unread: string[] = [];
      const reader = bufferFlow(make(["a", "b"], [], new Error("broken")), (thrown) => {
        unread.push(String(thrown));
      });
      if (!isEarly) await reader.begin();
      reader.leave();
      reader.leave();
      await until("it is reported", () => unread.length > 0);
      expect(unread).toEqual(["Error: broken"]);
    }
  });

  test("its failure arrives after the parts before it", async () => {
    const got: string[] = [];
    const reader = bufferFlow(make(["a", "b"], [], new Error("broken")), unexpected);
    const reading = () =>
      reader.pour((part) => {
        got.push(part);
        return null;
      });
    await expect(reading()).rejects.toThrow("broken");
    expect(got).toEqual(["a", "b"]);
  });
});
