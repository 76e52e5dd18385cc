// One hook that fails: which texts it is asked about, for how long, and which state is reported.
import { describe, expect, test } from "bun:test";
import { Breaker } from "../../../src/health/breaker/breaker.ts";
import { Judge } from "../../../src/steps/hooks/judge.ts";
import { PassedTexts } from "../../../src/steps/hooks/passed.ts";
import type { HookOutcome } from "../../../src/steps/hooks/server.ts";
import { UnderWay } from "../../../src/steps/hooks/under-way.ts";
import { listHookStates } from "../../../src/webhooks/hook-states.ts";
import { ManualClock } from "../../harness/manual-clock.ts";
import { readSettings } from "../../harness/settings.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";

const ANN = { id: "key_ann", name: "ann", accountId: "acct_ann", memberId: null };
const BEN = { id: "key_ben", name: "ben", accountId: "acct_ben", memberId: null };
const CAT = { id: "key_cat", name: "cat", accountId: "acct_cat", memberId: null };
type Sender = typeof ANN;

function makeWorld(onFailure: "pass" | "refuse", timeout = "2s") {
  const yaml = [
    "providers: { OpenAI: { keys: [sk-1] } }",
    `hooks: [{ name: own, url: "http://guard", timeout: ${timeout}, on_failure: ${onFailure} }]`,
  ];
  const [rule] = readSettings(yaml.join("\n")).hooks;
  if (rule === undefined) throw new Error("There is no hook.");
  const clock = new ManualClock();
  const asked: string[] = [];
  const answers = { next: "hangs" as HookOutcome | "hangs", afterMs: 0 };
  const ports = { clock, log: () => {}, passed: new PassedTexts(), underWay: new UnderWay() };
  const judge = new Judge(rule, new Breaker(), {
    ...ports,
    ask(_rule, { key }) {
      asked.push(key.name);
      const { next, afterMs } = answers;
      if (next === "hangs") return new Promise<HookOutcome>(() => {});
      if (afterMs === 0) return Promise.resolve(next);
      return new Promise((resolve) => clock.after(afterMs, () => resolve(next)));
    },
  });
  let texts = 0;
  const ask = (key: Sender) => {
    const part = { texts: [`text ${texts++}`], toolCalls: [], messages: null };
    const question = { at: "request" as const, callId: "", ...part, model: "A#a", key };
    return judge.judge(question, {
      trace: () => {},
      requestId: "",
      timeoutMs: rule.timeoutMs,
      isWhole: true,
    });
  };
  /** Asks, and returns how long the hook was waited for. */
  const wait = async (key: Sender): Promise<number> => {
    const startMs = clock.nowMs();
    let tookMs = -1;
    const end = () => {
      tookMs = clock.nowMs() - startMs;
    };
    void ask(key).then(end, end);
    for (let moved = 0; tookMs < 0 && moved < 3000; moved += 50) await clock.move(50);
    return tookMs;
  };
  return { judge, clock, asked, answers, ask, wait };
}

