// A key that fails at times, and one that is slow: first turns leave it as far as a draw by the same health does, and
// conversations that say that they go on stay with it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, asString, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { IS_LONG } from "../../harness/long.ts";
import { ManualClock } from "../../harness/manual-clock.ts";
import { createOperator } from "../world/operator.ts";

const TROUBLED = "key-a";
const KEYS = [
  [TROUBLED, 1],
  ["key-b", 1],
  ["key-c", 2],
] as const;
/** As many calls at one key are a crowd, if there are fewer elsewhere. */
const CROWD = 16;
const EQUAL_KEYS = Array.from({ length: 6 }, (_, at) => [`steady-${at}`, 1] as const);
/** Each has a provider whose conversations have places, and one whose requests are drawn. */
const TROUBLES = ["failing", "slow"] as const;
type Trouble = (typeof TROUBLES)[number];
const WAYS = ["chat", "drawn"] as const;
type Way = (typeof WAYS)[number];

/** Three of ten calls, never two in a row. */
const FAILS = [true, false, false, true, false, false, true, false, false, false];
const USUAL_MS = 200;
const SLOW_MS = 4.25 * USUAL_MS;
/** Each process has to see the trouble first. */
const UNSEEN = 60;
const REQUESTS = IS_LONG ? 2000 : 120;
/** Shares are compared in points of a hundred. */
const POINTS = 5;

const clock = new ManualClock();
/** The keys that were called, in order. */
const calls: string[] = [];
/** The calls of each provider's keys. */
const counts = new Map<string, number>();
let world: UnderTest;

beforeAll(async () => {
  const listKeys = (keys: Iterable<readonly [string, number]>) =>
    [...keys].map(([key, weight]) => `{ key: ${key}, weight: ${weight} }`).join(", ");
  const troubled = TROUBLES.flatMap((trouble) => WAYS.map((way) => `${trouble}-${way}`));
  const providers = [
    ...troubled.map((name) => [name, listKeys(KEYS)] as const),
    ["steady-chat", listKeys(EQUAL_KEYS)] as const,
  ];
  const rows = providers.map(
    ([name, keys]) =>
      `  ${name}: { dialect: openai, keys: [${keys}], base_url: "http://127.0.0.1:9/${name}", unlisted_models: true }`,
  );
  world = await startUnderTest({ fetch: answer, clock, more: rows.join("\n") });
});
afterAll(() => world.stop());

async function answer(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(url, init);
  const [, provider = ""] = new URL(request.url).pathname.split("/");
  const key = (request.headers.get("authorization") ?? "").replace("Bearer ", "");
  const isTroubled = key === TROUBLED;
  const counted = `${provider} ${key}`;
  const before = counts.get(counted) ?? 0;
  counts.set(counted, before + 1);
  calls.push(key);
  await clock.move(isTroubled && provider.startsWith("slow") ? SLOW_MS : USUAL_MS);
  if (isTroubled && provider.startsWith("failing") && FAILS[before % FAILS.length])
    return Response.json({ error: { message: "It failed." } }, { status: 500 });
  const { model } = asObject(parseJson(await request.text()));
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  if (provider.endsWith("drawn")) {
    const data = [{ object: "embedding", index: 0, embedding: [1, 2] }];
    return Response.json({ object: "list", data, model, usage });
  }
  const choices = [{ index: 0, message: { role: "assistant", content: "all right" }, finish_reason: "stop" }];
  return Response.json({ id: "1", object: "chat.completion", created: 1, model, choices, usage });
}

interface Asked {
  /** The keys that were called for it, in order. */
  readonly keys: readonly string[];
  readonly id: string;
}

