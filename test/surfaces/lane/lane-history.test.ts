// Conversations that another model has continued, in the native lanes: what the vendor would refuse is mended, and
// nothing else is touched.
import { describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { ChatLane } from "../../../src/dialects/dialect.ts";
import { findDialect } from "../../../src/providers/index.ts";
import { ANTHROPIC_MESSAGES } from "../../../src/surfaces/anthropic-messages/surface.ts";
import { GEMINI } from "../../../src/surfaces/gemini/surface.ts";
import { signThinking } from "../../../src/surfaces/signature.ts";
import { makeCard } from "../../dialects/cases/drive.ts";
import { findChatCodec } from "../../harness/codec.ts";
import { TARGET } from "../../providers/target.ts";
import { incoming, PLAIN_SEALER } from "../recorded.ts";

function laneOf(name: "anthropic" | "gemini"): ChatLane {
  const lane = findDialect(name).chat?.lanes?.[name];
  if (!lane) throw new Error(`The dialect ${name} has no lane of its own family.`);
  return lane;
}

const says = (role: string, content: unknown) => ({ role, content });
const asked = says("user", "look");
const use = (id: string) => ({ type: "tool_use", id, name: "look", input: {} });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "rain" });
const text = (said: string) => ({ type: "text", text: said });
const signed = { type: "thinking", thinking: "hm", signature: "claude" };
const foreign = { type: "thinking", thinking: "hm", signature: signThinking(PLAIN_SEALER, "hm", []) };
const unsigned = { type: "thinking", thinking: "hm", signature: "" };
const enabled = { type: "enabled", budget_tokens: 2000 };

function readMessages(body: JsonObject) {
  const { raw, ask } = ANTHROPIC_MESSAGES.read(
    incoming({ model: "m", max_tokens: 4000, thinking: enabled, ...body }),
  );
  if (raw === null) throw new Error("no raw request");
  return { raw, ask };
}

function sendMessages(body: JsonObject, model = "claude-sonnet-4-5") {
  const { raw, ask } = readMessages(body);
  return laneOf("anthropic").encode(raw, ask, makeCard(model, ["reasoning", "tools"]), TARGET);
}

describe("a thinking budget", () => {
  const loop = (...first: readonly JsonObject[]) => [
    asked,
    says("assistant", [...first, use("a")]),
    says("user", [result("a")]),
  ];
  const further = [says("assistant", [use("b")]), says("user", [result("b")])];
  const CASES: readonly (readonly [name: string, messages: readonly unknown[], keeps: boolean])[] = [
    ["a loop that another model began", loop(foreign), false],
    ["a loop that began without thinking", loop(text("I look.")), false],
    ["its later steps", [...loop(foreign), ...further], false],
    ["notes within it", [...loop(foreign), says("system", "note"), ...further], false],
    ["a user who says more beside the result", [...loop(foreign), says("user", "and then?")], false],
    [
      "two turns of the assistant in a row",
      [...loop(foreign).slice(0, 1), says("assistant", "I look."), ...loop(foreign).slice(1)],
      false,
    ],
    ["a loop that Claude began", loop(signed), true],
    ["later steps without thinking", [...loop(signed), ...further], true],
    ["a loop that is over", [...loop(foreign), says("assistant", "rain"), asked], true],
    ["no loop", [asked], true],
  ];
  test.each(CASES)("%s", (_name, messages, keeps) => {
    const { body, dropped } = sendMessages({ messages });
    expect([body.thinking, dropped]).toEqual(keeps ? [enabled, []] : [undefined, ["thinking"]]);
  });

  test("goes with the edits that need it", () => {
    const edits = [{ type: "clear_thinking_20251015", keep: "all" }, { type: "clear_tool_uses_20250919" }];
    const send = (given: readonly JsonObject[], more: JsonObject = {}) =>
      sendMessages({ messages: loop(foreign), context_management: { edits: given }, ...more });
    expect(send(edits).body.context_management).toEqual({ edits: edits.slice(1) });
    expect(send(edits).dropped).toEqual(["thinking", "context_management"]);
    expect(send(edits.slice(0, 1)).body).not.toHaveProperty("context_management");
    expect(send(edits.slice(1)).body.context_management).toEqual({ edits: edits.slice(1) });
    expect(send(edits.slice(1)).dropped).toEqual(["thinking"]);
    expect(send(edits, { messages: loop(signed) }).body.context_management).toEqual({ edits });
  });

  test("stays for adaptive thinking, and on other servers, some of which sign nothing", () => {
    const adaptive = { type: "adaptive" };
    expect(sendMessages({ messages: loop(foreign), thinking: adaptive }).body.thinking).toEqual(adaptive);
    expect(sendMessages({ messages: loop(unsigned) }, "kimi-k3").body.thinking).toEqual(enabled);
  });

  test("is given up if the provider misses thinking in the loop, and with it the rest of the thinking", () => {
    const { raw, ask } = readMessages({ messages: loop(signed) });
    const said =
      "messages.3.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.";
    const fault = new Fault("upstream_rejected", said);
    const repaired = laneOf("anthropic").repair?.(raw, fault);
    expect(repaired?.body).not.toHaveProperty("thinking");
    expect(repaired?.body.messages).toEqual(loop());
    const codec = findChatCodec(findDialect("anthropic"));
    const card = makeCard("claude-sonnet-4-5", ["reasoning", "tools"]);
    const translated = codec.repair?.({ ...ask, reasoning_effort: "high" }, fault);
    if (!translated) throw new Error("nothing was repaired");
    const sent = codec.encode(translated, card, TARGET);
    expect([sent.body.thinking, sent.dropped]).toEqual([undefined, ["reasoning_effort"]]);
  });
});

