// Money beside the allowance: the day's free requests come first, and only what follows is charged.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ask, closeBooks, readBill, readUpstreamLimit } from "../world/money-asking.ts";
import { computePrice, type MoneyWorld, startMoneyWorld } from "../world/money-world.ts";
import { formatLine } from "../world/observe.ts";

const USD = 1_000_000_000;

let world: MoneyWorld;
beforeAll(async () => {
  world = await startMoneyWorld();
});
afterAll(() => closeBooks(world));
beforeEach(() => world.provider.reset());

describe("a client pays only beyond the allowance", () => {
  const model = "Acme#sim~tokens=1000:500";
  const cost = computePrice(1000, 500);

  test("first the allowance, then the balance, then 429", async () => {
    const payer = await world.payer(0.01, { requests_per_day: 2 });
    for (const remaining of ["1", "0"]) {
      const free = await ask(world, payer, model, { max_tokens: 1000 });
      expect([formatLine(free), readBill(free)]).toEqual(["200 whole", { cost, charged: 0 }]);
      expect(free.headers.get("x-ratelimit-remaining-requests")).toBe(remaining);
    }
    expect(world.books(payer)).toMatchObject({ kinds: ["topup"], used: 2 });
    for (let left = 0.01 * USD; left > 0.002 * USD; left -= cost) {
      const answer = await ask(world, payer, model, { max_tokens: 500, stream: true });
      expect([answer.status, readBill(answer)]).toEqual([200, { cost, charged: cost }]);
      expect(world.books(payer).balance).toBe(left - cost);
    }
    const refused = await ask(world, payer, model, { max_tokens: 4000 });
    expect(formatLine(refused)).toStartWith("429 rate_limit_error rate_limit_exceeded, retry after ");
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expect(world.books(payer).used).toBe(2);
  });

  test("a model without a price can only be used by the allowance", async () => {
    const payer = await world.payer(1, { requests_per_day: 1 });
    expect((await ask(world, payer, "Acme#unpriced")).status).toBe(200);
    expect((await ask(world, payer, "Acme#unpriced")).status).toBe(429);
    expect(world.books(payer)).toMatchObject({ kinds: ["topup"], balance: USD });
  });

  test("a key without a limit is never charged", async () => {
    const payer = await world.payer(1, { requests_per_day: null });
    const answer = await ask(world, payer, model);
    expect(readBill(answer)).toEqual({ cost, charged: 0 });
    expect(readUpstreamLimit(world.provider.calls.last()?.body)).toBeUndefined();
    expect(world.books(payer)).toMatchObject({ kinds: ["topup"], balance: USD });
  });
});
