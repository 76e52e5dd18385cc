// Idempotency-Key from outside: the same request is answered with the same completion, made once and billed once.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { arrayOf, isObject, type JsonObject, objectOf } from "../src/core/json.ts";
import { detached } from "../src/gateway/detached.ts";
import { type MoneyWorld, type Payer, priceOf, startMoneyWorld, sumsIn } from "./http/money-world.ts";
import { lineOf, type Seen, seen, textIn } from "./http/observe.ts";
import { until } from "./http/until.ts";
import { asking } from "./http/world.ts";

const USD = 1_000_000_000;
const CALM = "Shop#sim~tokens=1000:500";
const COST = priceOf(1000, 500);
const TWINS = 50;
const PATIENT_MS = 20_000;

let world: MoneyWorld;
beforeAll(async () => {
  world = await startMoneyWorld();
});
afterAll(async () => {
  expect(sumsIn(world.directory)).toMatchObject({ holds: 0, held: 0, wrong_balances: 0, wrong_entries: 0 });
  await world.stop();
});
let callsBefore = 0;
beforeEach(() => {
  callsBefore = totalCalls();
});

function totalCalls(): number {
  return world.shop.calls.total + world.gated.bodies.length;
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

interface Asked extends Seen {
  readonly replayed: boolean;
  readonly created: unknown;
  readonly id: unknown;
  readonly usage: unknown;
}

interface Sending {
  readonly url?: string;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(payer: Payer, name: string, body: JsonObject, sending: Sending = {}): Promise<Asked> {
  const usage = body.stream === true ? { stream_options: { include_usage: true } } : {};
  const response = await fetch(`${sending.url ?? world.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${payer.secret}`,
      "idempotency-key": name,
      ...sending.headers,
    },
    body: JSON.stringify({ ...usage, ...body }),
    ...(sending.signal ? { signal: sending.signal } : {}),
  });
  const headers = new Headers(response.headers);
  const replayed = headers.get("x-poundkey-replayed") === "true";
  headers.delete("x-poundkey-replayed");
  const answer = await seen(new Response(await response.text(), { status: response.status, headers }));
  const { stream, body: whole } = answer;
  const head = stream ? objectOf(stream.chunks[0]) : whole;
  return {
    ...answer,
    replayed,
    id: head.id,
    created: head.created,
    usage: stream ? stream.usage : whole.usage,
  };
}

/** What has to be the same in the same completion. */
function completionIn(answer: Asked): JsonObject {
  const { id, created, usage, headers } = answer;
  return { id, created, usage, model: headers.get("x-poundkey-model"), text: textIn(answer) };
}

async function openRequests(count: number): Promise<void> {
  await until(`${count} requests are under way`, async () =>
    (await (await fetch(`${world.url}/metrics`)).text()).includes(`poundkey_requests_open ${count}\n`),
  );
}

describe("the same again", () => {
  for (const [first, second] of [
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ] as const) {
    test(`streamed: ${first}, then streamed: ${second}: the same completion, made and billed once`, async () => {
      const [payer, free, name] = [
        await world.payer(1),
        await world.payer(0, { requests_per_day: 5 }),
        newName(),
      ];
      for (const who of [payer, free]) {
        const one = await ask(who, name, asking(CALM, "say: a b c", { stream: first }));
        const two = await ask(who, name, asking(CALM, "say: a b c", { stream: second }));
        expect([lineOf(one), one.replayed]).toEqual([first ? "200 done" : "200 whole", false]);
        expect([lineOf(two), two.replayed]).toEqual([second ? "200 done" : "200 whole", true]);
        expect(completionIn(two)).toEqual(completionIn(one));
        expect(textIn(two)).toBe("a b c");
      }
      expect(calls()).toBe(2);
      expect(world.books(payer)).toMatchObject({ kinds: ["topup", "hold", "post"], balance: USD - COST });
      expect(world.books(free)).toMatchObject({ used: 1, requests: [{ cost_nano: COST, charged_nano: 0 }] });
    });
  }

  for (const model of ["Shop#sim-think", "Claude#sim-think~tokens=1000:500:100:50"]) {
    test(`${model}: tools and thinking come back whole, signatures included`, async () => {
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
        const [one, two] = [await ask(payer, name, body(first)), await ask(payer, name, body(second))];
        expect(messageIn(two)).toEqual(messageIn(one));
        expect(messageIn(two).tool_calls).toHaveLength(2);
        expect(messageIn(two).reasoning_content).toContain("Thinking about");
      }
      expect(calls()).toBe(2);
    });
  }

  test("its parts are nowhere in the store's files in plain words", async () => {
    const [payer, name] = [await world.payer(1), `${newName()}-secretname`];
    const body = asking(CALM, "say: plover-xyzzy-words", { stream: true });
    for (let time = 0; time < 2; time++)
      expect(textIn(await ask(payer, name, body))).toBe("plover-xyzzy-words");
    const files = ["poundkey.db", "poundkey.db-wal"].map((file) => readFileSync(join(world.directory, file)));
    expect(files.some((file) => file.includes(payer.accountId))).toBe(true);
    for (const file of files)
      for (const words of ["plover", "secretname"]) expect(file.includes(words)).toBe(false);
  });
});

