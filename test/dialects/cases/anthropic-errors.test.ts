// The Anthropic dialect's failures: broken streams, errors inside an answer, garbage, and error answers by status.
import { expect, test } from "bun:test";
import type { FaultCode } from "../../../src/core/faults/fault.ts";
import { anthropic } from "../../../src/dialects/anthropic/dialect.ts";
import {
  CLASSIC,
  catchFault,
  close,
  finish,
  makeCard,
  makeRequest,
  open,
  start,
  streamed,
} from "./anthropic-cases.ts";

const opened = [start, open(0, { type: "text", text: "x" })];
const answered = [...opened, close(0), ...finish("end_turn")];
const another = { ...start, message: { id: "m2" } };
const replyTo = (body: unknown) => () =>
  anthropic.chat.reply(body, makeCard(CLASSIC), makeRequest({}), new Headers());

test("a stream ends with message_stop: anything shorter fails, and anything after it is ignored", () => {
  for (let length = 0; length < answered.length; length++) {
    expect(catchFault(() => streamed(answered.slice(0, length))).code).toBe("upstream_error");
  }
  expect(streamed([...answered, another]).choices[0]?.message.content).toBe("x");
});

test("a message without a stop reason is broken", () => {
  const stop = { type: "message_stop" };
  const wordless = { type: "message_delta", delta: { stop_reason: 1 }, usage: { output_tokens: 7 } };
  for (const events of [[stop], [...opened, close(0), stop], [...opened, close(0), wordless, stop]]) {
    expect(catchFault(() => streamed(events)).code).toBe("upstream_error");
  }
});

test("a duplicate start is ignored, but another message in the stream is a failure", () => {
  expect(streamed([start, ...answered]).choices[0]?.message.content).toBe("x");
  expect(catchFault(() => streamed([...opened, another, ...finish("end_turn")])).code).toBe("upstream_error");
});

const INSIDE: [string, string, FaultCode][] = [
  ["overloaded_error", "Overloaded", "provider_busy"],
  ["rate_limit_error", "slow down", "provider_busy"],
  ["api_error", "Internal server error", "upstream_error"],
  ["timeout_error", "too slow", "upstream_timeout"],
  ["something_new", "?", "upstream_error"],
  ["invalid_request_error", "prompt is too long: 9 tokens > 8", "context_length_exceeded"],
];
test.each(INSIDE)("%s inside an answer: %s", (type, message, code) => {
  const event = { type: "error", error: { details: null, type, message }, request_id: "req_1" };
  expect(catchFault(() => streamed([...opened, event])).code).toBe(code);
  expect(catchFault(replyTo(event)).code).toBe(code);
});

test("garbage counts as the provider's failure", () => {
  for (const data of ["{", "[]", "null", "text"]) {
    const decoder = anthropic.chat.decoder(makeCard(CLASSIC), makeRequest({}));
    expect(catchFault(() => decoder.push({ event: "", data })).code).toBe("upstream_error");
  }
  for (const body of [null, "x", [], {}, { content: "x" }]) {
    expect(catchFault(replyTo(body)).code).toBe("upstream_error");
  }
});

/** status | type | message | code. A `details.error_code` is in brackets. */
const ANSWERS: [number, string, string, FaultCode][] = [
  [400, "invalid_request_error", "messages: bad", "upstream_rejected"],
  [
    400,
    "invalid_request_error",
    "input and `max_tokens` exceed context limit: 9 > 8",
    "context_length_exceeded",
  ],
  [400, "invalid_request_error", "Your credit balance is too low to access the API.", "upstream_auth"],
  [400, "invalid_request_error", "You have reached your specified API usage limits.", "upstream_auth"],
  [401, "authentication_error", "invalid x-api-key", "upstream_auth"],
  [404, "not_found_error", "model: x", "model_not_found"],
  [404, "not_found_error", "File not found: file_1", "upstream_rejected"],
  [413, "request_too_large", "too large", "request_too_large"],
  [429, "rate_limit_error", "slow down", "provider_busy"],
  [429, "rate_limit_error", "[enforced_spend_limit_reached]", "upstream_auth"],
  [529, "overloaded_error", "Overloaded", "provider_busy"],
];
test.each(ANSWERS)("%i %s %s", (status, type, message, code) => {
  const details = message.startsWith("[") ? { error_code: message.slice(1, -1) } : null;
  const body = JSON.stringify({
    type: "error",
    error: { type, message: details ? "limit" : message, details },
  });
  const fault = anthropic.explain(status, new Headers({ "retry-after": "7" }), body, 0);
  expect(fault.code).toBe(code);
  expect(fault.details.retryAfterMs).toBe(7000);
});

test("bodies without JSON, or empty ones", () => {
  expect(anthropic.explain(500, new Headers(), "<html>", 0).code).toBe("upstream_error");
  expect(anthropic.explain(504, new Headers(), "", 0).code).toBe("upstream_timeout");
  expect(anthropic.explain(503, new Headers(), "null", 0).code).toBe("upstream_error");
});
