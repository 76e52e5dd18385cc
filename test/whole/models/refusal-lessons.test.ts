// Lessons on refusals through whole gateways on one store: learned once, known to others and after a restart, tried once a
// day, pinned and forgotten by the operator.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { asArray, asObject, asString, type JsonObject } from "../../../src/core/json/json.ts";
import { type Started, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { IS_LONG } from "../../harness/long.ts";
import { useDatabases } from "../../store/postgres/databases.ts";
import { answerGuarded } from "../world/guarded-upstream.ts";
import { createOperator } from "../world/operator.ts";
import { serveHttp, type TestServer } from "../world/serve.ts";
import { until } from "../world/until.ts";

const LATE = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Hello." },
  { role: "system", content: "It is noon." },
  { role: "user", content: "say: good day" },
];
/** The words of the server's sentence. */
const WORDS = ["system_late", "system_several"];
const DAY_MS = 86_400_000;

let calls = 0;
let isStrict = true;
let upstream: TestServer;

function answer(request: IncomingMessage, response: ServerResponse): Promise<void> | void {
  calls++;
  if (isStrict) return answerGuarded(request, response);
  const choices = [{ index: 0, message: { role: "assistant", content: "good day" }, finish_reason: "stop" }];
  request.resume();
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ id: "1", object: "chat.completion", created: 1, model: "m", choices }));
}

beforeAll(async () => {
  upstream = await serveHttp(answer);
});
afterAll(() => upstream.stop());

/** Starts a gateway. Its accounts ask with a late system message. */
async function startWorld(store?: string) {
  const models = ["shared", "tried", "pinned", "forgotten", "alone"].map(
    (name) => `{ name: ${name}, context: 9000, output: 99, price: { input: 0, output: 0 } }`,
  );
  const gateway = await startUnderTest({
    ...(store === undefined ? {} : { store }),
    more: `  House: { dialect: openai, base_url: "${upstream.url}", keys: [k-1], unlisted_models: true, models: [${models.join(", ")}] }`,
  });
  const secrets: string[] = [];
  for (const name of ["ann", "ben", "cat"]) {
    const account = await gateway.newAccount(name);
    secrets.push((await gateway.newKey({ account_id: account, requests_per_day: null })).secret);
  }
  return { gateway, secrets };
}

interface World {
  readonly gateway: UnderTest;
  readonly secrets: readonly string[];
}

/** Returns the number of calls that a request of an account took. It is answered. */
async function ask(world: World, model: string, account: number, url = world.gateway.url): Promise<number> {
  const before = calls;
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${world.secrets[account]}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ model: `House#${model}`, messages: LATE }),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("good day")]);
  return calls - before;
}

const path = (model: string) => `/models/${encodeURIComponent(`House#${model}`)}`;

/** Returns what a gateway says of the model's lessons. */
async function readLessons({ gateway }: World, model: string, url = gateway.url): Promise<JsonObject[]> {
  const { body } = await createOperator({ ...gateway, url }).get(path(model));
  return asArray(body.lessons).map(asObject);
}

async function untilShared(world: World, model: string, url: string): Promise<void> {
  await until("the other node knows it", async () => {
    const [lesson] = await readLessons(world, model, url);
    return lesson?.known_to === "all";
  });
}

/** Learned from two accounts on the first node, and known on the second's first request, and on a third's that starts. */
async function playNodes(world: World): Promise<void> {
  let other: Started | null = await world.gateway.another();
  try {
    expect([await ask(world, "shared", 0), await ask(world, "shared", 0)]).toEqual([2, 1]);
    await until("the other node knows it for one", async () => {
      const [lesson] = await readLessons(world, "shared", other?.url);
      return lesson?.known_to === "some";
    });
    expect(await ask(world, "shared", 0, other.url)).toBe(1);
    expect(await ask(world, "shared", 1)).toBe(2);
    await untilShared(world, "shared", other.url);
    expect(await ask(world, "shared", 2, other.url)).toBe(1);
    await other.stop();
    other = null;
    other = await world.gateway.another();
    expect(await ask(world, "shared", 2, other.url)).toBe(1);
  } finally {
    await other?.stop();
  }
}

