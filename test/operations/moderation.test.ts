// Moderation over HTTP: texts, parts, places and prices of 0.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../src/core/json/json.ts";
import type { Seen } from "../whole/world/observe.ts";
import { type OperationsWorld, startOperationsWorld } from "./world.ts";

let world: OperationsWorld;
beforeAll(async () => {
  world = await startOperationsWorld('aliases: { "omni-moderation-latest": "Priced#judge" }');
});
afterAll(() => world.stop());
beforeEach(() => world.simulator.reset());

const PICTURE = { type: "image_url", image_url: { url: "https://pictures.example/1.png" } };

function judge(body: Record<string, unknown>, init?: Parameters<OperationsWorld["post"]>[2]): Promise<Seen> {
  return world.post("/v1/moderations", { model: "Priced#judge", ...body }, init);
}

function readFlags({ body }: Seen): readonly unknown[] {
  return asArray(body.results).map((one) => asObject(one).flagged);
}

test("each text has its own verdict, in order", async () => {
  const answer = await judge({ input: ["good day", "I will kill you", "flowers"] });
  expect([answer.status, readFlags(answer)]).toEqual([200, [false, true, false]]);
  const [, flagged] = asArray(answer.body.results).map(asObject);
  expect(asObject(flagged?.categories).violence).toBe(true);
  expect(Object.keys(asObject(flagged?.category_scores))).toHaveLength(13);
  expect(answer.body).toMatchObject({ id: expect.stringMatching(/^modr-/), model: "Priced#judge" });
});

test("text and picture parts are judged together, and forwarded unchanged", async () => {
  const input = [{ type: "text", text: "kill" }, PICTURE];
  expect(readFlags(await judge({ input }))).toEqual([true]);
  expect(world.bodies()[0]?.input).toEqual(input);
});

test("Mistral only judges texts", async () => {
  const model = "Mistral#mistral-moderation-latest";
  expect(readFlags(await judge({ model, input: ["kill", "hello"] }))).toEqual([true, false]);
  const refused = await judge({ model, input: [PICTURE] });
  expect([refused.status, refused.error?.code]).toEqual([400, "unsupported_capability"]);
});

test("a price of 0 is a price: the request is free, needs no balance, and takes a place", async () => {
  const { secret } = await world.newKey({ requests_per_day: 3 });
  const answer = await judge({ input: ["a", "b"] }, { secret });
  expect(answer.body.usage).toMatchObject({ cost: 0, charged: 0 });
  expect(await world.used(secret)).toBe(1);
  expect(await world.row(answer)).toMatchObject({
    operation: "moderation",
    surface: "moderations",
    cost_usd: 0,
  });
  expect((await judge({ model: "Priced#judge~trouble=503", input: "a" }, { secret })).status).toBe(502);
  expect(await world.used(secret)).toBe(1);
  const poor = await world.payer(0);
  expect((await judge({ input: "a" }, { secret: poor.secret })).status).toBe(200);
});

test("a request without a model uses the alias of OpenAI's default model", async () => {
  const answer = await world.post("/v1/moderations", { input: "a" });
  expect([answer.status, answer.body.model]).toEqual([200, "Priced#judge"]);
});

describe("refused before any call", () => {
  const ROWS: readonly (readonly [string, Record<string, unknown>, string, string])[] = [
    ["no input", {}, "missing_required_parameter", "input"],
    ["an empty list", { input: [] }, "empty_array", "input"],
    ["a part of another type", { input: [{ type: "audio" }] }, "invalid_value", "input[0].type"],
    [
      "a picture without an address",
      { input: [{ type: "image_url" }] },
      "missing_required_parameter",
      "input[0].image_url",
    ],
    ["texts among parts", { input: ["a", PICTURE] }, "invalid_type", "input"],
    [
      "a picture for a model of texts",
      { model: "Priced#judge~trouble=503", input: [PICTURE] },
      "unsupported_capability",
      "input",
    ],
    ["a stream", { input: "a", stream: true }, "unsupported_parameter", "stream"],
    ["a chat model", { model: "Priced#talk", input: "a" }, "unsupported_capability", "model"],
  ];
  for (const [name, body, code, param] of ROWS) {
    test(name, async () => {
      const refused = await judge(body);
      expect([refused.status, refused.error?.code, refused.error?.param]).toEqual([400, code, param]);
      expect(world.simulator.calls.total).toBe(0);
    });
  }
});
