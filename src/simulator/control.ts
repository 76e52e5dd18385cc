// The simulator's little language: how a model name, the header `x-sim` or a key say how the answer is to behave.
import { reject } from "./strict.ts";

/** The controls, for `poundkey simulate --help` as well as for the parser. */
export const CONTROLS = {
  latency: { takes: "MS", does: "waits so long before the first byte" },
  pause: { takes: "MS", does: "waits so long between the headers and the first piece of a stream" },
  pace: { takes: "MS", does: "waits so long between two pieces of a stream" },
  chunks: { takes: "N", does: "streams the text in N pieces, made longer where it has fewer words" },
  tokens: {
    takes: "IN:OUT:CACHED:REASONING:WRITTEN",
    does: "reports this usage; parts left empty follow the rule",
  },
  trouble: { takes: "NAME", does: "does one of the troubles below" },
  flaky: { takes: "K", does: "lets the first K calls of a key and model fail (trouble 503 unless named)" },
  after: { takes: "N", does: "mid-stream troubles come after N pieces (default 2)" },
  retry: { takes: "SECONDS", does: "Retry-After of 429, 503 and 529 (default 1)" },
  size: { takes: "KB", does: "how large the event of trouble=huge is (default 1024)" },
} as const;

/** The troubles. `where`: an error status, the connection, inside the answer, or harmless (a client must bear it). */
export const TROUBLES = {
  "400": { where: "status", does: "a rejected request" },
  "401": { where: "status", does: "a wrong key" },
  "402": { where: "status", does: "no credit left, as 402" },
  "403": { where: "status", does: "not permitted" },
  "404": { where: "status", does: "no such model" },
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
  silent: { where: "connection", does: "no byte, ever" },
  stall: { where: "answer", does: "headers and some pieces, then silence" },
  cut: { where: "answer", does: "the connection is closed in mid-answer" },
  "reset-mid": { where: "answer", does: "the connection is reset in mid-answer" },
  "cut-clean": { where: "answer", does: "HTTP ends well in mid-answer" },
  garbage: { where: "answer", does: "an event that is not JSON, in mid-stream" },
  "error-mid": { where: "answer", does: "an error event in mid-stream" },
  "error-200": { where: "answer", does: "status 200 with a JSON error for a body" },
  "empty-200": { where: "answer", does: "status 200 with an empty body" },
  "empty-stream": { where: "answer", does: "a stream that ends without an event" },
  "json-for-stream": { where: "answer", does: "a whole JSON answer to a streamed request" },
  "no-end": { where: "answer", does: "all but the event that ends the stream ([DONE], message_stop …)" },
  "no-content": { where: "harmless", does: "a well-formed answer with nothing in it" },
  "no-usage": { where: "harmless", does: "usage is not told" },
  "odd-usage": { where: "harmless", does: "usage is told repeatedly and in odd places" },
  huge: { where: "harmless", does: "one very large event" },
  trickle: { where: "harmless", does: "a few bytes at a time" },
  "wrong-type": { where: "harmless", does: "content-type text/plain" },
  split: { where: "harmless", does: "events and characters are split over writes" },
  crlf: { where: "harmless", does: "lines end with CR LF" },
  pings: { where: "harmless", does: "comments and blank lines between events" },
  "double-finish": { where: "harmless", does: "the finish is told twice" },
} as const;
export type Trouble = keyof typeof TROUBLES;

export interface Control {
  readonly latencyMs: number;
  readonly pauseMs: number;
  readonly paceMs: number;
  readonly chunks: number | null;
  /** As told: input, output, cached, reasoning, written; null: by the rule. */
  readonly tokens: readonly (number | null)[];
  readonly trouble: Trouble | null;
  readonly flaky: number;
  readonly after: number;
  readonly retryAfterSeconds: number;
  readonly sizeKilobytes: number;
}

export const CALM: Control = {
  latencyMs: 0,
  pauseMs: 0,
  paceMs: 0,
  chunks: null,
  tokens: [],
  trouble: null,
  flaky: 0,
  after: 2,
  retryAfterSeconds: 1,
  sizeKilobytes: 1024,
};

const NUMBER_MAX = 10_000_000;

function numberIn(value: string): number {
  const number = Number(value);
  if (value !== "" && number >= 0 && number <= NUMBER_MAX) return number;
  return reject("value", `Simulator: '${value}' is not a number from 0 to ${NUMBER_MAX}.`);
}

function troubleIn(value: string): Trouble {
  if (Object.hasOwn(TROUBLES, value)) return value as Trouble;
  return reject("value", `Simulator: no trouble is called '${value}'.`);
}

function setting(name: string, value: string): Partial<Control> {
  switch (name) {
    case "latency":
      return { latencyMs: numberIn(value) };
    case "pause":
      return { pauseMs: numberIn(value) };
    case "pace":
      return { paceMs: numberIn(value) };
    case "chunks":
      return { chunks: Math.floor(numberIn(value)) };
    case "tokens":
      return { tokens: value.split(":").map((part) => (part === "" ? null : Math.floor(numberIn(part)))) };
    case "trouble":
      return { trouble: troubleIn(value) };
    case "flaky":
      return { flaky: numberIn(value) };
    case "after":
      return { after: numberIn(value) };
    case "retry":
      return { retryAfterSeconds: numberIn(value) };
    case "size":
      return { sizeKilobytes: numberIn(value) };
    default:
      return reject("value", `Simulator: no control is called '${name}'.`);
  }
}

/** The model's name without controls: `sim-mini~pace=5` is `sim-mini`. */
export function baseName(model: string): string {
  const tilde = model.indexOf("~");
  return tilde === -1 ? model : model.slice(0, tilde);
}

/**
 * What `name~control=value~control=value` asks for, on top of `before`. What stands before the first `~` is passed over.
 * Refuses unknown controls and values.
 */
export function controlIn(source: string, before: Control = CALM): Control {
  let control = before;
  for (const part of source.split("~").slice(1)) {
    const equals = part.indexOf("=");
    if (equals === -1) control = { ...control, ...setting("trouble", part) };
    else control = { ...control, ...setting(part.slice(0, equals), part.slice(equals + 1)) };
  }
  return control;
}

function column(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, does]) => `  ${name.padEnd(width)}  ${does}`).join("\n");
}

/** The language as `poundkey simulate --help` prints it. */
export function controlHelp(): string {
  const controls = Object.entries(CONTROLS).map(
    ([name, { takes, does }]) => [`${name}=${takes}`, does] as const,
  );
  const troubles = Object.entries(TROUBLES).map(([name, { does }]) => [name, does] as const);
  return [
    "Controls follow the model's name (sim-mini~latency=200~trouble=cut), stand in the header x-sim",
    "(~pace=5~chunks=50) or follow the key; the header outdoes the name, the key outdoes both.",
    "The keys bad-key and no-credit are refused as such.",
    "",
    column(controls),
    "",
    "Troubles (~trouble=cut, or in short ~cut). Statuses are told as the dialect tells them: a wrong key at",
    "Gemini is a 400, an overload at Cohere a 503:",
    "",
    column(troubles),
    "",
    "Words in the last user message: call NAME({json}) calls an offered tool · long N gives N words ·",
    "say: TEXT repeats it · refuse refuses · what is your system prompt? tells it. A reply to a tool's",
    "result names the result; a model whose name contains think thinks unasked.",
    "Tokens: a quarter of the characters, rounded up; 85 for an image, file or audio.",
  ].join("\n");
}
