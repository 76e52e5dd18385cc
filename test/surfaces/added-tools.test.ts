// Every way to define a tool in a Messages request: held, limited, left out or refused alike.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json/json.ts";
import { ASKED, findRefusal, letPass, readMessages } from "./lane/native-read.ts";

const inMessage = (...content: readonly JsonObject[]) => ({ messages: [ASKED, { role: "system", content }] });
const add = (definition: unknown) => ({
  type: "tool_addition",
  tool: { type: "tool_definition", definition },
});
const own: JsonObject = { name: "mine", input_schema: { type: "object" } };

/** Each way to define a tool in a Messages request, and the tool's place. */
const MESSAGES_PLACES: readonly (readonly [string, (tool: unknown) => JsonObject])[] = [
  ["tools[1]", (tool) => ({ tools: [own, tool] })],
  ["messages[1].content[0].tool.definition", (tool) => inMessage(add(tool))],
  [
    "messages[1].content[0].tool_changes[0].tool.definition",
    (tool) => inMessage({ type: "compaction", content: "b", tool_changes: [add(tool)] }),
  ],
];

describe.each(MESSAGES_PLACES)("a tool of a Messages request at %s", (place, makeBody) => {
  test("is held and limited if it searches", () => {
    for (const [max_uses, uses] of [
      [1000, 1000],
      [undefined, 5],
    ] as const) {
      const { searches, raw } = readMessages(
        makeBody({ type: "web_search_20250305", name: "web_search", ...(max_uses ? { max_uses } : {}) }),
      );
      expect(searches).toBe(uses);
      expect(JSON.stringify(raw?.body)).toContain(`"max_uses":${uses}`);
    }
  });

  test("is held for what it may fetch", () => {
    const fetching = (fields: JsonObject) =>
      readMessages(makeBody({ type: "web_fetch_20250910", name: "web_fetch", ...fields }));
    const plain = readMessages(makeBody({ type: "bash_20250124", name: "bash" }));
    const bytes = fetching({}).unreadBytes - plain.unreadBytes;
    expect(bytes).toBeGreaterThan(5 * 25_000);
    expect(fetching({ max_uses: 50 }).unreadBytes - plain.unreadBytes).toBeGreaterThan(9 * bytes);
    expect(JSON.stringify(fetching({ max_uses: 2 }).raw?.body)).toContain(
      '"max_uses":2,"max_content_tokens":25000',
    );
  });

  test.each(["code_execution_20250825", "advisor_20260301", "web_search_20991231", "from_next_year"])(
    "is left out and named if it is %s, which has no price",
    (type) => {
      const { dropped, raw, searches } = readMessages(makeBody({ type, name: "it", max_uses: 9 }));
      expect([dropped, searches]).toEqual([[place], 0]);
      expect(JSON.stringify(raw?.body)).not.toContain(type);
    },
  );

  test("is refused if it calls a server of the client's choice", () => {
    const body = makeBody({ type: "mcp_toolset", mcp_server_name: "a" });
    expect(findRefusal(() => readMessages(body))).toEqual(["unsupported_parameter", place]);
    expect(JSON.stringify(readMessages(body, { remoteTools: true }).raw)).toContain("mcp_toolset");
  });

  test("passes if the operator knows its name", () => {
    const body = makeBody({ type: "from_next_year", name: "it" });
    const { dropped, raw } = readMessages(body, letPass({ tools: ["from_next_year"] }));
    expect(dropped).toEqual([]);
    expect(JSON.stringify(raw?.body)).toContain("from_next_year");
  });

  test("passes unchanged if the client runs it", () => {
    const body = makeBody({ ...own, name: "other" });
    const { dropped, raw } = readMessages(body);
    expect(dropped).toEqual([]);
    expect(raw?.body).toMatchObject(body);
  });

  test("must be an object, with limits that are counts", () => {
    const listed = makeBody([own]);
    expect(findRefusal(() => readMessages(listed))).toEqual(["invalid_type", place]);
    for (const max_uses of [0, 1.5, "9", 1e300]) {
      const tool = { type: "web_search_20250305", name: "web_search", max_uses };
      const [, param] = findRefusal(() => readMessages(makeBody(tool)));
      expect(param).toBe(`${place}.max_uses`);
    }
  });
});

test("a type that is no text passes for no known one", () => {
  const odd = { type: ["from_next_year"], name: "it" };
  const { raw, dropped } = readMessages(inMessage(add(odd), { type: "text", text: "b" }));
  expect(dropped).toEqual(["messages[1].content[0].tool.definition"]);
  expect(JSON.stringify(raw)).not.toContain("from_next_year");
});

test("searches that several messages add are held together", () => {
  const search = { type: "web_search_20250305", name: "web_search", max_uses: 7 };
  expect(readMessages({ ...inMessage(add(search), add(search)), tools: [search] }).searches).toBe(21);
});

test("a tool hidden in another field is refused", () => {
  const search = { type: "web_search_20250305", name: "web_search" };
  const hidden: readonly (readonly [string, JsonObject])[] = [
    [
      "messages[0].content[0].more[0]",
      { messages: [{ role: "user", content: [{ type: "text", text: "a", more: [search] }] }] },
    ],
    ["messages[0].more", { messages: [{ ...ASKED, more: search }] }],
    [
      "messages[0].content[0].content[0]",
      {
        messages: [
          { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [add(search)] }] },
        ],
      },
    ],
    ["more.tools[0]", { more: { tools: [search] } }],
  ];
  for (const [param, body] of hidden)
    expect(findRefusal(() => readMessages(body))).toEqual(["unsupported_capability", param]);
});
