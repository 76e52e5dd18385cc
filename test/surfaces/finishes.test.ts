// The providers' words for an answer's finish, translated to each surface. The family's own words stay unchanged.
import { expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import type { DialectName } from "../../src/core/models/dialect-names.ts";
import { unfold } from "../../src/operations/chat/answer/fold.ts";
import { Normaliser, normaliseReply } from "../../src/operations/chat/answer/normalise.ts";
import type { ChatReply, Finish } from "../../src/operations/chat/form.ts";
import { ChatMeter } from "../../src/operations/chat/meter.ts";
import { findDialect } from "../../src/providers/index.ts";
import { OPENAI_CHAT } from "../../src/surfaces/openai-chat/surface.ts";
import { makeCard } from "../dialects/cases/drive.ts";
import { findChatCodec } from "../harness/codec.ts";
import { makeExchange } from "./readings.ts";
import { incoming, STAMP } from "./recorded.ts";

const REQUEST = { model: "m", messages: [{ role: "user" as const, content: "a" }] };

const anthropic = (reason: string, sequence: string | null = null) => ({
  type: "message",
  content: [{ type: "text", text: "b" }],
  stop_reason: reason,
  stop_sequence: sequence,
});
const gemini = (finishReason: string) => ({
  candidates: [{ content: { role: "model", parts: [{ text: "b" }] }, finishReason }],
});
const bedrock = (stopReason: string) => ({
  output: { message: { role: "assistant", content: [{ text: "b" }] } },
  stopReason,
});
const chat = (finish: string) => ({
  choices: [{ index: 0, message: { role: "assistant", content: "b" }, finish_reason: finish }],
});
const cohere = (finish: string) => ({
  message: { content: [{ type: "text", text: "b" }] },
  finish_reason: finish,
});
const responses = (reason: string) => ({
  status: "incomplete",
  incomplete_details: { reason },
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "b" }] }],
});

/** The words are in the order chat completions, Messages, Gemini, Responses. */
const row = (dialect: DialectName, body: JsonObject, ...words: readonly string[]) => ({
  dialect,
  body,
  words,
});
const ROWS = [
  row("anthropic", anthropic("end_turn"), "stop/end_turn", "end_turn", "STOP", "completed"),
  row("anthropic", anthropic("pause_turn"), "stop/pause_turn", "pause_turn", "STOP", "completed"),
  row(
    "anthropic",
    anthropic("stop_sequence", "##"),
    "stop/stop_sequence/##",
    "stop_sequence/##",
    "STOP",
    "completed",
  ),
  row(
    "anthropic",
    anthropic("model_context_window_exceeded"),
    "length/model_context_window_exceeded",
    "model_context_window_exceeded",
    "MAX_TOKENS",
    "max_output_tokens",
  ),
  row("anthropic", anthropic("refusal"), "content_filter/refusal", "refusal", "SAFETY", "content_filter"),
  row("gemini", gemini("STOP"), "stop/STOP", "end_turn", "STOP", "completed"),
  row("gemini", gemini("MAX_TOKENS"), "length/MAX_TOKENS", "max_tokens", "MAX_TOKENS", "max_output_tokens"),
  row("gemini", gemini("SAFETY"), "content_filter/SAFETY", "refusal", "SAFETY", "content_filter"),
  row("gemini", gemini("SPII"), "content_filter/SPII", "refusal", "SPII", "content_filter"),
  row("bedrock", bedrock("stop_sequence"), "stop/stop_sequence", "stop_sequence", "STOP", "completed"),
  row(
    "bedrock",
    bedrock("guardrail_intervened"),
    "content_filter/guardrail_intervened",
    "refusal",
    "SAFETY",
    "content_filter",
  ),
  row("openai", chat("stop"), "stop", "end_turn", "STOP", "completed"),
  row("openai", chat("eos"), "stop/eos", "end_turn", "STOP", "completed"),
  row(
    "openai",
    chat("model_length"),
    "length/model_length",
    "model_context_window_exceeded",
    "MAX_TOKENS",
    "max_output_tokens",
  ),
  row("openai", chat("constructor"), "stop/constructor", "end_turn", "STOP", "completed"),
  row("cohere", cohere("STOP_SEQUENCE"), "stop/STOP_SEQUENCE", "stop_sequence", "STOP", "completed"),
  row(
    "responses",
    responses("max_output_tokens"),
    "length/max_output_tokens",
    "max_tokens",
    "MAX_TOKENS",
    "max_output_tokens",
  ),
];

