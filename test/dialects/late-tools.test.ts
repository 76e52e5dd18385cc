// Tools that a conversation adds and removes, read by the surfaces that have such messages and written for each target: in
// their place, or in `tools`.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import type { Outgoing, Target } from "../../src/core/models/dialect.ts";
import type { DialectName } from "../../src/core/models/dialect-names.ts";
import type { Refusal } from "../../src/core/models/refusals.ts";
import { carryBedrock } from "../../src/dialects/anthropic/carriers.ts";
import { ANTHROPIC_LANE } from "../../src/dialects/anthropic/lane.ts";
import type { ChatRequest, ReasoningDetail, ToolChange } from "../../src/operations/chat/form.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { packSaid, unpackSaid } from "../../src/operations/chat/prompt/said-again.ts";
import { findDialect } from "../../src/providers/index.ts";
import { makeModelCard } from "../harness/cards.ts";
import { findChatCodec } from "../harness/codec.ts";
import { readMessages, readResponses } from "../surfaces/lane/native-read.ts";
import { makeRequest } from "./cases/drive.ts";

const TARGET: Target = { baseUrl: "https://provider.test", secret: "s", headers: {} };
const makeCard = (id: string) => makeModelCard(id, { capabilities: new Set(["tools"]) });
const CLAUDE = makeCard("Anthropic#claude-opus-5-5");
const OLDER = makeCard("Anthropic#claude-opus-4-6");
const GPT = makeCard("OpenAI#gpt-6.2-sol");
const OLDER_GPT = makeCard("OpenAI#gpt-5.4");
const SERVER = makeCard("Own#some");

function send(dialect: DialectName, card: ModelCard, ask: ChatRequest, target: Target = TARGET): Outgoing {
  return CHAT.encode(findChatCodec(findDialect(dialect)), ask, card, target);
}
const toClaude = (ask: ChatRequest, refuses?: ReadonlySet<Refusal>) =>
  send("anthropic", CLAUDE, ask, refuses ? { ...TARGET, refuses } : TARGET);
const toGpt = (ask: ChatRequest) => send("responses", GPT, ask).body;
const toServer = (ask: ChatRequest) => send("openai", SERVER, ask).body;

const schema = { type: "object", properties: { a: { type: "string" } } };
const own = (name: string, more: JsonObject = {}) => ({ name, input_schema: schema, ...more });
const listed = (name: string) => ({ type: "function", name, parameters: schema, strict: false });
const asFunction = (name: string) => ({ type: "function", function: { name, parameters: schema } }) as const;
const define = (name: string, more: JsonObject = {}) => ({
  type: "tool_addition",
  tool: { type: "tool_definition", definition: own(name, more) },
});
const refer = (type: "tool_addition" | "tool_removal", name: string) => ({
  type,
  tool: { type: "tool_reference", name },
});
const user = (content: unknown) => ({ role: "user", content });
const answer = (content: unknown) => ({ role: "assistant", content });
const system = (...content: readonly JsonObject[]) => ({ role: "system", content });
const text = (said: string) => ({ type: "text", text: said });
const adding = (...names: readonly string[]) => ({
  type: "additional_tools",
  role: "developer",
  tools: names.map(listed),
});
const allow = (mode: string, ...names: readonly string[]) => ({
  type: "allowed_tools",
  mode,
  tools: names.map((name) => ({ type: "function", name })),
});

const fromResponses = (input: readonly JsonObject[], more: JsonObject = {}) =>
  readResponses({ input, tools: [listed("one")], ...more }).ask;
const readOwn = (messages: readonly JsonObject[], more: JsonObject = {}) =>
  readMessages({ messages, tools: [own("one")], ...more });
const fromMessages = (messages: readonly JsonObject[], more: JsonObject = {}) => readOwn(messages, more).ask;

const names = (tools: unknown) =>
  asArray(tools).map((tool) => asObject(asObject(tool).function).name ?? asObject(tool).name);
const betas = ({ headers }: Outgoing) => String(headers["anthropic-beta"] ?? "");

