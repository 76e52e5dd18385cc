// The cost and the savings of cache marks, in counts: conversations and single requests against a cache that keeps the vendor's rules.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { IS_LONG } from "../../harness/long.ts";
import { ManualClock } from "../../harness/manual-clock.ts";
import { createOperator } from "../world/operator.ts";
import { ClaudeCache, priceInput } from "./claude-cache.ts";

/** USD per million tokens, as the catalogue has them. */
const PRICES = {
  "claude-sonnet-5": { input: 2, output: 10, cached_input: 0.2, cache_write: 2.5, cache_write_1h: 4 },
  "claude-opus-5-5": { input: 4, output: 20, cached_input: 0.2, cache_write: 5, cache_write_1h: 8 },
  "claude-fable-5-1": { input: 10, output: 50, cached_input: 0.25, cache_write: 12.5, cache_write_1h: 20 },
} as const;
type Model = keyof typeof PRICES;
const MODELS: readonly Model[] = IS_LONG
  ? ["claude-sonnet-5", "claude-opus-5-5", "claude-fable-5-1"]
  : ["claude-sonnet-5"];
const TURNS_MAX = IS_LONG ? 30 : 10;
const COUNTS = [1, 2, 3, 10, 30].filter((turns) => turns <= TURNS_MAX);
const MODES = { Off: "off", Conversations: "conversations", Auto: "auto" } as const;
type Provider = keyof typeof MODES;

const clock = new ManualClock();
const cache = new ClaudeCache(() => clock.monotonicMs());
let world: UnderTest;
let keys = 0;
/** The greatest share of a hold that was spent, by what was played. */
const shares = new Map<string, number>();

beforeAll(async () => {
  const models = Object.entries(PRICES)
    .map(
      ([name, price]) => `{ name: ${name}, context: 1000000, output: 1000, price: ${JSON.stringify(price)} }`,
    )
    .join(", ");
  const rows = Object.entries(MODES).map(
    ([name, mode]) =>
      `  ${name}: { dialect: anthropic, base_url: "http://127.0.0.1:9/${name}", keys: [k], cache_marks: ${mode}, models: [${models}] }`,
  );
  world = await startUnderTest({ fetch: cache.fetch, clock, more: rows.join("\n") });
});
afterAll(() => world.stop());

const OPENING_CHARACTERS = 80_000;
const TURN_CHARACTERS = 4000;
const write = (what: string, characters: number) => `${what} `.padEnd(characters, "lorem ipsum ");

interface Turn {
  readonly messages: readonly JsonObject[];
  readonly headers: Record<string, string>;
  readonly pauseMs: number;
}
type Kind = (name: string, at: number) => Turn;

/** A chat in which each turn adds the answer and a question of a thousand tokens. */
function makeChat(name: string, at: number): readonly JsonObject[] {
  const later = Array.from({ length: at }, (_, turn) => [
    { role: "assistant", content: "all right" },
    { role: "user", content: write(`${name} ${turn}`, TURN_CHARACTERS) },
  ]).flat();
  return [
    { role: "system", content: "Be brief." },
    { role: "user", content: write(name, OPENING_CHARACTERS) },
    ...later,
  ];
}