function join(...words: readonly unknown[]): string {
  return words.filter((word) => word !== null && word !== undefined).join("/");
}

function readChat(body: unknown): string {
  const [choice] = asArray(asObject(body).choices).map(asObject);
  return join(choice?.finish_reason, choice?.native_finish_reason, choice?.stop_sequence);
}

function readAll(reply: ChatReply): readonly unknown[] {
  const message = asObject(makeExchange("messages").whole(reply, STAMP));
  const [candidate] = asArray(asObject(makeExchange("gemini").whole(reply, STAMP)).candidates);
  const { status, incomplete_details: cause } = asObject(makeExchange("responses").whole(reply, STAMP));
  return [
    readChat(OPENAI_CHAT.read(incoming(REQUEST)).whole(reply, STAMP)),
    join(message.stop_reason, message.stop_sequence),
    asObject(candidate).finishReason,
    cause === null ? status : asObject(cause).reason,
  ];
}

for (const { dialect, body, words } of ROWS) {
  test(`${dialect}'s ${words[0]}`, () => {
    const codec = findChatCodec(findDialect(dialect));
    const given = codec.reply(body, makeCard("m", null), REQUEST, new Headers());
    expect(readAll(normaliseReply(given, REQUEST))).toEqual([...words]);
  });
}

/** The form of each dialect's answer, and words of it that no table has. */
const FORMS = [
  ["anthropic", anthropic],
  ["bedrock", bedrock],
  ["openai", chat],
  ["cohere", cohere],
  ["gemini", gemini],
] as const;
const UNKNOWN = [
  ["caught_by_policy", "content_filter", "refusal", "SAFETY", "content_filter"],
  ["step_limit", "length", "max_tokens", "MAX_TOKENS", "max_output_tokens"],
  ["weary", "stop", "end_turn", "STOP", "completed"],
] as const;

for (const [dialect, form] of FORMS) {
  const read = (word: string) => {
    const codec = findChatCodec(findDialect(dialect));
    return codec.reply(form(word), makeCard("m", null), REQUEST, new Headers());
  };
  test.each(UNKNOWN)(`${dialect}'s unknown %s is %s, and is told`, (word, means, ...words) => {
    const reply = normaliseReply(read(word), REQUEST);
    expect(readAll(reply)).toEqual([`${means}/${word}`, ...words]);
    const [whole, streamed] = [new ChatMeter(), new ChatMeter()];
    whole.takeWhole(reply);
    const normaliser = new Normaliser(REQUEST);
    streamed.add([...normaliser.push(unfold(reply)), ...normaliser.end()]);
    expect([whole.unknownFinishes, streamed.unknownFinishes]).toEqual([[word], [word]]);
    expect(JSON.stringify(reply)).not.toContain("unknown");
  });
  test(`${dialect}'s unknown failure fails the attempt`, () => {
    expect(() => read("internal_error_7")).toThrow();
  });
}

test.each(["ESCALATION", "PUP_LIMITED_DISABLED"])("Gemini's %s is filtered, and known", (word) => {
  const codec = findChatCodec(findDialect("gemini"));
  const reply = codec.reply(gemini(word), makeCard("m", null), REQUEST, new Headers());
  const meter = new ChatMeter();
  meter.takeWhole(reply);
  expect([reply.choices[0]?.finish_reason, meter.unknownFinishes]).toEqual(["content_filter", undefined]);
});

test("an unknown word for an incomplete response is a cut, or a filter if it says so", () => {
  const codec = findChatCodec(findDialect("responses"));
  const found = ["step_budget", "safety_stop", "steered"].map((word) => {
    const reply = codec.reply(responses(word), makeCard("m", null), REQUEST, new Headers());
    const meter = new ChatMeter();
    meter.takeWhole(reply);
    return [reply.choices[0]?.finish_reason, meter.unknownFinishes];
  });
  expect(found).toEqual([
    ["length", ["step_budget"]],
    ["content_filter", ["safety_stop"]],
    ["length", undefined],
  ]);
});

test("a stop sequence applied by the gateway is named", () => {
  const finish: Finish = { finish_reason: "length", native_finish_reason: "MAX_TOKENS" };
  const message = { role: "assistant" as const, content: "b## c", refusal: null };
  const given = { choices: [{ index: 0, message, logprobs: null, ...finish }] };
  const cut = normaliseReply(given, REQUEST, 0, ["##", "#"]);
  expect(cut.choices[0]?.message.content).toBe("b");
  expect(readAll(cut)).toEqual(["stop/#", "stop_sequence/#", "STOP", "completed"]);
});
