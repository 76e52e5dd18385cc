// Claude on Bedrock: the Messages API over InvokeModel, and corrections after a refusal.
import { describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { RawRequest, Target } from "../../../src/core/models/dialect.ts";
import type { Refusal } from "../../../src/core/models/refusals.ts";
import { PROVIDERS } from "../../../src/providers/index.ts";
import { MESSAGES_TEXTS } from "../../../src/surfaces/anthropic-messages/texts.ts";
import { findChatCodec } from "../../harness/codec.ts";
import { makeCard, makeRequest } from "../cases/drive.ts";

const dialects = PROVIDERS.find(({ name }) => name === "Bedrock")?.dialects ?? [];
const claude = dialects.find(({ name }) => name === "anthropic");
if (!claude) throw new Error("Bedrock has no dialect");
const lane = findChatCodec(claude).lanes?.anthropic;
const card = makeCard("us.anthropic.claude-sonnet-4-5-20250929-v1:0", ["tools", "reasoning"], 1000);
const target = { baseUrl: "https://bedrock.example", secret: "s3cret", headers: { "X-Team": "7" } };
const PATH = "https://bedrock.example/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0";

function carry(body: JsonObject, betas?: string, over: Target = target) {
  const headers: Record<string, string> = betas === undefined ? {} : { "anthropic-beta": betas };
  const raw: RawRequest = { family: "anthropic", body, headers, texts: MESSAGES_TEXTS };
  const outgoing = lane?.encode(raw, makeRequest({}), card, over);
  if (!outgoing) throw new Error("no lane");
  return claude?.carry?.(outgoing, card, over) ?? outgoing;
}

const messages = [{ role: "user", content: "Hi" }];

describe("the client's own request", () => {
  test("is sent unchanged except for the model in the path and the version in the body", () => {
    const body = {
      model: "ours",
      max_tokens: 500,
      system: [{ type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "1h" } }],
      messages,
      thinking: { type: "adaptive" },
      top_k: 4,
      unknown: { kept: true },
    };
    const { model: _model, ...rest } = body;
    expect(carry(body)).toEqual({
      url: `${PATH}/invoke`,
      headers: { authorization: "Bearer s3cret", "x-team": "7" },
      body: { anthropic_version: "bedrock-2023-05-31", ...rest },
      dropped: [],
    });
  });

  test("asks for frames if it is streamed", () => {
    const outgoing = carry({ max_tokens: 9, messages, stream: true });
    expect([outgoing.url, outgoing.answer, outgoing.body.stream]).toEqual([
      `${PATH}/invoke-with-response-stream`,
      "aws-eventstream",
      undefined,
    ]);
  });

  test("names the operator's guardrail in headers", () => {
    const guarded = { ...target, guardrail: { id: "abc", version: "7" } };
    expect(carry({ max_tokens: 9, messages }, undefined, guarded).headers).toEqual({
      authorization: "Bearer s3cret",
      "x-team": "7",
      "x-amzn-bedrock-guardrailidentifier": "abc",
      "x-amzn-bedrock-guardrailversion": "7",
    });
  });

  test("contains no key if the call is signed", () => {
    const outgoing = carry({ max_tokens: 9, messages }, undefined, { ...target, secret: null });
    expect(outgoing.headers).toEqual({ "x-team": "7" });
  });

  test("lists the betas that Bedrock supports in its body and drops the others with their fields", () => {
    const context = { edits: [{ type: "clear_tool_uses_20250919" }] };
    const kept = carry(
      { max_tokens: 9, messages, context_management: context, speed: "fast" },
      "context-management-2025-06-27, fast-mode-2026-02-01,computer-use-2025-01-24",
    );
    expect(kept.body).toMatchObject({
      anthropic_beta: ["context-management-2025-06-27", "computer-use-2025-01-24"],
      context_management: context,
    });
    expect(kept.body.speed).toBeUndefined();
    expect(kept.dropped).toEqual(["speed", "anthropic-beta"]);
    const lost = carry({ max_tokens: 9, messages, context_management: context }, "claude-code-20250219");
    expect([lost.body.anthropic_beta, lost.body.context_management]).toEqual([undefined, undefined]);
    expect(lost.dropped).toEqual(["context_management", "anthropic-beta"]);
  });

  test("has no field that only Anthropic's own service supports", () => {
    const outgoing = carry({
      max_tokens: 9,
      messages,
      service_tier: "auto",
      inference_geo: "us",
      container: "c",
      cache_control: { type: "ephemeral" },
    });
    expect(Object.keys(outgoing.body)).toEqual(["anthropic_version", "max_tokens", "messages"]);
    expect(outgoing.dropped).toEqual(["inference_geo", "cache_control", "container"]);
  });
});

