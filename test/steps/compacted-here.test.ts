// A step may have a conversation summarised by a model in its provider's place: sealed for the account, read by every model.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { asArray, asObject, asString, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import type { Step } from "../../src/gateway/step.ts";
import { COMPACTION_INSTRUCTION } from "../../src/surfaces/openai-responses/compaction/instruction.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

/** Sends `hidden` for `private`, and has no provider keep such prompts. */
const step: Step = {
  before(call) {
    if (!JSON.stringify(call.ask).includes("private")) return null;
    call.compactHere?.();
    const { ask, raw, kept, operation } = call;
    const hide = (text: string) => text.replaceAll("private", "hidden");
    return {
      kind: "changed",
      ask: operation.mapTexts(ask, hide),
      raw: raw && { ...raw, body: raw.texts.mapRequest(raw.body, hide) },
      kept,
      keepsUpstream: false,
    };
  },
  around: () => null,
};

const MODEL = "OpenAI#gpt-5.4";
const TRIGGER = { type: "compaction_trigger" };
const say = (content: string) => ({ type: "message", role: "user", content });

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({ steps: [step], more: "responses: { keep: 1d }" });
});
afterAll(() => world.stop());
beforeEach(() => world.simulator.reset());

async function post(path: string, body: object) {
  const response = await fetch(world.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, ...body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    sent: JSON.stringify(world.simulator.calls.all().map(({ body: one }) => one)),
  };
}

const itemOf = (body: JsonObject) => asObject(asArray(body.output).at(-1));

/** Goes on with the item at another family's model, which reads only our own summaries. */
async function goOn(item: JsonObject): Promise<number> {
  const next = { model: "Anthropic#claude-sonnet-4-6", input: [item, say("Go on.")] };
  return (await post("/v1/responses", next)).status;
}

test.each(["/v1/responses", "/v1/responses/compact"])("whole, at %s", async (path) => {
  const items = [say("the private word is cake"), say("And now?")];
  const input = path.endsWith("compact") ? items : [...items, TRIGGER];
  const { status, text, sent } = await post(path, { input });
  expect(status).toBe(200);
  expect(sent).toContain(COMPACTION_INSTRUCTION.slice(0, 60));
  expect(sent).toContain("the hidden word");
  expect(sent).not.toMatch(/private|compaction_trigger/);
  const item = itemOf(asObject(parseJson(text)));
  expect([item.type, await goOn(item)]).toEqual(["compaction", 200]);
});

test("streamed", async () => {
  const { text, sent } = await post("/v1/responses", {
    input: [say("a private word"), TRIGGER],
    stream: true,
  });
  expect(sent).not.toMatch(/private|compaction_trigger/);
  expect([...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type)).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.compaction.compacting",
    "response.output_item.done",
    "response.completed",
  ]);
  const data = text.match(/^event: response\.completed\ndata: (.*)$/m)?.[1] ?? "";
  const response = asObject(asObject(parseJson(data)).response);
  expect(await goOn(itemOf(response))).toBe(200);
  const next = await post("/v1/responses", { input: "Go on.", previous_response_id: asString(response.id) });
  expect(next.status).toBe(200);
});

test("a provider compacts what no step minds", async () => {
  const { text, sent } = await post("/v1/responses", { input: [say("an open word"), TRIGGER] });
  expect(sent).toContain("compaction_trigger");
  expect(await goOn(itemOf(asObject(parseJson(text))))).toBe(400);
});

test("a summary that a provider made before goes on there", async () => {
  const made = await post("/v1/responses", { input: [say("an open word"), TRIGGER] });
  const item = itemOf(asObject(parseJson(made.text)));
  const next = await post("/v1/responses", { input: [item, say("a private word"), TRIGGER] });
  expect(next.status).toBe(200);
  expect(next.sent).toContain('"encrypted_content":"gAAAA');
  expect(next.sent).not.toContain("private");
});