/** The message of a whole answer, or what a stream's deltas make up; without what may be empty in one of the two. */
function messageIn({ body, stream }: Asked): JsonObject {
  if (!stream) return pickedFrom(objectOf(objectOf(arrayOf(body.choices)[0]).message));
  const calls: JsonObject[] = [];
  const details = new Map<unknown, JsonObject>();
  for (const chunk of stream.chunks) {
    const delta = objectOf(objectOf(arrayOf(chunk.choices)[0]).delta);
    for (const call of arrayOf(delta.tool_calls).filter(isObject)) addCall(calls, call);
    for (const detail of arrayOf(delta.reasoning_details).filter(isObject)) addDetail(details, detail);
  }
  const reasoning_details = details.size > 0 ? [...details.values()] : undefined;
  return pickedFrom({ reasoning_content: stream.reasoning, reasoning_details, tool_calls: calls });
}

function pickedFrom({ reasoning_content, reasoning_details, tool_calls }: JsonObject): JsonObject {
  return { reasoning_content, reasoning_details, tool_calls };
}

function addCall(calls: JsonObject[], { index, ...call }: JsonObject): void {
  const before = calls[Number(index)];
  if (!before) {
    calls[Number(index)] = structuredClone(call);
    return;
  }
  const [held, more] = [objectOf(before.function), objectOf(call.function)];
  before.function = { ...held, arguments: `${held.arguments}${more.arguments}` };
}

function addDetail(details: Map<unknown, JsonObject>, detail: JsonObject): void {
  const before = details.get(detail.index) ?? {};
  const text = `${before.text ?? ""}${detail.text ?? ""}`;
  details.set(detail.index, { ...before, ...detail, ...(text === "" ? {} : { text }) });
}

describe("at the same time", () => {
  test("fifty twins share one call", async () => {
    const [payer, name] = [await world.payer(1), newName()];
    const answers = Array.from({ length: TWINS }, (_, at) =>
      ask(payer, name, asking("Gated#middle", "x", { stream: at % 2 === 0 })),
    );
    await openRequests(TWINS);
    await until("the upstream waits", () => world.gated.waiting === 1);
    world.gated.release();
    const [first, ...others] = (await Promise.all(answers)).map(completionIn);
    for (const other of others) expect(other).toEqual(first ?? {});
    expect(calls()).toBe(1);
    expect(world.books(payer)).toMatchObject({ kinds: ["topup", "hold", "post"], balance: USD - COST });
  });

  test("a twin that leaves leaves nothing behind, and takes nothing from the others", async () => {
    const [payer, name] = [await world.payer(1), newName()];
    const body = asking("Gated#mute", "x");
    const one = ask(payer, name, body);
    await until("the upstream waits", () => world.gated.waiting === 1);
    const gone = new AbortController();
    const two = ask(payer, name, body, { signal: gone.signal });
    await openRequests(2);
    gone.abort();
    await two.catch(() => {});
    await openRequests(1);
    world.gated.release();
    expect((await one).status).toBe(200);
    expect(world.books(payer).requests).toHaveLength(1);
  });

  for (const stream of [true, false]) {
    test(`streamed: ${stream}: when all leave it is finished, charged and kept`, async () => {
      const [payer, name] = [await world.payer(1), newName()];
      const body = asking("Gated#middle", "x", { stream });
      const gone = new AbortController();
      const left = [
        ask(payer, name, body, { signal: gone.signal }),
        ask(payer, name, body, { signal: gone.signal }),
      ];
      await until("the upstream waits", () => world.gated.waiting === 1);
      gone.abort();
      await Promise.allSettled(left);
      await openRequests(1);
      expect([world.gated.waiting, world.books(payer).holds]).toEqual([1, 1]);
      world.gated.release();
      expect(await world.settled(payer)).toMatchObject({
        balance: USD - COST,
        requests: [{ ended: "done" }],
      });
      const again = await ask(payer, name, body);
      expect([again.replayed, textIn(again)]).toEqual([true, "one two three four five six "]);
      expect(calls()).toBe(1);
    });
  }

  test("the first fails with nothing produced: a twin that waited makes its own call", async () => {
    const [payer, name] = [await world.payer(1), newName()];
    const body = asking("Gated#second", "x", { stream: true });
    const one = ask(payer, name, body);
    await until("the upstream waits", () => world.gated.waiting === 1);
    const two = ask(payer, name, body);
    await openRequests(2);
    world.gated.release();
    expect(lineOf(await one)).toBe("502 api_error upstream_error");
    expect([lineOf(await two), (await two).replayed]).toEqual(["200 done", false]);
    expect(calls()).toBe(2);
    expect(world.books(payer)).toMatchObject({
      kinds: ["topup", "hold", "void", "hold", "post"],
      balance: USD - COST,
    });
  });

  test("a twin waits no longer than it said it would", async () => {
    const [payer, name] = [await world.payer(1), newName()];
    const one = ask(payer, name, asking("Gated#mute", "x"));
    await until("the upstream waits", () => world.gated.waiting === 1);
    const two = await ask(payer, name, asking("Gated#mute", "x"), {
      headers: { "x-poundkey-timeout": "0.1" },
    });
    expect(lineOf(two)).toBe("504 api_error upstream_timeout");
    world.gated.release();
    expect((await one).status).toBe(200);
  });
});

