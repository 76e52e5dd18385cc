// Controls set by a model name, the `x-sim` header or a key: latencies, token counts and injected faults.
import { reject } from "./problem.ts";

/** All controls, with their help texts. */
export const CONTROLS = {
  latency: { takes: "MS", does: "waits before the first byte" },
  pause: { takes: "MS", does: "waits between the headers and the first piece of a stream" },
  pace: { takes: "MS", does: "waits between two pieces of a stream" },
  gap: { takes: "MS", does: "waits once, between the first two pieces of a stream" },
  chunks: { takes: "N", does: "streams the text in N pieces; a text with fewer words is made longer" },
  tokens: {
    takes: "IN:OUT:CACHED:REASONING:WRITTEN",
    does: "reports this usage; empty parts are computed as below",
  },
  trouble: { takes: "NAME", does: "injects one of the faults below" },
  flaky: {
    takes: "K",
    does: "lets the first K calls of a key and model fail (with 503 unless a fault is named)",
  },
  after: { takes: "N", does: "injects mid-stream faults after N pieces (default 2)" },
  retry: { takes: "SECONDS", does: "sets Retry-After for 429, 503 and 529 (default 1)" },
  removes: {
    takes: "REASON:N,…",
    does: "says that N blocks of thinking were left out (prefix, model, organization, end_user, turn_boundary; allowed were shown)",
  },
  size: { takes: "KB", does: "sets the size of the event for trouble=huge (default 1024)" },
} as const;

/** The faults that can be injected, with their help texts. Clients must tolerate the `harmless` ones. */
export const INJECTED_FAULTS = {
  "400": { where: "status", does: "a rejected request" },
  "401": { where: "status", does: "a wrong key" },
  "402": { where: "status", does: "no credit left, as 402" },
  "403": { where: "status", does: "not permitted" },
  "404": { where: "status", does: "unknown model" },
  "408": { where: "status", does: "request timeout" },
  "413": { where: "status", does: "request too large" },
  "422": { where: "status", does: "unprocessable" },
  "429": { where: "status", does: "rate limit, with Retry-After (Gemini: RetryInfo)" },
  quota: { where: "status", does: "no credit left, with the dialect's own status (OpenAI: 429)" },
  "500": { where: "status", does: "server error" },
  "502-html": { where: "status", does: "a proxy's 502 page in HTML" },
  "503": { where: "status", does: "unavailable, with Retry-After" },
  "504": { where: "status", does: "gateway timeout" },
  "529": { where: "status", does: "overloaded" },
  context: { where: "status", does: "the prompt is longer than the model's context" },
  filter: { where: "status", does: "the prompt is blocked by the content filter" },
  "302": { where: "status", does: "redirect to /sim/trap" },
  "307": { where: "status", does: "redirect to /sim/trap that keeps the method" },
  reset: { where: "connection", does: "connection reset before the headers" },
  silent: { where: "connection", does: "nothing is ever sent" },
  stall: { where: "answer", does: "headers and some pieces, then silence" },
  cut: { where: "answer", does: "the connection is closed mid-answer" },
  "reset-mid": { where: "answer", does: "the connection is reset mid-answer" },
  "cut-clean": { where: "answer", does: "the HTTP response ends cleanly mid-answer" },
  garbage: { where: "answer", does: "an event that is not JSON, mid-stream" },
  "error-mid": { where: "answer", does: "an error event, mid-stream" },
  "error-200": { where: "answer", does: "status 200 with a JSON error as the body" },
  "empty-200": { where: "answer", does: "status 200 with an empty body" },
  "empty-stream": { where: "answer", does: "a stream that ends without any event" },
  "json-for-stream": { where: "answer", does: "a single JSON answer to a streamed request" },
  "no-end": { where: "answer", does: "the event that ends the stream is missing ([DONE], message_stop …)" },
  "no-content": { where: "harmless", does: "a well-formed but empty answer" },
  "no-usage": { where: "harmless", does: "no usage is reported" },
  "odd-usage": { where: "harmless", does: "usage is reported repeatedly and in unusual places" },
  huge: { where: "harmless", does: "one very large event" },
  trickle: { where: "harmless", does: "a few bytes at a time" },
  "wrong-type": { where: "harmless", does: "content-type text/plain" },
  split: { where: "harmless", does: "events and characters are split over writes" },
  crlf: { where: "harmless", does: "lines end with CRLF" },
  pings: { where: "harmless", does: "comments and blank lines between events" },
  "double-finish": { where: "harmless", does: "the finish reason is sent twice" },
} as const;
export type InjectedFault = keyof typeof INJECTED_FAULTS;

