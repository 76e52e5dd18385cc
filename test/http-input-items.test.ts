// The pages of a stored response's input items: each item is on one page, whatever ids the client gave them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, asString, type JsonObject } from "../src/core/json.ts";
import { startUnderTest, type UnderTest } from "./harness.ts";

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
    expect(items.map(({ content }) => content)).toEqual([...wanted]);
    expect(new Set(items.map((item) => item.id)).size).toBe(texts.length);
  }
  const { error } = await ask(`/${id}/input_items?after=msg_gone`);
  expect(error).toMatchObject({ code: "invalid_value", param: "after" });
});
