// Credentials with limits over HTTP: the provider gets no more calls than it allows while another has room.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject } from "../../../src/core/json/json.ts";
import { SKILLS } from "../../../src/core/models/skill.ts";
import { type Started, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { formatLine, type Seen, seen } from "../world/observe.ts";
import { createOperator } from "../world/operator.ts";

/** The same for all kinds of tasks. */
const skills = (share: number) => `{ skills: { ${SKILLS.map((skill) => `${skill}: ${share}`).join(", ")} } }`;

let world: UnderTest;
let regions: Simulator;
let other: Started | null = null;
beforeAll(async () => {
  regions = await startSimulator({ port: 0 });
  const region = (name: string, keys: string) =>
    `  ${name}: { dialect: openai, keys: [${keys}], base_url: "${regions.url}/openai/v1", unlisted_models: true }`;
  const choosable = (name: string, model: string, keys: string) =>
    `  ${name}: { dialect: openai, keys: [${keys}], base_url: "${regions.url}/openai/v1", models: [{ name: ${model}, context: 8192, output: 1024, price: { input: 1, output: 2 } }] }`;
  world = await startUnderTest({
    more: [
      region("Pair", "{ key: pair-1, requests_per_minute: 3 }, { key: pair-2, requests_per_minute: 4 }"),
      region("North", "{ key: north-1, requests_per_minute: 5 }, { key: north-2, requests_per_minute: 2 }"),
      region("South", "{ key: south-1, requests_per_minute: 8 }"),
      region(
        "Wide",
        Array.from({ length: 9 }, (_, at) => `{ key: wide-${at}, requests_per_minute: 2 }`).join(),
      ),
      region("Words", "{ key: words-1, tokens_per_minute: 9000 }"),
      region("Many", "{ key: many-1, requests_per_minute: 7 }"),
      choosable("Good", "one", "{ key: good-1, requests_per_minute: 2 }"),
      choosable("Fair", "two", "fair-1"),
      `models: { "Good#one": ${skills(0.99)}, "Fair#two": ${skills(0.1)} }`,
      'aliases: { team: [{ model: "North#sim-mini", weight: 2 }, { model: "South#sim-mini" }] }',
    ].join("\n"),
  });
});
afterAll(async () => {
  await other?.stop();
  await world.stop();
  await regions.stop();
});

async function ask(model: string, more: object = {}): Promise<Seen> {
  const messages = [{ role: "user", content: "say: hello" }];
  return seen(await world.chat({ model, messages, max_tokens: 4000, ...more }));
}

async function askAtOnce(requests: number, model: string): Promise<readonly Seen[]> {
  return Promise.all(Array.from({ length: requests }, () => ask(model)));
}

/** The provider's calls by these credentials. */
function countCalls(prefix: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { headers } of regions.calls.all()) {
    const key = String(headers.authorization).replace("Bearer ", "");
    if (key.startsWith(prefix)) counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

const count = (answers: readonly Seen[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

test("each credential gets as many requests as it allows, and the next refusal says when one has room", async () => {
  const answers = await askAtOnce(10, "Pair#sim-mini");
  expect([count(answers, 200), count(answers, 429)]).toEqual([7, 3]);
  expect(countCalls("pair")).toEqual({ "pair-1": 3, "pair-2": 4 });
  const refused = await ask("Pair#sim-mini");
  expect(formatLine(refused)).toMatch(/^429 rate_limit_error provider_busy, retry after \d+$/);
  expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 17);
});

test("an alias of two regions uses up both before it refuses anything", async () => {
  const answers = await askAtOnce(20, "team");
  expect([count(answers, 200), count(answers, 429)]).toEqual([15, 5]);
  expect(countCalls("north")).toEqual({ "north-1": 5, "north-2": 2 });
  expect(countCalls("south")).toEqual({ "south-1": 8 });
});

test("a selector chooses among models whose credentials have room", async () => {
  const { secret } = await world.newKey({
    requests_per_day: null,
    allowed_models: ["Router#best", "Good#one", "Fair#two"],
  });
  const messages = [{ role: "user", content: "say: hello" }];
  const chosen: unknown[] = [];
  for (let at = 0; at < 3; at++) {
    const { headers, body } = await seen(await world.chat({ model: "Router#best", messages }, { secret }));
    const { decision } = (await createOperator(world).get(`/requests/${body.id}`)).body;
    chosen.push([headers.get("x-poundkey-model"), asObject(decision).choice]);
  }
  expect(chosen).toEqual([
    ["Good#one", "Good#one"],
    ["Good#one", "Good#one"],
    ["Fair#two", "Fair#two"],
  ]);
});

test("no credential is left unused, even with more credentials than attempts", async () => {
  const answers = await askAtOnce(18, "Wide#sim-mini");
  expect(count(answers, 200)).toBe(18);
  expect(Object.values(countCalls("wide"))).toEqual(Array(9).fill(2));
});

test("tokens are counted as expected while calls run, then as reported", async () => {
  const answers = await askAtOnce(5, "Words#sim-mini~latency=1500");
  expect([count(answers, 200), count(answers, 429)]).toEqual([2, 3]);
  for (let at = 0; at < 6; at++)
    expect((await ask("Words#sim-mini", { stream: at % 2 === 0 })).status).toBe(200);
});

test("several answers count as the calls they take", async () => {
  expect((await ask("Many#sim-mini", { n: 3 })).status).toBe(200);
  const calls = countCalls("many")["many-1"] ?? 0;
  const left = await askAtOnce(8, "Many#sim-mini");
  expect(count(left, 200)).toBe(7 - calls);
});

test("each gateway process counts for itself", async () => {
  other = await world.another();
  const headers = { "content-type": "application/json", authorization: `Bearer ${world.secret}` };
  const messages = [{ role: "user", content: "say: hello" }];
  const init = { method: "POST", headers, body: JSON.stringify({ model: "Pair#sim-mini", messages }) };
  expect((await fetch(`${other.url}/v1/chat/completions`, init)).status).toBe(200);
});