describe("on SQLite", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.gateway.stop());

  test("a lesson of two accounts is known to another node's first request, and after a restart", () =>
    playNodes(world));

  test("one account's is its own, and one about a name that a client made up stays in the process", async () => {
    expect([await ask(world, "alone", 0), await ask(world, "alone", 1)]).toEqual([2, 2]);
    const calls: number[] = [];
    for (const account of [0, 0, 1, 2]) calls.push(await ask(world, "made-up", account));
    expect(calls).toEqual([2, 1, 2, 1]);
    expect(await readLessons(world, "made-up")).toEqual([]);
    expect(await readMetric(world.gateway)).toBeGreaterThan(0);
  });

  test("a day later, one request tries, and the lesson ends once the server takes it", async () => {
    for (const account of [0, 1]) await ask(world, "tried", account);
    await untilShared(world, "tried", world.gateway.url);
    await passDay(world, "tried");
    await until("a refused trial", async () => (await ask(world, "tried", 2)) === 2);
    expect([await ask(world, "tried", 2), await ask(world, "tried", 2)]).toEqual([1, 1]);
    isStrict = false;
    try {
      await passDay(world, "tried");
      await until("the lesson has ended", async () => {
        expect(await ask(world, "tried", 2)).toBe(1);
        return (await readLessons(world, "tried")).length === 0;
      });
    } finally {
      isStrict = true;
    }
    await until("it is logged", () => world.gateway.events.some(({ event }) => event === "refusal_ended"));
    expect(world.gateway.events).toContainEqual(
      expect.objectContaining({
        event: "refusal_ended",
        model: "House#tried",
        host: new URL(upstream.url).host,
        refuses: ["system_late"],
        reason: "answered",
      }),
    );
  });

  test("the operator pins a lesson", async () => {
    await ask(world, "pinned", 0);
    const [first, second] = await readLessons(world, "pinned");
    expect([first, second?.refuses]).toEqual([
      {
        refuses: "system_late",
        meaning: "a system message anywhere but at the beginning",
        pinned: false,
        host: new URL(upstream.url).host,
        first_seen: expect.any(String),
        last_seen: expect.any(String),
        confirmed: true,
        known_to: "some",
        conditions: [{ beside: [], perhaps: [] }],
      },
      "system_several",
    ]);
    await createOperator(world.gateway).patch(path("pinned"), { refuses: WORDS });
    await until("only pinned ones are left", async () => (await readLessons(world, "pinned")).length === 2);
    const pinned = { pinned: true, host: null, known_to: "all" };
    expect(await readLessons(world, "pinned")).toMatchObject([pinned, pinned]);
    expect(await ask(world, "pinned", 2)).toBe(1);
  });

  test("the operator has a lesson forgotten for good", async () => {
    await ask(world, "forgotten", 0);
    const operator = createOperator(world.gateway);
    await operator.patch(path("forgotten"), { refuses: WORDS.map((word) => `-${word}`) });
    await until("it is gone", async () => (await readLessons(world, "forgotten")).length === 0);
    await until("its end is logged", () =>
      world.gateway.events.some(({ model, reason }) => model === "House#forgotten" && reason === "card"),
    );
    const { body } = await operator.get(path("forgotten"));
    expect(body.refuses).toEqual(["-system_late", "-system_several"]);
    const refused = await world.gateway.chat({ model: "House#forgotten", messages: LATE });
    expect(refused.status).toBe(400);
  });
});

test.skipIf(!IS_LONG)("the same holds for two nodes on one PostgreSQL", async () => {
  const server = await useDatabases();
  const world = await startWorld(server.url);
  try {
    await playNodes(world);
  } finally {
    await world.gateway.stop();
    await server.remove();
  }
});

async function readMetric({ url }: UnderTest): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(asString(/^poundkey_refusal_lessons (\d+)$/m.exec(text)?.[1]));
}

/** Sets the model's last trial back by a day, in the store. */
async function passDay({ gateway }: World, model: string): Promise<void> {
  const database = new Database(join(gateway.directory, "poundkey.db"));
  const back = "UPDATE refusal_lesson SET tried_at_ms = tried_at_ms - ? WHERE model = ?";
  await until("it is written", () => database.run(back, [DAY_MS, `House#${model}`]).changes === WORDS.length);
  database.run("UPDATE setting SET value = CAST(value + 1 AS TEXT) WHERE name = 'refusal_lessons'");
  database.close();
}
