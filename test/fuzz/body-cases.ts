// Almost valid bodies on every route that accepts one: mutated in structure, types, numbers and size, with odd headers.
import type { Dice } from "../sim/dice.ts";
import { type Case, CHOICES_MAX } from "./case.ts";
import { mutateBytes, mutateJson, oddValue, write } from "./mutate.ts";
import type { Secrets } from "./world.ts";

const CHAT = {
  model: "Calm#calm",
  messages: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "What is in it?" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: '{"at":1}' } }],
    },
    { role: "tool", tool_call_id: "call_1", content: "A cat." },
  ],
  temperature: 0.5,
  top_p: 0.9,
  n: 1,
  stream: false,
  stream_options: { include_usage: true },
  stop: ["END"],
  max_tokens: 50,
  seed: 1,
  logit_bias: { "50256": -100 },
  tools: [
    {
      type: "function",
      function: {
        name: "look",
        parameters: { type: "object", properties: { at: { type: "integer" } } },
        strict: true,
      },
    },
  ],
  tool_choice: "auto",
  response_format: {
    type: "json_schema",
    json_schema: { name: "x", schema: { type: "object", properties: {} } },
  },
  user: "u",
  metadata: { a: "b" },
  reasoning_effort: "low",
};
export const INTERACTION = {
  model: "Calm#calm",
  input: [
    {
      type: "user_input",
      content: [
        { type: "text", text: "hello" },
        { type: "image", mime_type: "image/png", data: "AAAA" },
      ],
    },
    { type: "thought", signature: "cGsxLkFBQUE=", summary: [{ type: "text", text: "Hm." }] },
    { type: "function_call", id: "c", name: "look", arguments: { at: 1 } },
    { type: "function_result", call_id: "c", result: [{ type: "text", text: "A cat." }], is_error: false },
    { type: "google_search_call", id: "s", arguments: { queries: ["a"] } },
    { type: "model_output", content: [{ type: "text", text: "A cat.", annotations: [] }] },
    { type: "user_input", content: "and?" },
  ],
  system_instruction: "Be brief.",
  generation_config: {
    temperature: 0.5,
    thinking_level: "low",
    thinking_summaries: "auto",
    tool_choice: "auto",
  },
  tools: [{ type: "function", name: "look", parameters: { type: "object" } }, { type: "google_search" }],
  response_format: { type: "text", mime_type: "application/json", schema: { type: "object" } },
  labels: { a: "b" },
  safety_settings: [{ type: "harassment", threshold: "off" }],
  previous_interaction_id: null,
};
const PLAIN = { model: "Calm#calm", messages: [{ role: "user", content: "hello" }] };

interface Target {
  readonly line: string;
  readonly body: unknown;
  readonly isAdmin?: true;
}

const TARGETS: readonly Target[] = [
  { line: "POST /v1/chat/completions", body: CHAT },
  { line: "POST /chat/completions", body: CHAT },
  { line: "POST /v1/chat/completions", body: PLAIN },
  { line: "POST /v1/chat/completions", body: { ...PLAIN, stream: true } },
  { line: "POST /v1/chat/completions", body: { ...CHAT, model: "Router#light" } },
  { line: "POST /v1/interactions", body: INTERACTION },
  { line: "POST /v1beta/interactions", body: { ...INTERACTION, stream: true } },
  { line: "POST /v1/route", body: { ...CHAT, model: "Router#best" } },
  { line: "POST /v1/route", body: { ...PLAIN, model: "Router#fair" } },
  { line: "POST /v1/feedback", body: { id: "chatcmpl-0", score: 0.5 } },
  { line: "POST /admin/v1/session", body: { token: "wrong" }, isAdmin: true },
  { line: "POST /admin/v1/accounts", body: { name: "a" }, isAdmin: true },
  { line: "PATCH /admin/v1/accounts/none", body: { name: "a" }, isAdmin: true },
  { line: "POST /admin/v1/accounts/default/topups", body: { amount_usd: 0.01, note: "n" }, isAdmin: true },
  {
    line: "POST /admin/v1/keys",
    body: {
      name: "k",
      account_id: "default",
      expires_at: "2099-01-01T00:00:00Z",
      allowed_models: ["Calm#*"],
      spend_limit_usd: 1,
      requests_per_day: 5,
    },
    isAdmin: true,
  },
  { line: "PATCH /admin/v1/keys/none", body: { name: "k", requests_per_day: null }, isAdmin: true },
  { line: "POST /admin/v1/playground", body: PLAIN, isAdmin: true },
  { line: "POST /admin/v1/providers/Spare", body: { key: "sk-x", weight: 1 }, isAdmin: true },
  { line: "POST /admin/v1/providers/none/test", body: {}, isAdmin: true },
];

function headersOf(dice: Dice): readonly string[] {
  const makers: readonly (() => string)[] = [
    () => `x-poundkey-timeout: ${dice.pick(["0.02", "1", "-1", "1e400", "x", "0", "99999999", ""])}`,
    () => `x-poundkey-quality: ${dice.pick(["0", "1", "0.5", "2", "x", "NaN", ""])}`,
    () =>
      `x-poundkey-${dice.pick(["tags", "x", "model"])}: ${dice.pick(["a=b", "=", ",,,", "x".repeat(300)])}`,
    () => `idempotency-key: ${dice.pick(["a", "b", "", "x".repeat(300), `k${dice.int(0, 50)}`])}`,
    () => `x-request-id: ${dice.pick(["r-1", "a b", "x".repeat(200)])}`,
    () => `accept: ${dice.pick(["text/event-stream", "application/json", "x/y"])}`,
    () => `origin: ${dice.pick(["null", "http://evil.example"])}`,
  ];
  return Array.from({ length: dice.int(0, 3) }, () => dice.pick(makers)());
}

function authOf(dice: Dice, { isAdmin }: Target, secrets: Secrets): readonly string[] {
  const who = dice.weighted({ right: 14, other: 1, wrong: 1, none: 1 });
  if (who === "none") return [];
  const right = isAdmin ? secrets.admin : secrets.calm;
  const other = isAdmin ? secrets.calm : secrets.admin;
  return [`authorization: Bearer ${who === "right" ? right : who === "other" ? other : "sk-wrong"}`];
}

function bodyOf(dice: Dice, target: Target): Buffer {
  const how = dice.weighted({ json: 10, bytes: 2, whole: 1 });
  if (how === "whole") return Buffer.from(write(oddValue(dice)));
  if (how === "bytes") return mutateBytes(dice, Buffer.from(write(target.body)), dice.int(1, 5));
  return Buffer.from(write(mutateJson(dice, target.body, dice.int(0, 4))));
}

export function bodyCase(dice: Dice, number: number, secrets: Secrets): Case {
  const target = dice.pick(TARGETS);
  const body = bodyOf(dice, target);
  const headers = [...authOf(dice, target, secrets), ...headersOf(dice)];
  const type = dice.chance(0.95) ? ["content-type: application/json"] : [];
  const lines = [
    `${target.line} HTTP/1.1`,
    "host: x",
    "connection: close",
    `content-length: ${body.length}`,
    ...type,
    ...headers,
  ];
  const pieces = [Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), body])];
  const leavesAfterMs = dice.chance(0.05) ? dice.int(0, 40) : null;
  const isHurried = headers.some((line) => line.startsWith("x-poundkey-timeout"));
  return {
    number,
    kind: "body",
    form: target.line.endsWith("/interactions") ? "google" : "openai",
    says: target.line,
    pieces,
    leavesAfterMs,
    answer: null,
    choicesMax: CHOICES_MAX,
    isHurried,
  };
}