function makeLoop(name: string, at: number): readonly JsonObject[] {
  const later = Array.from({ length: at }, (_, turn) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${turn}`, type: "function", function: { name: "look", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: `c${turn}`, content: write(`${name} ${turn}`, TURN_CHARACTERS) },
  ]).flat();
  return [{ role: "user", content: write(name, OPENING_CHARACTERS) }, ...later];
}

/** Sums of costs in USD differ in their last digits. */
const ROUNDING = 1e-9;
const SECOND_MS = 1000;
const PAUSE_MS = 360_000;
const KINDS = {
  session: (name, at) => ({
    messages: makeChat(name, at),
    headers: { "session-id": name },
    pauseMs: SECOND_MS,
  }),
  tools: (name, at) => ({ messages: makeLoop(name, at), headers: {}, pauseMs: SECOND_MS }),
  chat: (name, at) => ({ messages: makeChat(name, at), headers: {}, pauseMs: SECOND_MS }),
  oneShot: (name, at) => ({ messages: makeChat(`${name}.${at}`, 0), headers: {}, pauseMs: SECOND_MS }),
  pauses: (name, at) => ({
    messages: makeChat(name, at),
    headers: { "session-id": name },
    pauseMs: PAUSE_MS,
  }),
} satisfies Readonly<Record<string, Kind>>;
type KindName = keyof typeof KINDS;

/** All that a request's answer may have, so that its hold has no room left beside the prompt. */
const ANSWER_TOKENS = 2;

async function ask(provider: Provider, model: Model, { messages, headers, pauseMs }: Turn, secret: string) {
  const answer = await world.chat(
    { model: `${provider}#${model}`, messages, max_tokens: ANSWER_TOKENS },
    { secret, headers },
  );
  const body = asObject(await answer.json());
  if (!answer.ok) throw new Error(JSON.stringify(body));
  await clock.move(pauseMs);
  const counted = cache.counted.at(-1);
  if (counted === undefined) throw new Error("nothing was sent");
  const usd = priceInput(counted, PRICES[model]);
  // The gateway charges what the provider counted: its input, and an answer of two tokens.
  expect(asObject(body.usage).cost).toBeCloseTo(usd + (ANSWER_TOKENS * PRICES[model].output) / 1_000_000, 8);
  return { usd, counted };
}

/** A key whose account pays for each request. */
async function newPayer(): Promise<{ readonly account: string; readonly secret: string }> {
  const account = await world.newAccount("marks");
  await world.topUp(account, 1000);
  const { secret } = await world.newKey({ account_id: account, requests_per_day: 0 });
  return { account, secret };
}

/** Returns the rows of an account's requests, oldest first. */
async function listRows(account: string): Promise<readonly JsonObject[]> {
  const rows = await createOperator(world).all(`/requests?account_id=${account}`, 100);
  return rows.toReversed();
}

/** Returns the greatest share of its hold that a request of the account has cost. */
async function measureHolds(account: string, requests: number): Promise<number> {
  const rows = await listRows(account);
  expect(rows.length).toBe(requests);
  return Math.max(...rows.map(({ cost_usd, hold_usd }) => Number(cost_usd) / Number(hold_usd)));
}

/** Returns the cost of the input after each turn, with a key of its own. */
async function play(provider: Provider, model: Model, kind: KindName): Promise<readonly number[]> {
  const { account, secret } = await newPayer();
  const name = `run${++keys}`.padEnd(8);
  const costs: number[] = [];
  for (let at = 0; at < TURNS_MAX; at++) {
    const { usd } = await ask(provider, model, KINDS[kind](name, at), secret);
    costs.push((costs.at(-1) ?? 0) + usd);
  }
  shares.set(`${model} ${provider} ${kind}`, await measureHolds(account, TURNS_MAX));
  return costs;
}

describe.each(MODELS)("%s", (model) => {
  const ratios = new Map<string, readonly number[]>();
  const read = (provider: Provider, kind: KindName, turns: number) =>
    ratios.get(`${provider} ${kind}`)?.[turns - 1] ?? Number.NaN;
  beforeAll(async () => {
    for (const kind of ["session", "tools", "chat", "oneShot", "pauses"] as const) {
      const off = await play("Off", model, kind);
      for (const provider of ["Conversations", "Auto"] as const) {
        const costs = await play(provider, model, kind);
        ratios.set(
          `${provider} ${kind}`,
          costs.map((cost, at) => cost / (off[at] ?? 0)),
        );
      }
    }
    if (IS_LONG)
      for (const [what, all] of ratios)
        console.log(model, what, COUNTS.map((turns) => `${turns}: ${all[turns - 1]?.toFixed(3)}`).join(", "));
  }, 60_000);

  test("single requests without a sign cost what they cost without marks", () => {
    for (const turns of COUNTS) expect(read("Conversations", "oneShot", turns)).toBe(1);
    expect(read("Auto", "oneShot", 1)).toBeCloseTo(1.25, 2);
  });

  test("ten turns of a conversation that says that it goes on cost at most a quarter", () => {
    expect(read("Conversations", "session", 10)).toBeLessThanOrEqual(0.25);
    expect(read("Auto", "session", 10)).toBeLessThanOrEqual(0.25);
  });

  test("a loop of tools and a chat are marked from the second turn on", () => {
    for (const kind of ["tools", "chat"] as const) {
      expect(read("Conversations", kind, 1)).toBe(1);
      expect(read("Conversations", kind, 10)).toBeLessThanOrEqual(0.35);
    }
  });

  test("nothing costs more than a quarter above its price without marks", () => {
    for (const kind of ["session", "tools", "chat", "oneShot", "pauses"] as const)
      for (const turns of COUNTS)
        expect(read("Conversations", kind, turns)).toBeLessThanOrEqual(1.25 + ROUNDING);
  });
});

