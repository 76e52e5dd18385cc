// More of Google's Interactions API with Google's own JavaScript SDK, over every family: forced functions, schemas, searches, and
// each kind of refusal; and what isn't kept any more.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { until } from "../../whole/world/until.ts";
import { failure, PLAIN } from "../setting.ts";
import { InteractionsClient, KEEPING, listCalls, ONCE, readText, TOOLS } from "./interactions-setting.ts";

let under: UnderTest;
let client: InteractionsClient;

beforeAll(async () => {
  under = await startUnderTest(KEEPING);
  client = new InteractionsClient(under, under.secret);
});
afterAll(() => under.stop());

/** One model of each family that can be made to call a function. */
const FORCED = [PLAIN, "Anthropic#claude-haiku-4-5", "Google#gemini-3.5-flash", "OpenAI#gpt-5.6-sol"];

describe.each(FORCED)("%s", (model) => {
  test("calls the function that it must", async () => {
    const allowed_tools = { mode: "any" as const, tools: ["get_weather"] };
    for (const ask of client.ways) {
      const seen = await ask({
        model,
        input: "say: good day",
        tools: TOOLS,
        generation_config: { tool_choice: { allowed_tools } },
        store: false,
      });
      expect(seen.status).toBe("requires_action");
      expect(listCalls(seen).map(({ name }) => name)).toEqual(["get_weather"]);
    }
  });

  test("keeps to a schema", async () => {
    const schema = {
      type: "object",
      properties: { city: { type: "string" }, size: { type: "integer" } },
      required: ["city", "size"],
      additionalProperties: false,
    };
    for (const ask of client.ways) {
      const response_format = { type: "text" as const, mime_type: "application/json" as const, schema };
      const seen = await ask({ model, input: "A city.", response_format, store: false });
      expect(JSON.parse(readText(seen))).toEqual({ city: expect.any(String), size: expect.any(Number) });
    }
  });
});

test.each(FORCED.filter((model) => model !== PLAIN))("%s searches", async (model) => {
  for (const ask of client.ways) {
    const tools = [{ type: "google_search" as const }];
    const seen = await ask({ model, input: "search: who won?", tools, store: false });
    const types = seen.steps.map(({ type }) => type);
    // Gemini says only at the end of a stream what it searched for.
    expect(types.filter((type) => type !== "thought").toSorted()).toEqual([
      "google_search_call",
      "google_search_result",
      "model_output",
    ]);
    expect(JSON.stringify(seen.steps)).toContain("url_citation");
  }
});

test("the SDK's errors have the status of each kind of refusal", async () => {
  const limited = await under.newKey({ requests_per_day: 1 });
  const { sdk: poor } = new InteractionsClient(under, limited.secret);
  const { sdk: nobody } = new InteractionsClient(under, "pk-nobody");
  const { sdk } = client;
  const input = "say: hi";
  await poor.interactions.create({ model: PLAIN, input });
  const refusals = [
    [400, () => sdk.interactions.create({ model: PLAIN, input: [] })],
    [401, () => nobody.interactions.create({ model: PLAIN, input })],
    [404, () => sdk.interactions.create({ model: "Acme#nobody", input })],
    [429, () => poor.interactions.create({ model: PLAIN, input }, ONCE)],
  ] as const;
  for (const [status, call] of refusals) expect(await failure(Error, call())).toMatchObject({ status });
});

test("a refused request is sent once if the call says so, until its provider rests, which is 503", async () => {
  const { sdk } = client;
  const asked = { model: "Cohere#command-a-03-2025~500", input: "say: hi" };
  const before = under.simulator.calls.total;
  const statuses: unknown[] = [];
  while (statuses.at(-1) !== 503 && statuses.length < 20) {
    const refused = await failure(Error, sdk.interactions.create(asked, ONCE));
    statuses.push(asObject({ ...refused }).status);
  }
  const failed = statuses.slice(0, -1);
  expect(statuses).toEqual([...failed.map(() => 502), 503]);
  expect(under.simulator.calls.total - before).toBe(failed.length);
  const streamed = sdk.interactions.create({ ...asked, stream: true }, ONCE);
  expect(await failure(Error, streamed)).toMatchObject({ status: 503 });
});

test("beyond the account's bytes the oldest are gone, and whole: none goes on from them", async () => {
  const { sdk } = client;
  const ids: string[] = [];
  const say = async (text: string) => {
    const { id } = await client.whole({
      model: PLAIN,
      input: `say: ${text}. ${crypto.randomUUID().repeat(6500)}`,
    });
    ids.push(id);
  };
  for (const text of ["one", "two", "three", "four", "five"]) await say(text);
  const [oldest = "", newest = ""] = [ids[0], ids.at(-1)];
  await until("the oldest is gone", async () => {
    const found = await sdk.interactions.get(oldest).catch((error: unknown) => error);
    return asObject(found).status === 404;
  });
  const next = { model: PLAIN, input: "say: on", previous_interaction_id: oldest };
  expect(await failure(Error, sdk.interactions.create(next))).toMatchObject({ status: 400 });
  await client.whole({ ...next, previous_interaction_id: newest });
  expect(JSON.stringify(under.simulator.calls.last()?.body)).toContain("say: five");
});