describe("a turn of nothing but thinking", () => {
  test.each([
    ["of another model", foreign],
    ["without a signature", unsigned],
  ])("%s is left out, and the user's turns around it are one", (_name, thinking) => {
    const turn = says("assistant", [thinking]);
    const more = says("user", [text("go on")]);
    const send = (...messages: readonly unknown[]) =>
      sendMessages({ messages, thinking: undefined }).body.messages;
    expect(send(asked, turn, more)).toEqual([says("user", [text("look"), text("go on")])]);
    expect(send(asked, turn, turn, more)).toEqual([says("user", [text("look"), text("go on")])]);
    expect(send(asked, turn)).toEqual([asked]);
    const before = [asked, says("assistant", [use("a")]), says("user", [result("a")])];
    expect(send(...before, turn, more)).toEqual([
      ...before.slice(0, 2),
      says("user", [result("a"), text("go on")]),
    ]);
  });

  test("of Claude stays, and two turns of the user that came in a row", () => {
    const messages = [asked, says("user", "go on"), says("assistant", [signed]), asked];
    expect(sendMessages({ messages }).body.messages).toBe(messages);
  });
});

describe("a call of another model", () => {
  const SKIP = { thoughtSignature: "skip_thought_signature_validator" };
  const turn = (role: string, ...parts: readonly unknown[]) => ({ role, parts });
  const call = (id: string, more: JsonObject = {}) => ({
    functionCall: { id, name: "look", args: {} },
    ...more,
  });
  const answer = (id: string) => turn("user", { functionResponse: { id, name: "look", response: {} } });
  const start = turn("user", { text: "look" });
  const own = { thoughtSignature: "google" };

  function send(contents: readonly unknown[], model = "gemini-3-pro") {
    const given = incoming({ contents }, `/v1beta/models/${model}:generateContent`);
    const { raw, ask } = GEMINI.read(given);
    if (raw === null) throw new Error("no raw request");
    return laneOf("gemini").encode(raw, ask, makeCard(model, ["reasoning", "tools"]), TARGET).body.contents;
  }

  test("is sent with what stands for its signature", () => {
    const parallel = turn("model", { text: "I look." }, call("a"), call("b"));
    expect(send([start, parallel, answer("a"), answer("b")])).toEqual([
      start,
      turn("model", { text: "I look." }, call("a", SKIP), call("b")),
      answer("a"),
      answer("b"),
    ]);
    const mixed = [start, turn("model", call("a")), answer("a"), turn("model", call("b", own)), answer("b")];
    expect(
      asArray(send(mixed)).map((one) => asObject(asArray(asObject(one).parts)[0]).thoughtSignature),
    ).toEqual([undefined, SKIP.thoughtSignature, undefined, "google", undefined]);
    const snake = { function_call: { name: "look", args: {} } };
    expect(send([start, turn("model", snake), answer("a")])).toEqual([
      start,
      turn("model", { ...snake, ...SKIP }),
      answer("a"),
    ]);
  });

  test.each([
    ["signed", [start, turn("model", call("a", own), call("b")), answer("a")], "gemini-3-pro"],
    [
      "of an earlier turn",
      [start, turn("model", call("a")), answer("a"), turn("model", { text: "rain" }), start],
      "gemini-3-pro",
    ],
    ["for a model that needs none", [start, turn("model", call("a")), answer("a")], "gemini-2.5-flash"],
  ] as const)("%s stays as it came", (_name, contents, model) => {
    expect(send(contents, model)).toBe(contents);
  });
});