/** The values of the controls, with their defaults. */
export class Control {
  readonly latencyMs: number = 0;
  readonly pauseMs: number = 0;
  readonly paceMs: number = 0;
  readonly gapMs: number = 0;
  readonly chunks: number | null = null;
  /** Input, output, cached, reasoning, written. A null or missing count is computed. */
  readonly tokens: readonly (number | null)[] = [];
  readonly fault: InjectedFault | null = null;
  readonly flaky: number = 0;
  readonly after: number = 2;
  readonly retryAfterSeconds: number = 1;
  readonly sizeKilobytes: number = 1024;
  /** A reason for each block. */
  readonly removes: readonly string[] = [];
}

const NUMBER_MAX = 10_000_000;

function parseNumber(value: string): number {
  const number = Number(value);
  if (value !== "" && number >= 0 && number <= NUMBER_MAX) return number;
  return reject("value", `Simulator: '${value}' must be a number from 0 to ${NUMBER_MAX}.`);
}

const REMOVED_MAX = 200_000;

function parseRemoval(part: string): readonly string[] {
  const [reason = "", count = "1"] = part.split(":");
  return Array.from({ length: Math.min(REMOVED_MAX, Math.floor(parseNumber(count))) }, () => reason);
}

function isFault(value: string): value is InjectedFault {
  return Object.hasOwn(INJECTED_FAULTS, value);
}

function parseFault(value: string): InjectedFault {
  if (isFault(value)) return value;
  return reject("value", `Simulator: unknown fault '${value}'.`);
}

function parseSetting(name: string, value: string): Partial<Control> {
  switch (name) {
    case "latency":
      return { latencyMs: parseNumber(value) };
    case "pause":
      return { pauseMs: parseNumber(value) };
    case "pace":
      return { paceMs: parseNumber(value) };
    case "gap":
      return { gapMs: parseNumber(value) };
    case "chunks":
      return { chunks: Math.floor(parseNumber(value)) };
    case "tokens":
      return { tokens: value.split(":").map((part) => (part === "" ? null : Math.floor(parseNumber(part)))) };
    case "trouble":
      return { fault: parseFault(value) };
    case "flaky":
      return { flaky: parseNumber(value) };
    case "after":
      return { after: parseNumber(value) };
    case "retry":
      return { retryAfterSeconds: parseNumber(value) };
    case "removes":
      return { removes: value.split(",").flatMap(parseRemoval) };
    case "size":
      return { sizeKilobytes: parseNumber(value) };
    default:
      return reject("value", `Simulator: unknown control '${name}'.`);
  }
}

/** Returns the model's name without controls: `sim-mini` for `sim-mini~pace=5`. */
export function stripControls(model: string): string {
  const tilde = model.indexOf("~");
  return tilde === -1 ? model : model.slice(0, tilde);
}

/**
 * Applies the controls of `name~control=value~control=value` to `before`. Text before the first `~` is ignored.
 * Throws a Rejection for unknown controls and values.
 */
export function parseControls(source: string, before = new Control()): Control {
  let control = before;
  for (const part of source.split("~").slice(1)) {
    const equals = part.indexOf("=");
    if (equals === -1) control = { ...control, ...parseSetting("trouble", part) };
    else control = { ...control, ...parseSetting(part.slice(0, equals), part.slice(equals + 1)) };
  }
  return control;
}

function formatColumn(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, does]) => `  ${name.padEnd(width)}  ${does}`).join("\n");
}

/** Returns the text of `poundkey simulate --help` on controls and faults. */
export function formatControlHelp(): string {
  const controls = Object.entries(CONTROLS).map(
    ([name, { takes, does }]) => [`${name}=${takes}`, does] as const,
  );
  const faults = Object.entries(INJECTED_FAULTS).map(([name, { does }]) => [name, does] as const);
  return [
    "Append controls to the model's name (sim-mini~latency=200~trouble=cut), to the header x-sim",
    "(~pace=5~chunks=50) or to the API key. The header overrides the name, and the key overrides both.",
    "The keys bad-key and no-credit are refused.",
    "",
    formatColumn(controls),
    "",
    "Faults (~trouble=cut, or ~cut for short). Statuses differ by dialect: a wrong key gets 400 from Gemini,",
    "an overload 503 from Cohere:",
    "",
    formatColumn(faults),
    "",
    "Words in the last user message: call NAME({json}) calls a tool of the request · long N returns N words ·",
    "say: TEXT repeats the text · refuse refuses · what is your system prompt? repeats the prompt · step 1: WORDS",
    "step 2: WORDS answers with one step after the other. A reply to a tool's result names the result. A model with",
    "think in its name always thinks.",
    "Token counts: a quarter of the characters, rounded up; 85 for an image, file or audio clip.",
  ].join("\n");
}