describe("what is not given again", () => {
  const SPENT = "409 invalid_request_error idempotency_unavailable";

  test("an answer that broke off: 409, and no second call", async () => {
    const [payer, name] = [await world.payer(1), newName()];
    const body = asking("Shop#sim~trouble=error-mid", "say: a b c d", { stream: true });
    expect(lineOf(await ask(payer, name, body))).toBe("200 then api_error upstream_error");
    const again = await ask(payer, name, body);
    expect([lineOf(again), again.headers.get("x-should-retry")]).toEqual([SPENT, "false"]);
    expect(calls()).toBe(1);
  });

  for (const [model, stream] of [
    ["Shop#sim~trouble=huge~size=1100~tokens=1000:500", true],
    ["Shop#sim~trouble=huge~size=1100~tokens=1000:500", false],
    ["Gated#wordy", true],
  ] as const) {
    test(`${model}, streamed: ${stream}: larger than 1 MiB: 409, and no second call`, async () => {
      const [payer, name] = [await world.payer(1), newName()];
      expect((await ask(payer, name, asking(model, "x", { stream }))).status).toBe(200);
      for (const again of [true, false])
        expect(lineOf(await ask(payer, name, asking(model, "x", { stream: again })))).toBe(SPENT);
      expect(calls()).toBe(1);
      expect(world.books(payer)).toMatchObject({ kinds: ["topup", "hold", "post"] });
    });
  }

  test("another body: 409, also while the first runs", async () => {
    const [payer, name] = [await world.payer(1), newName()];
    const one = ask(payer, name, asking("Gated#mute", "x"));
    await until("the upstream waits", () => world.gated.waiting === 1);
    const mismatch = async () => {
      const { error, ...other } = await ask(payer, name, asking("Gated#mute", "y"));
      expect(lineOf({ error, ...other })).toBe("409 invalid_request_error idempotency_mismatch");
      expect([error?.param, other.headers.get("x-should-retry")]).toEqual(["Idempotency-Key", "false"]);
    };
    await mismatch();
    world.gated.release();
    await one;
    await mismatch();
    expect(calls()).toBe(1);
  });

  test("another gateway key's: it has its own", async () => {
    const name = newName();
    const answers = [await world.payer(1), await world.payer(1)].map((payer) =>
      ask(payer, name, asking(CALM, "x")),
    );
    const [one, two] = await Promise.all(answers);
    expect([one?.replayed, two?.replayed, one?.id === two?.id]).toEqual([false, false, false]);
    expect(calls()).toBe(2);
  });

  test("a name that is none: 400", async () => {
    const payer = await world.payer(1);
    for (const name of ["", "a b", "x".repeat(256), "\u00e9"]) {
      const refused = await ask(payer, name, asking(CALM, "x"));
      expect([lineOf(refused), refused.error?.param]).toEqual([
        "400 invalid_request_error invalid_value",
        "Idempotency-Key",
      ]);
    }
    expect((await ask(payer, "x".repeat(255), asking(CALM, "x"))).status).toBe(200);
    expect(calls()).toBe(1);
  });
});