test("a question after a loop of tools that took longer than five minutes reads what the loop has written", async () => {
  const { secret } = await newPayer();
  const headers = {};
  const pauseMs = PAUSE_MS / 4;
  for (let at = 0; at < 6; at++) {
    const messages = makeLoop("slow loop", at);
    await ask("Conversations", "claude-sonnet-5", { messages, headers, pauseMs }, secret);
  }
  const more = [
    { role: "assistant", content: "all right" },
    { role: "user", content: "And then?" },
  ];
  const messages = [...makeLoop("slow loop", 5), ...more];
  const { counted } = await ask("Conversations", "claude-sonnet-5", { messages, headers, pauseMs }, secret);
  expect(counted.read).toBeGreaterThan(OPENING_CHARACTERS / 4);
});

test("a question that is asked of several models is a single request at each, and goes on at each", async () => {
  const { secret } = await newPayer();
  const askAt = async (model: Model, at: number) => {
    const messages = makeChat("to several", at);
    const turn = { messages, headers: {}, pauseMs: SECOND_MS };
    return (await ask("Conversations", model, turn, secret)).counted.written > 0;
  };
  const models = ["claude-sonnet-5", "claude-opus-5-5"] as const;
  const written: boolean[] = [];
  for (const at of [0, 1]) for (const model of models) written.push(await askAt(model, at));
  expect(written).toEqual([false, false, true, true]);
});

const HOUR_MS = 3_600_000;
const SINGLES = IS_LONG ? 2000 : 120;

test("marks that are never read stop after fifty requests, for an hour", async () => {
  const model = "claude-fable-5-1";
  const { account, secret } = await newPayer();
  const askOnce = (provider: Provider, at: number) =>
    ask(
      provider,
      model,
      {
        messages: [{ role: "user", content: write(`single ${at}`, 6000) }],
        headers: { "session-id": `s${at}` },
        pauseMs: SECOND_MS,
      },
      secret,
    );
  let written = 0;
  let usd = 0;
  let usdOff = 0;
  for (let at = 0; at < SINGLES; at++) {
    const { usd: own, counted } = await askOnce("Conversations", at);
    usd += own;
    written += counted.written > 0 ? 1 : 0;
    const input = counted.input + counted.read + counted.written;
    usdOff += priceInput({ ...counted, input, read: 0, written: 0 }, PRICES[model]);
  }
  expect(written).toBe(50);
  if (IS_LONG) expect(usd / usdOff).toBeLessThanOrEqual(1.01);
  const resting = world.events.filter(({ event, state }) => event === "cache_marks" && state === "resting");
  expect(resting.length).toBe(SINGLES - 50);
  const share = await measureHolds(account, SINGLES);
  if (IS_LONG) console.log(`never read: ${(usd / usdOff).toFixed(4)}, of its hold ${share.toFixed(3)}`);
  expect(share).toBeLessThanOrEqual(1);
  await clock.move(HOUR_MS);
  expect((await askOnce("Conversations", SINGLES)).counted.written).toBeGreaterThan(0);
}, 60_000);

test("no request costs more than is held for it, and its row says how it was marked", async () => {
  if (IS_LONG) for (const [what, share] of shares) console.log(`of its hold, ${what}: ${share.toFixed(3)}`);
  expect(shares.size).toBe(MODELS.length * Object.keys(KINDS).length * Object.keys(MODES).length);
  expect([...shares].filter(([, share]) => !(share <= 1))).toEqual([]);
  const { account, secret } = await newPayer();
  for (let at = 0; at < 3; at++)
    await ask("Conversations", "claude-opus-5-5", KINDS.session("paid", at), secret);
  expect((await listRows(account)).map((row) => row.cache_marked)).toEqual(["5m", "5m", "5m"]);
});
