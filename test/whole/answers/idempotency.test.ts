// Idempotency-Key over HTTP: a repeated request gets the same completion, made and billed once.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openRequests, readAsked, readCompletion, readMessage, type Sending } from "../world/money-again.ts";
import { computePrice, type Payer, readSums, startMoneyWorld } from "../world/money-world.ts";
import { formatLine, readText } from "../world/observe.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

const USD = 1_000_000_000;
const CALM = "Acme#sim~tokens=1000:500";
const COST = computePrice(1000, 500);
const TWINS = 50;

const world = await startMoneyWorld();
afterAll(async () => {
  expect(readSums(world.directory)).toMatchObject({ holds: 0, held: 0, wrong_balances: 0, wrong_entries: 0 });
  await world.stop();
});
let callsBefore = 0;
beforeEach(() => {
  callsBefore = totalCalls();
});

function totalCalls(): number {
  return world.provider.calls.total + world.gated.bodies.length;
}

/** Upstream calls since the test began. */
function calls(): number {
  return totalCalls() - callsBefore;
}

let keys = 0;
function newName(): string {
  keys += 1;
  return `order-${keys}`;
}

function ask(payer: Payer, name: string, body: Record<string, unknown>, sending: Sending = {}) {
  return readAsked(world.url, payer, name, body, sending);
}

describe("a repeated request", () => {
  for (const [first, second] of [
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ] as const) {
    test(`streamed: ${first}, then streamed: ${second}: gets the same completion, made and billed once`, async () => {
      const payer = await world.payer(1);
      const free = await world.payer(0, { requests_per_day: 5 });
      const name = newName();
      for (const who of [payer, free]) {
        const one = await ask(who, name, asking(CALM, "say: a b c", { stream: first }));
        const two = await ask(who, name, asking(CALM, "say: a b c", { stream: second }));
        expect([formatLine(one), one.replayed]).toEqual([first ? "200 done" : "200 whole", false]);
        expect([formatLine(two), two.replayed]).toEqual([second ? "200 done" : "200 whole", true]);
        expect(readCompletion(two)).toEqual(readCompletion(one));
        expect(readText(two)).toBe("a b c");
      }
      expect(calls()).toBe(2);
      expect(world.books(payer)).toMatchObject({ kinds: ["topup", "hold", "post"], balance: USD - COST });
      expect(world.books(free)).toMatchObject({ used: 1, requests: [{ cost_nano: COST, charged_nano: 0 }] });
    });
  }

  for (const model of ["Acme#sim-think", "Claude#sim-think~tokens=1000:500:100:50"]) {
    test(`${model}: gets tools and thinking complete with signatures`, async () => {
      const payer = await world.payer(1);
      const parameters = { type: "object", properties: { city: { type: "string" } } };
      const tools = [{ type: "function", function: { name: "weather", parameters } }];
      const body = (stream: boolean) =>
        asking(model, 'call weather({"city":"Rome"}) and call weather({"city":"Oslo"})', {
          stream,
          tools,
          reasoning_effort: "low",
        });
      for (const [first, second] of [
        [false, true],
        [true, false],
      ] as const) {
        const name = newName();
        const one = await ask(payer, name, body(first));
        const two = await ask(payer, name, body(second));
        expect(readMessage(two)).toEqual(readMessage(one));
        expect(readMessage(two).tool_calls).toHaveLength(2);
        expect(readMessage(two).reasoning_content).toContain("Thinking about");
      }
      expect(calls()).toBe(2);
    });
  }

  test("a replay reports the written-off amount again", async () => {
    const payer = await world.payer(0.1);
    const name = newName();
    const body = asking("Acme#sim~tokens=134000:4096", "x");
    const one = await ask(payer, name, body);
    const two = await ask(payer, name, body);
    expect(one.usage).toMatchObject({ cost: computePrice(134_000, 4096) / USD, charged: 0.1 });
    expect([two.replayed, readCompletion(two)]).toEqual([true, readCompletion(one)]);
  });

  test("leaves no plain text in the store's files", async () => {
    const [payer, name] = [await world.payer(1), `${newName()}-secretname`];
    const body = asking(CALM, "say: plover-xyzzy-words", { stream: true });
    for (let time = 0; time < 2; time++)
      expect(readText(await ask(payer, name, body))).toBe("plover-xyzzy-words");
    const files = ["poundkey.db", "poundkey.db-wal"].map((file) => readFileSync(join(world.directory, file)));
    expect(files.some((file) => file.includes(payer.accountId))).toBe(true);
    for (const file of files)
      for (const words of ["plover", "secretname"]) expect(file.includes(words)).toBe(false);
  });
});

