// The pages of a stored response's input items: each item is on one page, whatever ids the client gave them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, asString, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

let under: UnderTest;
beforeAll(async () => {
  under = await startUnderTest({ more: "responses: { keep: 1d }" });
});
afterAll(() => under.stop());

const user = (content: string, more: JsonObject = {}) => ({ role: "user", content, ...more });

async function ask(path: string, body?: JsonObject): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${under.secret}`, "content-type": "application/json" };
  const init = { headers, ...(body ? { method: "POST", body: JSON.stringify(body) } : {}) };
  return asObject(await (await fetch(`${under.url}/v1/responses${path}`, init)).json());
}

/** Reads two items a page until the last page, or until more than there are have come. */
async function readPages(id: unknown, order: string): Promise<JsonObject[]> {
  const read: JsonObject[] = [];
  for (let after = ""; read.length < 10; ) {
    const page = await ask(`/${id}/input_items?limit=2&order=${order}${after}`);
    read.push(...asArray(page.data).map(asObject));
    if (page.has_more !== true) break;
    after = `&after=${encodeURIComponent(asString(page.last_id) ?? "")}`;
  }
  return read;
}

test.each<[string, readonly JsonObject[]]>([
  ["without ids", [{}, {}, {}, {}]],
  ["whose id is null", [{ id: null }, { id: null }, { id: null }, { id: "msg_1" }]],
  ["of the same id", [{ id: "msg_1" }, { id: "msg_1" }, { id: "msg_1" }, { id: "msg_1" }]],
  ["with ids like ours", [{}, { id: "item_0" }, { id: "item_0_" }, { id: "item_0" }]],
  ["whose double is like ours", [{ id: "item_1" }, { id: "item_1" }, { id: "item_1_" }, { id: "item_3" }]],
  ["whose id is empty", [{ id: "" }, { id: "" }, {}, { id: "item_2" }]],
])("items %s", async (_, fields) => {
  const texts = fields.map((_, at) => `say: ${at}`);
  const input = texts.map((text, at) => user(text, fields[at]));
  const { id } = await ask("", { model: "Local#sim", input });
  for (const [order, wanted] of [
    ["asc", texts],
    ["desc", texts.toReversed()],
  ] as const) {
    const items = await readPages(id, order);
    expect(items.map(({ content }) => content)).toEqual(wanted.map((text) => [{ type: "input_text", text }]));
    expect(new Set(items.map((item) => item.id)).size).toBe(texts.length);
  }
  for (const [param, value] of [
    ["after", "msg_gone"],
    ["order", "newest"],
  ]) {
    const { error } = await ask(`/${id}/input_items?${param}=${value}`);
    expect(error).toMatchObject({ code: "invalid_value", param });
  }
});

test("items have OpenAI's form, whatever short form the client used", async () => {
  const { id: first } = await ask("", { model: "Local#sim", input: "say: one" });
  const picture = { type: "input_image", image_url: "data:image/png;base64,aGk=", detail: "auto" };
  const call = { type: "function_call", call_id: "c1", name: "look", arguments: "{}" };
  const input = [
    { role: "assistant", content: "I look." },
    call,
    { type: "function_call_output", call_id: "c1", output: "a text" },
    user("go on", { type: "message" }),
    { role: "developer", content: "briefly" },
    { role: "user", content: [{ type: "input_text", text: "this" }, picture] },
  ];
  const { id } = await ask("", { model: "Local#sim", previous_response_id: first, input });
  const { data } = await ask(`/${id}/input_items?order=asc`);
  const items = asArray(data).map(asObject);
  expect(items.every((item) => typeof item.id === "string")).toBe(true);
  const output = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });
  const said = (text: string, role = "user") => ({
    type: "message",
    role,
    content: [{ type: "input_text", text }],
  });
  expect(items.map(({ id: _, ...item }) => item)).toEqual([
    said("say: one"),
    { type: "message", status: "completed", role: "assistant", content: [output("one")] },
    { type: "message", status: "completed", role: "assistant", content: [output("I look.")] },
    call,
    { type: "function_call_output", call_id: "c1", output: "a text" },
    said("go on"),
    said("briefly", "developer"),
    { ...said("this"), content: [{ type: "input_text", text: "this" }, picture] },
  ]);
});