describe("tools that items of Responses add", () => {
  const input = [user("a"), answer("b"), adding("two"), user("c")];

  test("are defined behind the user's turn at Claude, and stay there", () => {
    const first = toClaude(fromResponses(input));
    expect(first.body.messages).toEqual([
      user([text("a")]),
      answer([text("b")]),
      user([text("c")]),
      system(define("two")),
    ]);
    expect(names(first.body.tools)).toEqual(["one"]);
    expect(betas(first)).toContain("inline-tools-2026-09-15");
    const next = toClaude(fromResponses([...input, answer("d"), user("e")]));
    expect(asArray(next.body.messages).slice(0, 4)).toEqual([...asArray(first.body.messages)]);
    expect(next.body.tools).toEqual(first.body.tools);
  });

  test("are in `tools` of all others, and at Claude once it has refused them", () => {
    const ask = fromResponses(input);
    expect(names(send("anthropic", OLDER, ask).body.tools)).toEqual(["one", "two"]);
    const refused = toClaude(ask, new Set<Refusal>(["tools_late"]));
    expect([names(refused.body.tools), betas(refused)]).toEqual([["one", "two"], ""]);
    expect(JSON.stringify(refused.body.messages)).not.toContain("tool_");
    expect(toServer(ask)).toMatchObject({
      messages: [user("a"), answer("b"), user("c")],
      tools: [asFunction("one"), asFunction("two")],
    });
    const older = send("responses", OLDER_GPT, ask).body;
    expect([names(older.tools), asArray(older.input).length]).toEqual([["one", "two"], 3]);
  });

  test("are in `tools` at Bedrock, which knows no such blocks, and so are those of Claude's own clients", () => {
    const { body } = carryBedrock(toClaude(fromResponses(input)), CLAUDE, TARGET);
    expect(names(body.tools)).toEqual(["one", "two"]);
    expect(JSON.stringify(body.messages)).not.toContain("tool_");
    const { raw, ask } = readMessages(
      {
        messages: [user("a"), system(text("Now."), define("two"), refer("tool_removal", "one"))],
        tools: [own("one")],
      },
      {},
      "inline-tools-2026-09-15",
    );
    if (raw === null) throw new Error("There is no native request.");
    const native = carryBedrock(ANTHROPIC_LANE.encode(raw, ask, CLAUDE, TARGET), CLAUDE, TARGET).body;
    expect(names(native.tools)).toEqual(["two"]);
    expect(native.messages).toEqual([user("a"), system(text("Now."))]);
  });

  test("are removed once, by the gateway or by the client, and brought back", () => {
    const thinking = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 } as const;
    const said = unpackSaid(
      packSaid({ said: "", removed: ["one", "two"], added: [], id: "signed-by-claude" }),
    );
    if (said === null) throw new Error("The words can't be read.");
    const before: ReasoningDetail = { ...thinking, text: "Hm.", signature: "signed-by-claude" };
    const change = (type: "added" | "removed", name: string) => ({ type, name }) as const;
    const changing = (...tool_changes: readonly ToolChange[]) =>
      ({ role: "developer", content: "", tool_changes }) as const;
    const messages = (...changes: readonly ToolChange[]): ChatRequest["messages"] => [
      { role: "user", content: "a" },
      changing(change("added", "two")),
      {
        role: "assistant",
        content: "b",
        reasoning_details: [before, said],
      },
      { role: "user", content: "c" },
      ...(changes.length > 0 ? [changing(...changes)] : []),
    ];
    const ask = (...changes: readonly ToolChange[]) => {
      const tools = [asFunction("one"), asFunction("two")] as const;
      return asArray(toClaude(makeRequest({ tools, messages: messages(...changes) })).body.messages);
    };
    const past = [define("two"), refer("tool_removal", "one"), refer("tool_removal", "two")];
    const bring = (...names: readonly string[]) => names.map((name) => refer("tool_addition", name));
    const listSystem = (sent: readonly unknown[]) =>
      sent
        .map(asObject)
        .filter(({ role }) => role === "system")
        .map(({ content }) => content);
    expect(listSystem(ask())).toEqual([past, bring("one", "two")]);
    expect(listSystem(ask(change("removed", "two")))).toEqual([past, bring("one")]);
    expect(listSystem(ask(change("removed", "two"), change("added", "two")))).toEqual([
      past,
      bring("two", "one"),
    ]);
  });

  test("are in `tools` where they stand before the first user message, or where no user's turn follows an answer", () => {
    for (const items of [
      [adding("two"), user("a")],
      [user("a"), answer("b"), adding("two")],
    ]) {
      const { body } = toClaude(fromResponses(items));
      expect(names(body.tools)).toEqual(["one", "two"]);
      expect(JSON.stringify(body.messages)).not.toContain("tool_addition");
    }
  });

  test("come with a search for tools, and behind the result of the call before which they stand", () => {
    const found = { type: "tool_search_output", call_id: "s", tools: [listed("two")] };
    const call = { type: "function_call", call_id: "c", name: "one", arguments: "{}" };
    const output = { type: "function_call_output", call_id: "c", output: "r" };
    const { body } = toClaude(fromResponses([user("a"), call, found, output]));
    expect(asArray(body.messages).map((one) => asObject(one).role)).toEqual([
      "user",
      "assistant",
      "user",
      "system",
    ]);
    expect(asArray(body.messages).at(-1)).toEqual(system(define("two")));
  });

  test("are one with those of the same name", () => {
    const again = fromResponses([user("a"), adding("one", "two"), answer("b"), adding("two"), user("c")]);
    const { body } = toClaude(again);
    expect(names(body.tools)).toEqual(["one"]);
    expect(JSON.stringify(body.messages).match(/tool_addition/g)).toHaveLength(1);
    expect(names(toServer(again).tools)).toEqual(["one", "two"]);
  });

  test("may be the ones that must or may be called", () => {
    const forced = fromResponses(input, { tool_choice: { type: "function", name: "two" } });
    const { body } = send("anthropic", makeCard("Anthropic#claude-opus-5"), forced);
    expect(body.tool_choice).toEqual({ type: "tool", name: "two" });
    const only = toClaude(fromResponses(input, { tool_choice: allow("auto", "two") }));
    expect(asArray(only.body.messages).at(-1)).toEqual(system(define("two"), refer("tool_removal", "one")));
  });

  test("keep their namespace's name, and are custom ones as they were", () => {
    const grouped = { type: "namespace", name: "files", tools: [listed("read")] };
    const custom = { type: "custom", name: "run" };
    const ask = fromResponses([user("a"), { type: "additional_tools", tools: [grouped, custom] }]);
    const { body } = toClaude(ask);
    const blocks = asArray(asObject(asArray(body.messages).at(-1)).content).map(asObject);
    const defined = blocks.map(({ tool }) => asObject(asObject(tool).definition).name);
    expect(defined).toEqual(["files__read", "run"]);
    expect(toGpt(ask).input).toMatchObject([
      { role: "user" },
      { type: "additional_tools", tools: [{ type: "function", name: "files__read" }, { type: "custom" }] },
    ]);
  });
});

