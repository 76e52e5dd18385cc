// Limits of a minute: in any 60 seconds never more than the limit, nothing taken by what is refused, all given back.
import { describe, expect, test } from "bun:test";
import type { Fault } from "../../../src/core/faults/fault.ts";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import type { TokenLoad } from "../../../src/core/limits/limit.ts";
import { NO_MEMBER_LIMITS } from "../../../src/core/limits/member-limits.ts";
import { NO_AMOUNTS } from "../../../src/core/money/units.ts";
import type { Ticket } from "../../../src/ledger/ledger.ts";
import { costing, expectGrant, MINUTE, makeAsk, makeOutcome, NOON } from "../../harness/samples.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { budgetBench } from "../budget-bench.ts";

const SECOND = 1000;
const bench = budgetBench();
const { clock } = bench;

const addKey = (fields: Partial<GatewayKey>) => bench.addKey([], fields);
const ask = (key: GatewayKey, load?: TokenLoad) => bench.ask(key, [costing(1000)], load);

async function admit(key: GatewayKey, load?: TokenLoad): Promise<Ticket> {
  const ticket = ask(key, load);
  await expectGrant(bench.ledger, ticket);
  return ticket;
}

async function refusal(key: GatewayKey, load?: TokenLoad): Promise<Fault["details"] & { code: string }> {
  const thrown = await catchThrown(bench.ledger.admit(ask(key, load)));
  return { code: readCode(thrown) ?? String(thrown), ...(thrown as Fault).details };
}

const answered = (ticket: Ticket, prompt: number, cached: number, completion: number) =>
  bench.ledger.settle(
    ticket,
    makeOutcome(ticket, { amounts: { ...NO_AMOUNTS, prompt, cached, completion } }),
  );

describe("requests per minute", () => {
  test("let in the whole limit at once, and in no 60 seconds more", async () => {
    const key = await addKey({ requestsPerMinute: 20 });
    const letIn: number[] = [];
    for (let second = 0; second < 300; second++) {
      clock.atMs = NOON + 4900 + second * SECOND;
      for (let tries = 0; tries < 3; tries++) {
        const thrown = await catchThrown(admit(key));
        if (thrown === undefined) letIn.push(clock.atMs);
      }
    }
    const busiest = Math.max(
      ...letIn.map((from) => letIn.filter((at) => at >= from && at < from + MINUTE).length),
    );
    expect(busiest).toBe(20);
    // The minute is counted in parts of 5 s, so it may take 65 s until a place is free again.
    expect(letIn.length).toBeGreaterThanOrEqual(Math.floor((300 / 65) * 20));
  });

  test("say when the next one passes, and it does", async () => {
    const key = await addKey({ requestsPerMinute: 1 });
    await admit(key);
    clock.atMs += 12 * SECOND;
    const { code, retryAfterMs = 0, limit } = await refusal(key);
    expect([code, limit?.scope, limit?.kind, limit?.limit, limit?.used]).toEqual([
      "requests_per_minute_exceeded",
      "key",
      "requests_per_minute",
      1,
      1,
    ]);
    clock.atMs += retryAfterMs - 1;
    await refusal(key);
    clock.atMs += 1;
    await admit(key);
  });

  test("count the requests of all keys of an account, and stay in their minute if the provider failed", async () => {
    await unrecorded(bench.store).changeAccount("default", { requestsPerMinute: 2 });
    const one = await addKey({});
    const other = await addKey({});
    const failed = await admit(one);
    await bench.ledger.settle(failed, makeOutcome(failed, {}, false));
    await admit(other);
    const { code, limit } = await refusal(one);
    expect([code, limit?.scope, limit?.name]).toEqual(["requests_per_minute_exceeded", "account", "default"]);
  });

  test("of 0 let nothing pass", async () => {
    const key = await addKey({ requestsPerMinute: 0 });
    expect(await refusal(key)).toMatchObject({ code: "requests_per_minute_exceeded", retryAfterMs: MINUTE });
  });

  test("both secrets of a rotated key count together", async () => {
    const key = await addKey({ requestsPerMinute: 2 });
    const until = { last4: "wxyz", oldSecretUntilMs: NOON + 24 * 60 * MINUTE };
    const rotated = await unrecorded(bench.store).rotateKey(key.id, { digest: "another", ...until });
    if (!rotated) throw new Error("The key is gone.");
    for (const rotation of [0, 1]) {
      const proof = { rotation, address: "127.0.0.1" };
      await expectGrant(
        bench.ledger,
        bench.ledger.ticket(makeAsk(`rotated ${rotation}`, rotated, { proof })),
      );
    }
    expect((await refusal(rotated)).code).toBe("requests_per_minute_exceeded");
  });

  test("are not blocked by a clock that was ahead, nor do they forget what it counted", async () => {
    const key = await addKey({ requestsPerMinute: 2 });
    clock.atMs = NOON + 60 * MINUTE;
    await admit(key);
    clock.atMs = NOON;
    await admit(key);
    expect((await refusal(key)).code).toBe("requests_per_minute_exceeded");
    clock.atMs += 65 * SECOND;
    await admit(key);
  });
});