async function ask(path: string, body: object, headers: Record<string, string> = {}): Promise<Asked> {
  const before = calls.length;
  const response = await fetch(`${world.url}/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const answered = asObject(await response.json());
  expect([response.status, answered.error]).toEqual([200, undefined]);
  return { keys: calls.slice(before), id: asString(answered.id) ?? "" };
}

/** Sends the first turn of a conversation. */
function open(provider: string, content: string): Promise<Asked> {
  return ask("chat/completions", { model: `${provider}#one`, messages: [{ role: "user", content }] });
}

let asked = 0;
/** Sends a request that says nothing of going on. */
function askOnce(trouble: Trouble, way: Way): Promise<Asked> {
  const text = `request ${asked++}`;
  return way === "drawn"
    ? ask("embeddings", { model: `${trouble}-drawn#one`, input: text })
    : open(`${trouble}-chat`, text);
}

/** The share of requests that call the troubled key first. */
async function measureShare(trouble: Trouble, way: Way): Promise<number> {
  for (let at = 0; at < UNSEEN; at++) await askOnce(trouble, way);
  let first = 0;
  for (let at = 0; at < REQUESTS; at++) if ((await askOnce(trouble, way)).keys[0] === TROUBLED) first++;
  return (100 * first) / REQUESTS;
}

describe.each(TROUBLES)("a %s key", (trouble) => {
  const shares = { chat: Number.NaN, drawn: Number.NaN };
  for (const way of WAYS)
    beforeAll(async () => {
      shares[way] = await measureShare(trouble, way);
    }, 60_000);

  test("is left by first turns as far as it is left by what is drawn", () => {
    const { chat, drawn } = shares;
    if (IS_LONG) console.log(`a ${trouble} key: ${chat} % of first turns, ${drawn} % of what is drawn`);
    expect(Math.abs(chat - drawn)).toBeLessThanOrEqual(POINTS);
  });

  test("keeps the conversations that say that they go on, whose failed calls go elsewhere", async () => {
    const conversations = Array.from({ length: IS_LONG ? 200 : 24 }, (_, at) => `${trouble} ${at}`);
    const turns = new Map<string, readonly Asked[]>();
    for (let turn = 0; turn < 3; turn++)
      for (const name of conversations) {
        const later = Array.from({ length: turn }, () => [
          { role: "assistant", content: "all right" },
          { role: "user", content: "go on" },
        ]);
        const messages = [{ role: "user", content: name }, ...later.flat()];
        const one = await ask(
          "chat/completions",
          { model: `${trouble}-chat#one`, messages },
          { "session-id": name },
        );
        turns.set(name, [...(turns.get(name) ?? []), one]);
      }
    const homes = [...turns.values()].map((all) => new Set(all.map(({ keys }) => keys[0])));
    expect(homes.filter((keys) => keys.size > 1)).toEqual([]);
    const troubled = [...turns.values()].flat().filter(({ keys }) => keys[0] === TROUBLED);
    expect(troubled.length).toBeGreaterThan(0);
    const failed = troubled.filter(({ keys }) => keys.length > 1);
    expect(failed.length > 0).toBe(trouble === "failing");
    for (const { id, keys } of failed) {
      expect(keys).toHaveLength(2);
      expect((await createOperator(world).get(`/requests/${id}`)).body.moved).toBe("failover");
    }
  });
});

test("requests that are refused before they call leave the places of others alone", async () => {
  const openings = Array.from({ length: 40 }, (_, at) => `steady ${at}`);
  const listKeys = async () => {
    const keys: (string | undefined)[] = [];
    for (const opening of openings) keys.push((await open("steady-chat", opening)).keys[0]);
    return keys;
  };
  const before = await listKeys();
  const { secret } = await world.newKey({ requests_per_day: null, requests_per_minute: 1 });
  const statuses: number[] = [];
  for (let at = 0; at <= CROWD; at++) {
    const messages = [{ role: "user", content: "hello" }];
    const answered = await world.chat({ model: "steady-chat#one", messages }, { secret });
    await answered.text();
    statuses.push(answered.status);
  }
  // More would go elsewhere, if they counted.
  expect(statuses).toEqual([200, ...Array.from({ length: CROWD }, () => 429)]);
  expect(new Set(before).size).toBeGreaterThan(EQUAL_KEYS.length / 2);
  expect(await listKeys()).toEqual(before);
});
