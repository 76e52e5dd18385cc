// Breakers by payers: what one payer can make fail opens nothing for another, and real outages open for all.
import { describe, expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import { namePayer, readAccount, Voices } from "../../src/core/keys/payer.ts";
import { Breaker } from "../../src/health/breaker/breaker.ts";
import { RequestRefusals } from "../../src/health/credential.ts";
import { LearnedRefusals } from "../../src/health/refusals.ts";
import { makeModelCard } from "../harness/cards.ts";
import { HOUSE, makeCard, Planning } from "../selectors/planning.ts";
import { Dice } from "../sim/dice.ts";

const CALLER = "caller";
const HOUR_MS = 3_600_000;

/** Lets the payer call, if the breaker does. Returns false if it doesn't. */
function call(breaker: Breaker, nowMs: number, payer: string, works: boolean): boolean {
  const passage = breaker.pass(nowMs, payer);
  if (passage === null) return false;
  if (works) breaker.recordSuccess(nowMs, payer, passage);
  else breaker.recordFailure(nowMs, payer, passage, CALLER);
  return true;
}

describe("a breaker with several payers", () => {
  test("opens for the one whose calls fail, and for nobody else", () => {
    const breaker = new Breaker();
    call(breaker, 0, "ben", true);
    for (let at = 0; at < 50; at++) call(breaker, at, "ann", false);
    expect([breaker.pass(50, "ann"), breaker.pass(50, "ben"), breaker.pass(50, "new")]).toEqual([
      null,
      "free",
      "free",
    ]);
    expect([breaker.readState(50), breaker.listOpenPayers()]).toEqual(["closed", ["ann"]]);
  });

  test("stays closed for all at a second payer's stray failures, however many the first has", () => {
    const breaker = new Breaker();
    for (let second = 0; second < 600; second++) {
      for (let at = 0; at < 20; at++) call(breaker, second * 1000 + at * 50, "ann", false);
      expect(call(breaker, second * 1000 + 990, "ben", second % 4 !== 0)).toBeTrue();
    }
  });

  test("isn't opened by five failures of one for another who has failed more often before", () => {
    const breaker = new Breaker();
    for (let at = 0; at < 40; at++) call(breaker, at * 60_000, "ben", at % 4 !== 0);
    for (let at = 0; at < 5; at++) call(breaker, 2_400_000 + at, "ann", false);
    expect([breaker.pass(2_400_010, "ben"), breaker.pass(2_400_010, "cat")]).toEqual(["free", "free"]);
  });

  test("opens for all after at most five failures beyond those of the first", () => {
    for (let payers = 2; payers <= 6; payers++) {
      const breaker = new Breaker();
      const failed = new Map<string, number>();
      for (let at = 0; at < 60 && breaker.readState(at) === "closed"; at++) {
        const payer = `payer ${at % payers}`;
        if (call(breaker, at, payer, false)) failed.set(payer, (failed.get(payer) ?? 0) + 1);
      }
      const counts = [...failed.values()];
      expect(breaker.isOpenForAll(60)).toBeTrue();
      expect(counts.reduce((sum, count) => sum + count, 0) - Math.max(...counts)).toBeLessThanOrEqual(5);
    }
  });

  test("counts what no request can have caused for everybody, whoever met it", () => {
    const breaker = new Breaker();
    for (let at = 0; at < 5; at++) breaker.recordFailure(0, at % 2 ? "ann" : "ben", "free", "shared");
    expect([breaker.readState(0), breaker.pass(0, "ann"), breaker.pass(0, "new")]).toEqual([
      "open",
      null,
      "all",
    ]);
  });

  test("counts shared failures in a payer's own reading, too", () => {
    const breaker = new Breaker();
    for (const payer of ["ann", "ben"]) call(breaker, 0, payer, true);
    for (let at = 0; at < 4; at++) breaker.recordFailure(1, "ben", "free", "shared");
    call(breaker, 2, "ann", false);
    expect([breaker.pass(3, "ann"), breaker.pass(3, "new")]).toEqual([null, "free"]);
  });

  test("lets a payer test its own circuit without waiting for another's test", () => {
    const breaker = new Breaker();
    for (const payer of ["ann", "ben"]) for (let at = 0; at < 4; at++) call(breaker, 0, payer, false);
    // Between the last ones, both have succeeded, so that nothing opens for all.
    for (const payer of ["ann", "ben", "cat", "cat", "cat"]) call(breaker, 1, payer, true);
    for (let at = 0; at < 5; at++) call(breaker, 100_000, "ann", false);
    for (const payer of ["cat", "ben"]) call(breaker, 100_001, payer, true);
    for (let at = 0; at < 5; at++) call(breaker, 200_000 + at, "ben", false);
    expect(breaker.listOpenPayers()).toEqual(["ann", "ben"]);
    expect([breaker.pass(300_000, "ann"), breaker.pass(300_000, "ann")]).toEqual(["own", null]);
    expect([breaker.pass(300_000, "ben"), breaker.pass(300_000, "cat")]).toEqual(["own", "free"]);
  });

  test("leaves out the service keys of an account together, and each by itself otherwise", () => {
    const [first, second] = ["acme service:1", "acme service:2"];
    const breaker = new Breaker();
    for (let at = 0; at < 20; at++) for (const payer of [first, second]) call(breaker, at, payer, false);
    expect([breaker.isOpenForAll(20), breaker.pass(20, "acme service:3")]).toEqual([false, "free"]);
    const members = new Breaker();
    for (let at = 0; at < 5; at++)
      for (const payer of ["acme ann", "acme ben"]) call(members, at, payer, false);
    expect(members.isOpenForAll(20)).toBeTrue();
  });

  test("is reported as open once all service keys that call have failed, although some of them are quiet", () => {
    const breaker = new Breaker();
    call(breaker, 0, "acme service:quiet", true);
    for (let at = 0; at < 5; at++) call(breaker, 120_000 + at, "acme service:busy", false);
    expect(breaker.readState(120_010)).toBe("open");
    call(breaker, 120_020, "acme service:quiet", true);
    expect(breaker.readState(120_030)).toBe("closed");
  });

  test("forgets nobody of the hour, whose own circuit stays as it is", () => {
    const breaker = new Breaker();
    for (let at = 0; at < 5; at++) call(breaker, 0, "ann", false);
    for (let at = 0; at < 300; at++) call(breaker, 1 + at, `payer ${at}`, true);
    expect([breaker.listOpenPayers(), breaker.pass(310, "ann")]).toEqual([["ann"], null]);
  });

  test("forgets those who called long ago, and keeps a bounded number", () => {
    const breaker = new Breaker();
    for (let at = 0; at < 5; at++) call(breaker, 0, "ann", false);
    for (let at = 0; at < 20_000; at++) call(breaker, HOUR_MS + at, `payer ${at}`, true);
    expect(breaker.listOpenPayers()).toEqual([]);
  });

  test("gives a payer the same answers with and without another whose calls all fail", () => {
    for (let seed = 1; seed <= 40; seed++) {
      const share = [0, 0.01, 0.05, 0.6][seed % 4] ?? 0;
      const run = (isBeside: boolean) => {
        const dice = new Dice(seed);
        const other = new Dice(seed + 1000);
        const breaker = new Breaker();
        const answers: boolean[] = [];
        for (let at = 0; at < 2000; at++) {
          const nowMs = at * 100 + dice.int(0, 49);
          const works = !dice.chance(share);
          for (let more = 0; isBeside && more < 3; more++) call(breaker, nowMs, "ann", other.chance(0.3));
          answers.push(call(breaker, nowMs, "ben", works));
        }
        return answers;
      };
      // A payer that fails by itself in more than half of its calls confirms the other's failures.
      if (share < 0.5) expect(run(true)).toEqual(run(false));
      else expect(run(true)).toContain(false);
    }
  });
});

test("who else has called within the hour is known of every payer, as if all calls were remembered", () => {
  const payers = ["acme", "acme ann", "acme ben", "beta", "beta cat", "other"];
  for (let seed = 1; seed <= 30; seed++) {
    const dice = new Dice(seed);
    const voices = new Voices();
    const calls: { readonly payer: string; readonly atMs: number }[] = [];
    for (let nowMs = 0; calls.length < 200; nowMs += dice.int(1, HOUR_MS)) {
      const payer = dice.pick(payers);
      calls.push({ payer, atMs: nowMs });
      voices.recordCall(nowMs, payer);
      const recent = calls.filter(({ atMs }) => nowMs - atMs < HOUR_MS);
      for (const own of payers) {
        const account = readAccount(own);
        const isBeside = recent.some((call) => readAccount(call.payer) !== account);
        expect(voices.isAlone(nowMs, own)).toBe(recent.every((call) => call.payer === own));
        expect(voices.nameVoice(nowMs, own)).toBe(isBeside ? account : own);
      }
    }
  }
});

describe("a model that fails for one payer", () => {
  const ANN = { id: "key", accountId: "acc_ann", memberId: null };
  const BEN = { id: "key", accountId: "acc_ben", memberId: null };

  function fail(router: Planning, key: typeof ANN, nowMs: number, credential: string, fault: Fault): void {
    const attempt = router.attemptOf(HOUSE, credential);
    router.health.begin(attempt, nowMs, new RequestRefusals(key))?.fail(nowMs, fault);
  }

  test("is planned and called for others, with one log line a minute", () => {
    const router = new Planning();
    router.begun(router.attemptOf(HOUSE, "a"), 0, new RequestRefusals(BEN)).finish(1, 1);
    router.begun(router.attemptOf(HOUSE, "b"), 0, new RequestRefusals(BEN)).finish(1, 1);
    const failed = new Fault("upstream_error", "no", { upstreamStatus: 500 });
    for (let at = 0; at < 40; at++) for (const name of ["a", "b"]) fail(router, ANN, at, name, failed);
    for (const name of ["a", "b"]) {
      const attempt = router.attemptOf(HOUSE, name);
      expect(router.health.begin(attempt, 50, new RequestRefusals(ANN))).toBeNull();
      expect(router.health.begin(attempt, 50, new RequestRefusals(BEN))).not.toBeNull();
      expect(router.health.isReady(attempt, 50, namePayer(ANN))).toBeFalse();
      expect(router.health.isReady(attempt, 50, namePayer(BEN))).toBeTrue();
    }
    expect(router.health.card(HOUSE.id)?.outlook(50, namePayer(BEN))).toMatchObject({
      errorRate: 0,
      isOpen: false,
    });
    expect(router.health.card(HOUSE.id)?.outlook(50, namePayer(ANN))).toMatchObject({ isOpen: true });
    expect(router.events).toMatchObject([
      { event: "breaker.payer", account: "acc_ann", model: HOUSE.id, fault: "upstream_error" },
    ]);
  });

  test("keeps its share of an alias for others", () => {
    const draws = (isBeside: boolean) => {
      const router = new Planning();
      const other = makeCard("Other#small");
      const group = [HOUSE, other].map((card) => ({ card, weight: 1 }));
      router.begun(router.attemptOf(HOUSE, "a"), 0, new RequestRefusals(BEN)).finish(1, 1);
      const failed = new Fault("upstream_timeout", "no");
      if (isBeside)
        for (let at = 0; at < 30; at++) fail(router, ANN, 2 + at * 40, "ab"[at % 2] ?? "", failed);
      const firsts = Array.from({ length: 200 }, (_, at) => {
        const plan = router.plan(2000, { group, keyId: `key ${at}`, payer: namePayer(BEN) });
        return plan[0]?.card.id;
      });
      return firsts.filter((id) => id === HOUSE.id).length;
    };
    expect(draws(true)).toBe(draws(false));
  });
});

/** All requests have the same. */
const REQUEST = { shape: new Set(["messages"]) };

describe("what a server was found to refuse", () => {
  const card = makeModelCard("House#small", {});
  const lists = (known: LearnedRefusals, payer: string, nowMs = 20) =>
    known.list(card, nowMs, { payer }, REQUEST)?.size ?? 0;

  test("counts for the payers that met it, and for all once two accounts did and a mended call was answered", () => {
    const known = new LearnedRefusals();
    known.learn(card, ["temperature"], 10, "ann", REQUEST.shape);
    known.confirm(card, ["temperature"], 10);
    expect([lists(known, "ann"), lists(known, "ben")]).toEqual([1, 0]);
    known.learn(card, ["temperature"], 11, "ben bill", REQUEST.shape);
    known.confirm(card, ["temperature"], 11);
    expect([lists(known, "ben bill"), lists(known, "ben"), lists(known, "cat")]).toEqual([1, 1, 1]);
    const endsMs = 11 + 720 * HOUR_MS;
    expect([endsMs - 1, endsMs].map((nowMs) => lists(known, "cat", nowMs))).toEqual([1, 0]);
  });

  test("counts for nobody else as long as no call without it was answered", () => {
    const known = new LearnedRefusals();
    for (const payer of ["ann", "ben"]) known.learn(card, ["temperature", "top_p"], 10, payer, REQUEST.shape);
    known.confirm(card, ["top_p"], 11);
    expect([lists(known, "ann"), lists(known, "ben")]).toEqual([2, 2]);
    expect([...(known.list(card, 20, { payer: "cat" }, REQUEST) ?? [])]).toEqual(["top_p"]);
  });

  test("is bounded, by model and in all, and has no room for names that clients make up", () => {
    const known = new LearnedRefusals();
    for (let at = 0; at < 2100; at++)
      known.learn(makeModelCard(`House#${at % 100}`), [`tools>${at + 1}`], at, "ann", REQUEST.shape);
    expect(known.report().length).toBe(2000);
    for (let at = 0; at < 40; at++) known.learn(card, [`tools>${at + 1}`], 4000 + at, "ann", REQUEST.shape);
    expect(known.report(card.id).map(({ word }) => word)).toContain("tools>9");
    expect([known.report(card.id).length, known.report().length, known.listUnwritten().length]).toEqual([
      32, 2000, 2000,
    ]);
    for (let at = 0; at < 3000; at++)
      known.learn(
        makeModelCard(`Made#${at}`, { isNamedByClient: true }),
        ["top_p"],
        5000,
        "ann",
        REQUEST.shape,
      );
    expect(known.report().length).toBe(2000);
  });

  test("counts within an account once two of its members met it", () => {
    const known = new LearnedRefusals();
    for (const member of ["ann", "ben"])
      known.learn(card, ["temperature"], 10, `acme ${member}`, REQUEST.shape);
    known.confirm(card, ["temperature"], 10);
    expect([lists(known, "acme cat"), lists(known, "acme"), lists(known, "other")]).toEqual([1, 1, 0]);
  });
});