describe("parallel requests", () => {
  test("come back in the settlement, however the request ended", async () => {
    const key = await addKey({ parallel: 2 });
    const one = await admit(key);
    const other = await admit(key);
    const { code, retryAfterMs, limit } = await refusal(key);
    expect([code, retryAfterMs, limit?.kind]).toEqual(["too_many_parallel_requests", 5000, "parallel"]);
    await answered(one, 1, 0, 1);
    const third = await admit(key);
    await refusal(key);
    await bench.ledger.settle(other, makeOutcome(other, {}, false));
    await bench.ledger.settle(third, makeOutcome(third, { ended: "client_gone", status: 499 }));
    await admit(key);
    await admit(key);
    await refusal(key);
  });

  test("of an account are three quarters of a payer's at most, while another has asked within the minute", async () => {
    await unrecorded(bench.store).changeAccount("default", { parallel: 4 });
    const [one, other] = [await addKey({}), await addKey({})];
    const alone = await Promise.all(Array.from({ length: 4 }, () => admit(one)));
    expect((await refusal(other)).limit).toMatchObject({ scope: "account", limit: 4, used: 4 });
    for (const ticket of alone.slice(2)) await answered(ticket, 1, 0, 1);
    const [kept = await admit(one)] = [await admit(one)];
    expect(await refusal(one)).toMatchObject({
      code: "too_many_parallel_requests",
      limit: { scope: "account", limit: 3, used: 3 },
    });
    await answered(await admit(other), 1, 0, 1);
    clock.atMs += 66 * SECOND;
    await admit(one);
    await answered(kept, 1, 0, 1);
    await admit(one);
    await refusal(one);
  });

  test("are given back once by a repeated settlement", async () => {
    const key = await addKey({ parallel: 2 });
    const [one] = [await admit(key), await admit(key)];
    await Promise.all([answered(one, 1, 0, 1), answered(one, 1, 0, 1)]);
    await admit(key);
    await refusal(key);
  });

  test("are counted once for an admission that is repeated", async () => {
    const key = await addKey({ parallel: 1, requestsPerMinute: 1 });
    const ticket = ask(key);
    await expectGrant(bench.ledger, ticket);
    const again = { ...ticket, ask: { ...ticket.ask, isNew: false } };
    await expectGrant(bench.ledger, again);
    expect((await refusal(key)).code).toBe("too_many_parallel_requests");
    await answered(ticket, 1, 0, 1);
    expect((await bench.store.audit()).limits).toEqual([]);
  });

  test("say how long the last answers took", async () => {
    const key = await addKey({ parallel: 1 });
    const slow = await admit(key);
    await bench.ledger.settle(slow, makeOutcome(slow, { totalMs: 17_000 }));
    await admit(key);
    expect((await refusal(key)).retryAfterMs).toBe(17_000);
  });
});