describe("bound thinking", () => {
  const codec = findChatCodec(claude);
  const newest = makeCard("global.anthropic.claude-opus-5-5", ["tools", "reasoning"], 1000);
  const detail = {
    type: "reasoning.text" as const,
    text: "Hm",
    signature: "s",
    format: "anthropic-claude-v1",
    index: 0,
  };
  const request = makeRequest({
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Yes?", reasoning_details: [detail] },
      { role: "user", content: "No." },
    ],
  });
  const BETA = "thinking-binding-controls-2026-08-01";
  const bound = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };
  const refusing: Target = { ...target, refuses: new Set<Refusal>(["thinking_binding"]) };

  test("may be dropped, and its loss reported", () => {
    const outgoing = claude.carry?.(codec.encode(request, newest, target), newest, target);
    expect(outgoing?.url).toBe("https://bedrock.example/model/global.anthropic.claude-opus-5-5/invoke");
    expect([outgoing?.body.thinking, outgoing?.body.anthropic_beta]).toEqual([bound, [BETA]]);
    expect(outgoing?.dropped).toEqual([]);
  });

  test("isn't mentioned once that was refused", () => {
    const outgoing = claude.carry?.(codec.encode(request, newest, refusing), newest, refusing);
    expect([outgoing?.body.thinking, outgoing?.body.anthropic_beta]).toEqual([undefined, undefined]);
  });

  test("is the client's own wish in its own request", () => {
    const body = { max_tokens: 9, messages, thinking: bound };
    expect(carry(body, BETA).body).toMatchObject({ thinking: bound, anthropic_beta: [BETA] });
    for (const refused of [carry(body, BETA, refusing), carry(body)])
      expect([refused.body.thinking, refused.body.anthropic_beta]).toEqual([{ type: "adaptive" }, undefined]);
  });
});

describe("after a refusal", () => {
  const refused = (message: string, body: JsonObject) =>
    lane?.repair?.(
      { family: "anthropic", body, headers: {}, texts: MESSAGES_TEXTS },
      new Fault("upstream_rejected", message),
    );
  const EXTRA = "Extra inputs are not permitted";

  test("drops a field that the answer can do without", () => {
    const repaired = refused(`context_management: ${EXTRA}`, { messages, context_management: {} });
    expect(repaired?.body).toEqual({ messages });
    expect(refused(`messages: ${EXTRA}`, { messages })).toBeNull();
    expect(refused("max_tokens: Field required", { messages })).toBeNull();
  });

  test("drops a field of tools or cache marks everywhere", () => {
    const tools = [{ name: "f", input_schema: {}, defer_loading: true }];
    const repaired = refused(`tools.0.custom.defer_loading: ${EXTRA}`, { messages, tools });
    expect(repaired?.body.tools).toEqual([{ name: "f", input_schema: {} }]);
    const marked = { type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "1h" } };
    const unmarked = { type: "text", text: "x", cache_control: { type: "ephemeral" } };
    const result = (block: object) => ({
      role: "user",
      content: [{ type: "tool_result", content: [block] }],
    });
    const body = { system: [marked], messages: [result(marked)] };
    expect(refused(`system.0.cache_control.ephemeral.ttl: ${EXTRA}`, body)?.body).toEqual({
      system: [unmarked],
      messages: [result(unmarked)],
    });
  });

  test("drops thinking of another provider, as at Anthropic", () => {
    const thought = { role: "assistant", content: [{ type: "thinking" }, { type: "text", text: "x" }] };
    const repaired = refused("messages.1: Invalid `signature` in `thinking` block", {
      messages: [messages[0], thought, messages[0]],
    });
    expect(asObject(repaired?.body).messages).toMatchObject([
      messages[0],
      { content: [{ type: "text" }] },
      messages[0],
    ]);
  });
});

test("Claude is recognized by its maker's name, not by a word in an ARN", () => {
  const names = [
    "anthropic.claude-3-haiku-20240307-v1:0",
    "global.anthropic.claude-sonnet-5",
    "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-5",
    "arn:aws:bedrock:us-east-1:1:application-inference-profile/claude",
    "amazon.nova-pro-v1:0",
    "notanthropic.claude",
  ];
  expect(names.map((name) => claude.names?.test(name))).toEqual([true, true, true, false, false, false]);
});
