// Fault injection: error statuses instead of an answer, and damage to an answer on its way to the client.
import type { Control, InjectedFault } from "./control.ts";
import type { Problem, ProblemKind } from "./problem.ts";
import type { Frame } from "./types.ts";

/** One server action on a connection. */
export type Step =
  | { readonly do: "write"; readonly data: string | Uint8Array }
  | { readonly do: "wait"; readonly ms: number }
  /** Keeps the connection open but sends nothing more. */
  | { readonly do: "hang" }
  /** Closes the connection (FIN) before the answer is complete. */
  | { readonly do: "close" }
  /** Resets the connection (RST). */
  | { readonly do: "reset" };

const PROBLEMS: { readonly [T in InjectedFault]?: readonly [ProblemKind, string] } = {
  "400": ["value", "Simulated: the request was rejected."],
  "401": ["bad_key", "Simulated: the key is not valid."],
  "402": ["no_credit", "You exceeded your current quota, please check your plan and billing details."],
  "403": ["forbidden", "Simulated: not permitted."],
  "404": ["not_found", "Simulated: the model does not exist or you do not have access to it."],
  "408": ["timeout", "Simulated: request timeout."],
  "413": ["too_large", "Simulated: the request is too large."],
  "422": ["unprocessable", "Simulated: the request can't be processed."],
  "429": ["rate_limit", "Rate limit reached for requests. Please try again later."],
  quota: ["no_credit", "You exceeded your current quota, please check your plan and billing details."],
  "500": ["server", "Simulated: the server had an error while processing your request."],
  "503": ["unavailable", "Simulated: the service is unavailable. Please try again later."],
  "504": ["gateway_timeout", "Simulated: the request timed out."],
  "529": ["overloaded", "Overloaded"],
  context: ["context", "This model's maximum context length is 8192 tokens. Your prompt is too long."],
  filter: ["filter", "The prompt was blocked by the content filter."],
};
const WITH_DELAY: ReadonlySet<ProblemKind> = new Set(["rate_limit", "unavailable", "overloaded"]);

/** Returns the problem to report. Null if the fault has no error status. */
export function findProblem({ fault, retryAfterSeconds }: Control): Problem | null {
  const row = fault === null ? undefined : PROBLEMS[fault];
  if (!row) return null;
  const [kind, message] = row;
  if (fault === "402") return { kind, message, status: 402 };
  return WITH_DELAY.has(kind) ? { kind, message, retryAfterSeconds } : { kind, message };
}

/** The problem that every mid-stream error reports. */
export const MID_STREAM: Problem = { kind: "overloaded", message: "Overloaded" };

const GARBAGE = 'data: {"choices":[{"delta":{"content":"bro\n\n';

/** The steps that end an answer early. */
const EARLY_ENDS: { readonly [T in InjectedFault]?: readonly Step[] } = {
  stall: [{ do: "hang" }],
  cut: [{ do: "close" }],
  "reset-mid": [{ do: "reset" }],
  "cut-clean": [],
};

/** Returns the steps of a mid-answer fault, or null if it has none. `continues` is true if the answer goes on. */
function planFault(
  fault: InjectedFault,
  failure: () => string | Uint8Array,
): { steps: readonly Step[]; continues: boolean } | null {
  if (fault === "garbage") return { steps: [{ do: "write", data: GARBAGE }], continues: true };
  if (fault === "error-mid") return { steps: [{ do: "write", data: failure() }], continues: false };
  const steps = EARLY_ENDS[fault];
  return steps ? { steps, continues: false } : null;
}

const encoder = new TextEncoder();
const TRICKLE_BYTES = 16;

/** Returns an offset inside the first multi-byte character, or the middle if there is none. */
function findSplit(bytes: Uint8Array): number {
  const inside = bytes.findIndex((byte) => (byte & 0xc0) === 0x80);
  return inside === -1 ? Math.floor(bytes.length / 2) : inside;
}

/** Yields the steps that write one event, damaged by the fault. Binary frames have no line ends and no comments. */
function* writeEvent(text: string, { control, events, encode }: Injection): Iterable<Step> {
  const data = encode?.(text) ?? text;
  switch (control.fault) {
    case "crlf":
      return yield { do: "write", data: encode ? data : text.replace(/\r?\n/g, "\r\n") };
    case "pings":
      return yield { do: "write", data: events ? `: ping\n\n\n${text}: ping\n\n` : data };
    case "split": {
      const bytes = toBytes(data);
      const at = findSplit(bytes);
      yield { do: "write", data: bytes.subarray(0, at) };
      yield { do: "wait", ms: 1 };
      return yield { do: "write", data: bytes.subarray(at) };
    }
    case "trickle": {
      const bytes = toBytes(data);
      for (let at = 0; at < bytes.length; at += TRICKLE_BYTES) {
        yield { do: "write", data: bytes.subarray(at, at + TRICKLE_BYTES) };
        yield { do: "wait", ms: 1 };
      }
      return;
    }
    default:
      yield { do: "write", data };
  }
}

function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? encoder.encode(data) : data;
}

interface Injection {
  readonly control: Control;
  /** True for server-sent events, which may have comments between them. */
  readonly events: boolean;
  /** Returns the events with which the dialect ends a failed stream. */
  readonly failure: () => string;
  /** Encodes whole events as bytes. Missing if they are sent as text. */
  readonly encode?: ((events: string) => Uint8Array) | undefined;
}

/** Yields the steps that send the frames, with the pauses and the fault of the controls. */
export function* injectFaults(frames: Iterable<Frame>, injection: Injection): Iterable<Step> {
  const { fault, pauseMs, after } = injection.control;
  let breakdown = fault === null ? null : planFault(fault, () => writeFailure(injection));
  let pieces = 0;
  if (pauseMs > 0) yield { do: "wait", ms: pauseMs };
  for (const frame of frames) {
    if (breakdown && (pieces >= after || isEnding(frame))) {
      yield* breakdown.steps;
      if (!breakdown.continues) return;
      breakdown = null;
    }
    yield* writeFrame(frame, injection, findWait(frame, pieces, injection.control));
    if (frame.kind === "delta") pieces++;
  }
}

/** Returns the wait before a frame. `pieces` is the number of those sent. */
function findWait({ kind }: Frame, pieces: number, { paceMs, gapMs }: Control): number {
  if (pieces === 0) return 0;
  return paceMs + (pieces === 1 && kind === "delta" ? gapMs : 0);
}

function writeFailure({ failure, encode }: Injection): string | Uint8Array {
  return encode?.(failure()) ?? failure();
}

function isEnding({ kind }: Frame): boolean {
  return kind !== "start" && kind !== "delta";
}

function* writeFrame({ kind, text }: Frame, injection: Injection, paceMs: number): Iterable<Step> {
  const { fault } = injection.control;
  if (fault === "no-end" && kind === "end") return;
  if (paceMs > 0) yield { do: "wait", ms: paceMs };
  yield* writeEvent(text, injection);
  if (fault === "double-finish" && kind === "finish") yield* writeEvent(text, injection);
}

/** Splits an unstreamed answer into two frames, so that a fault can come between them. */
export function splitInHalves(body: string): readonly Frame[] {
  const middle = Math.floor(body.length / 2);
  return [
    { kind: "delta", text: body.slice(0, middle) },
    { kind: "delta", text: body.slice(middle) },
  ];
}