describe("tokens per minute", () => {
  test("are reserved, and become what was used without what was cached", async () => {
    const key = await addKey({ tokensPerMinute: 1000 });
    const load = { prompt: 500, output: 100 };
    const one = await admit(key, load);
    expect((await refusal(key, load)).code).toBe("tokens_per_minute_exceeded");
    await answered(one, 5000, 4700, 50);
    await admit(key, load);
    const { limit } = await refusal(key, load);
    expect([limit?.used, limit?.limit]).toEqual([950, 1000]);
  });

  test("beyond the reservation count when the request ends", async () => {
    const key = await addKey({ tokensPerMinute: 1000 });
    const one = await admit(key, { prompt: 100, output: 0 });
    clock.atMs += 50 * SECOND;
    await answered(one, 3000, 0, 0);
    clock.atMs += 20 * SECOND;
    // The reservation has left the minute, the rest has not.
    expect((await refusal(key, { prompt: 1, output: 0 })).limit?.used).toBe(2900);
    clock.atMs += 50 * SECOND;
    await admit(key, { prompt: 1, output: 0 });
  });

  test("let a request pass that needs more than the limit, alone in its minute", async () => {
    const key = await addKey({ tokensPerMinute: 1000 });
    await admit(key, { prompt: 50_000, output: 4096 });
    expect((await refusal(key, { prompt: 1, output: 0 })).limit?.used).toBe(1000);
    const none = await addKey({ tokensPerMinute: 0 });
    expect((await refusal(none)).code).toBe("tokens_per_minute_exceeded");
  });

  test("count the prompt's estimate where the provider reports no tokens", async () => {
    const key = await addKey({ tokensPerMinute: 1000 });
    const one = await admit(key, { prompt: 600, output: 0 });
    await bench.ledger.settle(one, makeOutcome(one, { amounts: { ...NO_AMOUNTS, images: 1 } }));
    expect((await refusal(key, { prompt: 500, output: 0 })).limit?.used).toBe(600);
  });
});

test("what refuses takes nothing of what was asked before it", async () => {
  const budget = { nanoUsd: 1500, per: "day", models: null, warn: [], isHard: true, extra: null } as const;
  const key = await addKey({ parallel: 5, requestsPerMinute: 2, tokensPerMinute: 1000, budgets: [budget] });
  await admit(key, { prompt: 100, output: 0 });
  for (let times = 0; times < 5; times++) {
    expect((await refusal(key, { prompt: 100, output: 0 })).code).toBe("budget_reserved");
  }
  const limits = await bench.ledger.limits(key);
  expect(limits.map(({ kind, used, reserved }) => [kind, used, reserved])).toEqual([
    ["requests_per_minute", 1, 0],
    ["tokens_per_minute", 100, 0],
    ["parallel", 1, 0],
    ["budget", 0, 1e-6],
  ]);
  expect((await bench.store.audit()).limits).toEqual([]);
});

test("the limits shown with the account's row at hand are those that are read", async () => {
  const account = async () => {
    const row = await bench.store.account("default");
    if (row === null) throw new Error("The account is missing.");
    return row;
  };
  const show = async (key: GatewayKey) => {
    const shown = await bench.ledger.limits(key, await account());
    expect(shown).toEqual(await bench.ledger.limits(key));
    return shown.map(({ scope, kind }) => `${scope} ${kind}`);
  };
  const none = await addKey({});
  const limited = await addKey({ parallel: 2 });
  const personal = await addKey({ memberId: "mem_ann" });
  expect([await show(none), await show(limited), await show(personal)]).toEqual([[], ["key parallel"], []]);
  await unrecorded(bench.store).changeAccount("default", {
    memberDefaults: { ...NO_MEMBER_LIMITS, requestsPerMinute: 5 },
  });
  expect([await show(none), await show(personal)]).toEqual([[], ["member requests_per_minute"]]);
  await unrecorded(bench.store).changeAccount("default", { parallel: 3 });
  expect(await show(none)).toEqual(["account parallel"]);
});
