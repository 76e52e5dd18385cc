// A refused request is logged as it would have left: with a mark in place of every finding, on every chat surface.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { makeRequest, nameWay, WAYS } from "../../steps/asked.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { type GuardWorld, startGuardWorld } from "./world.ts";

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let own: GuardWorld;
beforeAll(async () => {
  own = await startGuardWorld(`
log: { content: true }
guard:
  rules:
    - { name: people, detect: [email], action: mask, attachments: refuse }
    - { name: cards, detect: [card], action: refuse }`);
});
afterAll(() => own.stop());

/** Returns what the page of the key's only request shows of its contents. */
async function readContent(key: string): Promise<string> {
  const operator = createOperator(own.world);
  const id = await until("it is logged", async () => {
    const { body } = await operator.get(`/requests?key=${key}`);
    return asObject(asArray(body.data)[0]).id ?? null;
  });
  const content = await until(
    "its content is",
    async () => (await operator.get(`/requests/${id}`)).body.content,
  );
  return JSON.stringify(content);
}

const newKey = (name: string) => own.world.newKey({ name, requests_per_day: null });

describe.each(WAYS.map((way) => [nameWay(way), way] as const))("%s", (name, way) => {
  test("what a rule refused is a mark, and what another masks, too", async () => {
    const { secret, id } = await newKey(name);
    const words = "say: to ada@corp-x.de with 4532 0151 1283 0366";
    expect((await own.post(...makeRequest(way, words), secret)).status).toBe(400);
    const content = await readContent(id);
    expect(content).toContain("to [EMAIL] with [CARD]");
    expect(content).not.toMatch(/ada@|4532/);
  });
});

test("so is what another rule would have masked, where an attachment is refused", async () => {
  const { secret, id } = await newKey("with a picture");
  const parts = [
    { type: "text", text: "Who is ada@corp-x.de?" },
    { type: "image_url", image_url: { url: PIXEL } },
  ];
  const body: JsonObject = { model: "Local#sim", messages: [{ role: "user", content: parts }] };
  expect((await own.post("/v1/chat/completions", body, secret)).status).toBe(400);
  const content = await readContent(id);
  expect(content).toContain("Who is [EMAIL]?");
  expect(content).not.toContain("ada@");
});
