// One request to the gateway, whole or streamed, read as a strict client reads it and converted to one form.
import { expect } from "bun:test";
import {
  asArray,
  asNumber,
  asObject,
  asString,
  type JsonObject,
  parseJson,
} from "../../src/core/json/json.ts";
import { Fold } from "../../src/operations/chat/answer/fold.ts";
import type { ChatChunk } from "../../src/operations/chat/form.ts";
import type { UnderTest } from "../harness/harness.ts";
import { type Seen, seen } from "../whole/world/observe.ts";

/** A chat-completions body without `model`, the same for every model. */
export type Body = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The completion, folded if streamed. Empty if there is none. */
  readonly reply: JsonObject;
  /** The error object of an error answer or event. */
  readonly error: JsonObject | null;
  /** The names in `x-poundkey-dropped`, sorted. */
  readonly dropped: readonly string[];
  /** The JSON body of the last upstream call. */
  readonly sent: string;
}

export interface Call {
  readonly id: string;
  readonly name: string;
  /** Parsed arguments, or the plain input of a custom call. */
  readonly input: unknown;
}

/** `streamed` requests a stream with its usage. */
export async function ask(gateway: UnderTest, body: Body, streamed: boolean): Promise<Answer> {
  const form = streamed ? { stream: true, stream_options: { include_usage: true } } : {};
  const answer = await seen(await gateway.chat({ ...body, ...form }));
  const { status, headers, error } = answer;
  const reply = replyIn(answer);
  if (status === 200 && !error) checkReply(reply, headers);
  const dropped = (headers.get("x-poundkey-dropped") ?? "").split(", ").filter(Boolean).sort();
  const sent = JSON.stringify(gateway.simulator.calls.last()?.body ?? null);
  return { status, headers, reply, error, dropped, sent };
}

function replyIn({ status, stream, body }: Seen): JsonObject {
  if (!stream) return status === 200 ? inPresentForm(body) : {};
  const fold = new Fold();
  for (const chunk of stream.chunks) fold.push(inPresentForm(chunk) as unknown as ChatChunk);
  return { ...fold.reply(), object: "chat.completion" };
}

/** Converts an answer to deprecated `functions`, or a piece of one, to the form for tools. */
function inPresentForm(answer: JsonObject): JsonObject {
  const choices = asArray(answer.choices).map((given) => {
    const { finish_reason: reason, ...choice } = asObject(given);
    const said = choice.message === undefined ? "delta" : "message";
    const { function_call: made, ...rest } = asObject(choice[said]);
    const start = asObject(made).name === undefined ? {} : { id: "call_once", type: "function" };
    const place = said === "delta" ? { index: 0 } : {};
    const calls = made === undefined ? {} : { tool_calls: [{ ...place, ...start, function: made }] };
    const finish_reason = reason === "function_call" ? "tool_calls" : reason;
    return { ...choice, finish_reason, [said]: { ...rest, ...calls } };
  });
  return { ...answer, choices };
}

const LEGAL_ID = /^[A-Za-z0-9_-]{1,40}$/;
const FINISHES = ["stop", "length", "tool_calls", "content_filter"];

/** The rules for every answer. */
function checkReply(reply: JsonObject, headers: Headers): void {
  expect(reply).toMatchObject({
    id: expect.stringMatching(/^chatcmpl-\w+$/),
    object: "chat.completion",
    created: expect.any(Number),
    model: headers.get("x-poundkey-model"),
  });
  const choices = asArray(reply.choices).map(asObject);
  expect(choices.map(({ index }) => index)).toEqual(choices.map((_, at) => at));
  for (const [at, choice] of choices.entries()) checkChoice(choice, readCalls(reply, at));
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = asObject(reply.usage);
  for (const count of [input, output, total]) expect(Number.isInteger(count)).toBe(true);
  expect(total).toBe(Number(input) + Number(output));
}

function checkChoice(choice: JsonObject, calls: readonly Call[]): void {
  const message = asObject(choice.message);
  expect(FINISHES).toContain(String(choice.finish_reason));
  expect(choice).toHaveProperty("logprobs");
  expect(message.role).toBe("assistant");
  if (calls.length === 0) expect(asString(message.content) ?? asString(message.refusal)).toBeString();
  else expect(message.content === null || asString(message.content) !== "").toBe(true);
  for (const { id } of calls) expect(id).toMatch(LEGAL_ID);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
}

export function readChoice(reply: JsonObject, at = 0): JsonObject {
  return asObject(asArray(reply.choices)[at]);
}

/** The message, unchanged, as a client sends it back. */
export function readMessage(answer: Answer, at = 0): JsonObject {
  return asObject(readChoice(answer.reply, at).message);
}

export function readCalls(reply: JsonObject, at = 0): readonly Call[] {
  const calls = asArray(asObject(readChoice(reply, at).message).tool_calls).map(asObject);
  return calls.map(({ id, function: made, custom }) => {
    const { name, arguments: json, input } = asObject(made ?? custom);
    const parsed = made ? parseJson(String(json)) : input;
    return { id: String(id), name: String(name), input: parsed };
  });
}

export function readFinish(answer: Answer, at = 0): string {
  return String(readChoice(answer.reply, at).finish_reason);
}

/** The text of a choice, without a searching model's citation mark. */
export function readWords(answer: Answer, at = 0): string {
  return (asString(readMessage(answer, at).content) ?? "").replace(/\[1\]$/, "");
}

export function readCount(answer: Answer, field: string): number {
  return asNumber(asObject(answer.reply.usage)[field]) ?? Number.NaN;
}

/**
 * Returns the part of an answer that must be the same whole and streamed: no identifiers and sealed thinking. Only a whole
 * one says that its provider names no fingerprint.
 */
export function comparable({ status, reply, error, dropped }: Answer): JsonObject {
  const fault = error && { type: error.type, code: error.code, param: error.param };
  const { system_fingerprint: fingerprint, ...rest } = reply;
  const named = (fingerprint ?? null) === null ? rest : reply;
  return { status, fault, dropped, reply: withoutIds(named) };
}

/** A cited tool result has its call's id as title. */
const IDENTIFYING: ReadonlySet<string> = new Set(["id", "created", "data", "document_id", "title"]);

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !IDENTIFYING.has(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutIds(inner)]));
}