describe("on_failure: pass", () => {
  test("a judge that hangs is asked every time, for a quarter of its time limit once it has judged nobody for a minute", async () => {
    const { wait, asked, clock } = makeWorld("pass");
    for (let at = 0; at < 5; at++) await Promise.all([wait(ANN), wait(BEN)]);
    await clock.move(1000);
    const waits = await Promise.all([1, 2, 3].map(() => wait(ANN)));
    expect(asked).toHaveLength(13);
    // The question that tests whether the judge is back has all of the time.
    expect(waits.toSorted((a, b) => a - b)).toEqual([500, 500, 2000]);
    await clock.move(60_000);
    expect(await wait(CAT)).toBe(2000);
  });

  test("as long as it judges anybody, a sender whose texts make it hang waits for all of its time", async () => {
    const { wait, answers, clock } = makeWorld("pass");
    for (let round = 0; round < 4; round++) {
      answers.next = "hangs";
      for (const waitMs of [await wait(ANN), await wait(BEN)]) expect(waitMs).toBe(2000);
      answers.next = { kind: "judged", texts: [], calls: new Map() };
      expect(await wait(CAT)).toBeLessThanOrEqual(50);
      await clock.move(10_000);
    }
  });

  test("nobody is hurried below twice the slowest of its last good answers", async () => {
    const { wait, answers, clock } = makeWorld("pass");
    Object.assign(answers, { next: { kind: "judged", texts: [], calls: new Map() }, afterMs: 600 });
    expect(await wait(CAT)).toBe(600);
    Object.assign(answers, { next: { kind: "failed", reason: "no connection", isUnsent: true }, afterMs: 0 });
    for (let at = 0; at < 6; at++) await wait(ANN);
    await clock.move(61_000);
    for (let at = 0; at < 6; at++) await wait(ANN);
    answers.next = "hangs";
    expect(await wait(ANN)).toBe(1200);
  });

  test("one payer's failing texts take no time from the texts of others, and none from its own", async () => {
    const { wait, answers, ask, asked } = makeWorld("pass");
    answers.next = { kind: "failed", reason: "status 500" };
    for (let at = 0; at < 20; at++) await ask(ANN);
    answers.next = "hangs";
    expect([await wait(BEN), await wait(ANN)]).toEqual([2000, 2000]);
    expect(asked).toHaveLength(22);
  });

  test("a connection that is refused opens the breaker for everybody, and each text is still tried", async () => {
    const { answers, ask, asked, wait } = makeWorld("pass");
    answers.next = { kind: "failed", reason: "no connection", isUnsent: true };
    for (let at = 0; at < 6; at++) await ask(ANN);
    expect(asked).toHaveLength(6);
    answers.next = "hangs";
    expect([await wait(ANN), await wait(BEN), await wait(BEN)]).toEqual([500, 2000, 500]);
  });

  test("a text that finds no room at the hook doesn't pass, and is no evidence against the hook", async () => {
    const { answers, ask, asked, judge, clock, wait } = makeWorld("pass");
    answers.next = { kind: "failed", reason: "status 429", lacksRoom: true };
    for (let at = 0; at < 6; at++) {
      for (const key of [ANN, BEN]) expect(readCode(await catchThrown(ask(key)))).toBe("hook_unavailable");
    }
    expect(asked).toHaveLength(12);
    expect(judge.readState(clock.nowMs())).toBeNull();
    answers.next = "hangs";
    expect(await wait(CAT)).toBe(2000);
  });

  test("a test of a failing hook that finds no room leaves the test to the next text", async () => {
    const { answers, ask, clock, wait } = makeWorld("pass");
    answers.next = { kind: "failed", reason: "status 500" };
    for (let at = 0; at < 5; at++) for (const key of [ANN, BEN]) await ask(key);
    await clock.move(60_000);
    answers.next = { kind: "failed", reason: "status 429", lacksRoom: true };
    expect(readCode(await catchThrown(ask(CAT)))).toBe("hook_unavailable");
    answers.next = "hangs";
    expect(await wait(CAT)).toBe(2000);
  });

  test("a time limit of a quarter is never below 100 ms", async () => {
    const { answers, ask, wait } = makeWorld("pass", "200ms");
    answers.next = { kind: "failed", reason: "no connection", isUnsent: true };
    for (let at = 0; at < 6; at++) await ask(ANN);
    answers.next = "hangs";
    expect(await wait(ANN)).toBe(100);
  });
});

test("on_failure: refuse: a breaker that one payer opens refuses its requests alone", async () => {
  const { answers, ask, asked } = makeWorld("refuse");
  answers.next = { kind: "failed", reason: "status 500" };
  for (let at = 0; at < 6; at++) expect(readCode(await catchThrown(ask(ANN)))).toBe("hook_unavailable");
  expect(asked).toHaveLength(5);
  answers.next = { kind: "blocked", reason: "forbidden" };
  expect(readCode(await catchThrown(ask(BEN)))).toBe("content_blocked");
});

test("a hook is down while its breaker is open for all, and nothing is said before it was asked", async () => {
  const { answers, ask, judge, clock } = makeWorld("pass");
  const look = () => [judge.readState(clock.nowMs()) ?? []].flat().flatMap(listHookStates);
  expect(look()).toEqual([]);
  answers.next = { kind: "blocked", reason: "no" };
  await catchThrown(ask(BEN));
  answers.next = { kind: "failed", reason: "status 500" };
  for (let at = 0; at < 9; at++) await ask(ANN);
  expect(look()).toMatchObject([{ subject: "hook own", state: "up", type: null }]);
  for (let at = 0; at < 9; at++) await ask(BEN);
  const [state] = look();
  expect(state).toMatchObject({ subject: "hook own", state: "down", type: "hook.down", isNews: true });
  expect(state?.describe("up")).toEqual({ hook: "own", name: "own", reason: "status 500" });
});
