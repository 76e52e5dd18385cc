// The judge of meanings: it sees each loss, and takes what only moved for the same.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { SURFACE_KEYS } from "../../surfaces/crossing/crossing.ts";
import { writeBody, writeConversation } from "./conversation.ts";
import { findLost } from "./meaning.ts";

const ASKS = writeConversation();
const FORCED = ASKS.findIndex(({ forced }) => forced !== undefined);
const LAST = ASKS.length - 1;

function write(at: number): JsonObject {
  const ask = ASKS[at];
  if (ask === undefined) throw new Error(`There is no request ${at}.`);
  return writeBody("chat", ask, false, 0);
}

const messages = (body: JsonObject) => asArray(body.messages).map(asObject);
const without = (role: string) => (body: JsonObject) => {
  const list = messages(body);
  const at = list.findIndex((one) => one.role === role);
  return { ...body, messages: list.toSpliced(at, 1) };
};
const withText = (content: string) => (body: JsonObject) => ({
  ...body,
  messages: messages(body).map((one) => (Array.isArray(one.content) ? { ...one, content } : one)),
});
const withoutType = ({ tools, ...body }: JsonObject) => ({
  ...body,
  tools: asArray(tools).map((tool) => ({
    ...asObject(tool),
    function: { ...asObject(asObject(tool).function), parameters: { type: "object" } },
  })),
});

const LOSSES: Readonly<Record<string, readonly [part: string, change: (body: JsonObject) => JsonObject]>> = {
  "a system message": ["system", without("system")],
  "a user's message": ["texts", without("user")],
  "a call": ["calls", without("assistant")],
  "an answer": ["texts", (body) => ({ ...body, messages: messages(body).toSpliced(4, 1) })],
  "a result": ["texts", without("tool")],
  "pictures and files": ["media", withText("mark-u2")],
  "a tool": ["tools", (body) => ({ ...body, tools: asArray(body.tools).slice(1) })],
  schemas: ["tools", withoutType],
  "a JSON format": ["format", (body) => ({ ...body, response_format: undefined })],
  "a format's schema": ["format", (body) => ({ ...body, response_format: { type: "json_object" } })],
  "a stop sequence": ["stop", (body) => ({ ...body, stop: undefined })],
  "the limit": ["limit", (body) => ({ ...body, max_tokens: undefined })],
};

describe("a loss is seen", () => {
  test.each(Object.entries(LOSSES))("%s", (_, [part, change]) => {
    const body = write(LAST);
    const lost = findLost(["chat", body], ["chat", change(body)]).map((line) => line.split(":")[0]);
    expect(lost).toContain(part);
  });

  test("a forced tool", () => {
    const body = write(FORCED);
    const lost = findLost(["chat", body], ["chat", { ...body, tool_choice: "auto" }]);
    expect(lost.map((line) => line.split(":")[0])).toContain("choice");
  });
});

describe("what only moved is the same", () => {
  test.each([...SURFACE_KEYS])("the same body at %s", (surface) => {
    for (const ask of ASKS) {
      const body = writeBody(surface, ask, false, 0);
      expect(findLost([surface, body], [surface, body])).toEqual([]);
    }
  });

  test("late system messages as the user's", () => {
    const body = write(LAST);
    const moved = messages(body).map((one, at) =>
      at > 0 && /mark-s/.test(String(one.content)) ? { ...one, role: "user" } : one,
    );
    expect(findLost(["chat", body], ["chat", { ...body, messages: moved }])).toEqual([]);
  });

  test("a forced tool as the only one that is shown", () => {
    const body = write(FORCED);
    const alone = { ...body, tool_choice: "required", tools: asArray(body.tools).slice(0, 1) };
    expect(findLost(["chat", body], ["chat", alone])).toEqual([]);
  });
});