describe("tools that messages add and remove", () => {
  const messages = [user("a"), system(text("Now more."), define("two")), answer("b"), user("c")];

  test("are items at their place at OpenAI's newer models", () => {
    const { ask, lost } = readOwn(messages);
    expect(lost).toEqual([]);
    expect(toGpt(ask).input).toEqual([
      { type: "message", role: "user", content: "a" },
      { type: "message", role: "system", content: [{ type: "input_text", text: "Now more." }] },
      adding("two"),
      {
        type: "message",
        role: "assistant",
        phase: "final_answer",
        content: [{ type: "output_text", text: "b" }],
      },
      { type: "message", role: "user", content: "c" },
    ]);
    expect(names(toGpt(ask).tools)).toEqual(["one"]);
    expect(names(toServer(ask).tools)).toEqual(["one", "two"]);
  });

  test("wait in `tools` for the message that names them", () => {
    const ask = fromMessages([user("a"), answer("b"), user("c"), system(refer("tool_addition", "two"))], {
      tools: [own("one"), own("two", { defer_loading: true })],
    });
    const body = toGpt(ask);
    expect([names(body.tools), asArray(body.input).at(-1)]).toEqual([["one"], adding("two")]);
    expect(names(toServer(ask).tools)).toEqual(["one", "two"]);
  });

  test("are not allowed once they are removed, and are again when they come back", () => {
    const both = { tools: [own("one"), own("two")] };
    const start = [user("a"), system(refer("tool_removal", "two")), answer("b"), user("c")];
    const choose = (tool_choice?: JsonObject) =>
      toGpt(fromMessages(start, { ...both, ...(tool_choice ? { tool_choice } : {}) })).tool_choice;
    expect(choose()).toEqual(allow("auto", "one"));
    expect(choose({ type: "any" })).toEqual(allow("required", "one"));
    expect(choose({ type: "tool", name: "one" })).toEqual({ type: "function", name: "one" });
    expect(choose({ type: "tool", name: "two" })).toEqual(allow("auto", "one"));
    expect(choose({ type: "none" })).toBe("none");
    const ask = fromMessages(start, both);
    expect(names(toGpt(ask).tools)).toEqual(["one", "two"]);
    expect(names(toServer(ask).tools)).toEqual(["one"]);
    const back = toGpt(fromMessages([...start, system(refer("tool_addition", "two"))], both));
    expect([names(back.tools), back.tool_choice]).toEqual([["one", "two"], undefined]);
    expect(JSON.stringify(back.input)).not.toContain("additional_tools");
  });

  test("leave none: no tool is called", () => {
    const ask = fromMessages([user("a"), system(refer("tool_removal", "one"))], {
      tool_choice: { type: "any" },
    });
    expect(toGpt(ask).tool_choice).toBe("none");
    const plain = toServer(ask);
    expect([plain.tools, plain.tool_choice]).toEqual([undefined, undefined]);
  });

  test("are added again after their removal, in the place of one with their name", () => {
    const ask = fromMessages([
      user("a"),
      system(refer("tool_removal", "one"), define("one", { description: "New." })),
      answer("b"),
      user("c"),
    ]);
    expect(toServer(ask).tools).toMatchObject([{ function: { name: "one", description: "New." } }]);
  });

  test("need no schema, and are named where nobody has them", () => {
    const bare = { type: "tool_addition", tool: { type: "tool_definition", definition: { name: "bare" } } };
    const { ask, lost } = readOwn([
      user("a"),
      system(bare, refer("tool_addition", "nobody"), refer("tool_removal", "none")),
    ]);
    expect(lost).toEqual(["messages[1].content[1].tool", "messages[1].content[2].tool"]);
    expect(names(toServer(ask).tools)).toEqual(["one", "bare"]);
  });

  test("are kept in a summary, and none is a search", () => {
    const summary = { type: "compaction", content: "So far.", tool_changes: [define("two")] };
    const search = define("web_search", { type: "web_search_20250305" });
    const { ask, lost } = readOwn([user("a"), answer([summary]), user("b"), system(search)]);
    expect(names(toServer(ask).tools)).toEqual(["one", "two"]);
    expect(lost).toContain("messages[3].content[0].tool");
    expect(JSON.stringify(toGpt(ask))).not.toContain("web_search");
  });

  test("a message between a call and its result stands behind the result", () => {
    const call = { type: "tool_use", id: "c", name: "one", input: {} };
    const result = { type: "tool_result", tool_use_id: "c", content: "r" };
    const { body } = toClaude(
      fromMessages([user("a"), answer([call]), system(define("two")), user([result])]),
    );
    expect(asArray(body.messages).map((one) => asObject(one).role)).toEqual([
      "user",
      "assistant",
      "user",
      "system",
    ]);
  });

  test("long names are short in each place", () => {
    const long = "n".repeat(200);
    const { body } = toClaude(fromResponses([user("a"), adding(long)]));
    const [block] = asArray(asObject(asArray(body.messages).at(-1)).content).map(asObject);
    const { name } = asObject(asObject(block?.tool).definition);
    expect(String(name).length).toBeLessThanOrEqual(128);
  });
});