describe("concurrent duplicates", () => {
  test("fifty share one call", async () => {
    const payer = await world.payer(1);
    const name = newName();
    const answers = Array.from({ length: TWINS }, (_, at) =>
      ask(payer, name, asking("Gated#middle", "x", { stream: at % 2 === 0 })),
    );
    await openRequests(world.url, TWINS);
    await until("the upstream waits", () => world.gated.waiting === 1);
    world.gated.release();
    const [first, ...others] = (await Promise.all(answers)).map(readCompletion);
    for (const other of others) expect(other).toEqual(first ?? {});
    expect(calls()).toBe(1);
    expect(world.books(payer)).toMatchObject({ kinds: ["topup", "hold", "post"], balance: USD - COST });
  });

  test("one that leaves takes nothing from the others", async () => {
    const payer = await world.payer(1);
    const name = newName();
    const body = asking("Gated#mute", "x");
    const one = ask(payer, name, body);
    await until("the upstream waits", () => world.gated.waiting === 1);
    const gone = new AbortController();
    const two = ask(payer, name, body, { signal: gone.signal });
    await openRequests(world.url, 2);
    gone.abort();
    await two.catch(() => {});
    await openRequests(world.url, 1);
    world.gated.release();
    expect((await one).status).toBe(200);
    expect(world.books(payer).requests).toHaveLength(1);
  });

  for (const stream of [true, false]) {
    test(`streamed: ${stream}: if all leave, the answer is finished, charged and stored`, async () => {
      const payer = await world.payer(1);
      const name = newName();
      const body = asking("Gated#middle", "x", { stream });
      const gone = new AbortController();
      const left = [
        ask(payer, name, body, { signal: gone.signal }),
        ask(payer, name, body, { signal: gone.signal }),
      ];
      await until("the upstream waits", () => world.gated.waiting === 1);
      gone.abort();
      await Promise.allSettled(left);
      await openRequests(world.url, 1);
      expect([world.gated.waiting, world.books(payer).holds]).toEqual([1, 1]);
      world.gated.release();
      expect(await world.settled(payer)).toMatchObject({
        balance: USD - COST,
        requests: [{ ended: "done" }],
      });
      const again = await ask(payer, name, body);
      expect([again.replayed, readText(again)]).toEqual([true, "one two three four five six "]);
      expect(calls()).toBe(1);
    });
  }

  test("if the first fails with no output, a waiting one makes its own call", async () => {
    const payer = await world.payer(1);
    const name = newName();
    const body = asking("Gated#second", "x", { stream: true });
    const one = ask(payer, name, body);
    await until("the upstream waits", () => world.gated.waiting === 1);
    const two = ask(payer, name, body);
    await openRequests(world.url, 2);
    world.gated.release();
    expect(formatLine(await one)).toBe("502 api_error upstream_error");
    expect([formatLine(await two), (await two).replayed]).toEqual(["200 done", false]);
    expect(calls()).toBe(2);
    expect(world.books(payer)).toMatchObject({
      kinds: ["topup", "hold", "void", "hold", "post"],
      balance: USD - COST,
    });
  });

  test("one waits no longer than its own time limit", async () => {
    const payer = await world.payer(1);
    const name = newName();
    const one = ask(payer, name, asking("Gated#mute", "x"));
    await until("the upstream waits", () => world.gated.waiting === 1);
    const two = await ask(payer, name, asking("Gated#mute", "x"), {
      headers: { "x-poundkey-timeout": "0.1" },
    });
    expect(formatLine(two)).toBe("504 api_error upstream_timeout");
    world.gated.release();
    expect((await one).status).toBe(200);
  });
});

describe("answers that can't be repeated", () => {
  const SPENT = "409 invalid_request_error idempotency_unavailable";

  test("if it broke off: 409, and no second call", async () => {
    const payer = await world.payer(1);
    const name = newName();
    const body = asking("Acme#sim~trouble=error-mid", "say: a b c d", { stream: true });
    expect(formatLine(await ask(payer, name, body))).toBe("200 then api_error upstream_error");
    const again = await ask(payer, name, body);
    expect([formatLine(again), again.headers.get("x-should-retry")]).toEqual([SPENT, "false"]);
    expect(calls()).toBe(1);
  });

  for (const [model, stream] of [
    ["Acme#sim~trouble=huge~size=1100~tokens=1000:500", true],
    ["Acme#sim~trouble=huge~size=1100~tokens=1000:500", false],
    ["Gated#wordy", true],
  ] as const) {
    test(`${model}, streamed: ${stream}: if larger than 1 MiB: 409, and no second call`, async () => {
      const payer = await world.payer(1);
      const name = newName();
      expect((await ask(payer, name, asking(model, "x", { stream }))).status).toBe(200);
      for (const again of [true, false])
        expect(formatLine(await ask(payer, name, asking(model, "x", { stream: again })))).toBe(SPENT);
      expect(calls()).toBe(1);
      expect(world.books(payer)).toMatchObject({ kinds: ["topup", "hold", "post"] });
    });
  }

  test("with another body: 409, even while the first runs", async () => {
    const payer = await world.payer(1);
    const name = newName();
    const one = ask(payer, name, asking("Gated#mute", "x"));
    await until("the upstream waits", () => world.gated.waiting === 1);
    const mismatch = async () => {
      const { error, ...other } = await ask(payer, name, asking("Gated#mute", "y"));
      expect(formatLine({ error, ...other })).toBe("409 invalid_request_error idempotency_mismatch");
      expect([error?.param, other.headers.get("x-should-retry")]).toEqual(["Idempotency-Key", "false"]);
    };
    await mismatch();
    world.gated.release();
    await one;
    await mismatch();
    expect(calls()).toBe(1);
  });

  test("another gateway key has its own, even in the same account", async () => {
    const payer = await world.payer(1);
    const name = newName();
    const { secret, id: keyId } = await world.newKey({ account_id: payer.accountId, requests_per_day: 0 });
    const both = [payer, { ...payer, secret, keyId }].map((one) => ask(one, name, asking(CALM, "x")));
    const [one, two] = await Promise.all(both);
    expect([one?.replayed, two?.replayed, one?.id === two?.id]).toEqual([false, false, false]);
    expect(calls()).toBe(2);
  });

  test("an invalid key gets 400", async () => {
    const payer = await world.payer(1);
    for (const name of ["", "a b", "x".repeat(256), "\u00e9"]) {
      const refused = await ask(payer, name, asking(CALM, "x"));
      expect([formatLine(refused), refused.error?.param]).toEqual([
        "400 invalid_request_error invalid_value",
        "Idempotency-Key",
      ]);
    }
    expect((await ask(payer, "x".repeat(255), asking(CALM, "x"))).status).toBe(200);
    expect(calls()).toBe(1);
  });
});
