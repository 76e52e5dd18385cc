// How an answer goes wrong: which problem an error status tells, and how the pieces of an answer are disturbed on their way.
import type { Control, Trouble } from "./control.ts";
import type { Frame } from "./scene.ts";
import type { Problem, ProblemKind } from "./strict.ts";

/** What the server does next. */
export type Step =
  | { readonly do: "write"; readonly data: string | Uint8Array }
  | { readonly do: "wait"; readonly ms: number }
  /** Keeps the connection open and says nothing more. */
  | { readonly do: "hang" }
  /** Closes the connection (FIN) although the answer isn't over. */
  | { readonly do: "close" }
  /** Resets the connection (RST). */
  | { readonly do: "reset" };

const PROBLEMS: { readonly [T in Trouble]?: readonly [ProblemKind, string] } = {
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
const HINTED: ReadonlySet<ProblemKind> = new Set(["rate_limit", "unavailable", "overloaded"]);

/** The problem that a trouble of an error status tells; null for all other troubles. */
export function problemOf({ trouble, retryAfterSeconds }: Control): Problem | null {
  const row = trouble === null ? undefined : PROBLEMS[trouble];
  if (!row) return null;
  const [kind, message] = row;
  if (trouble === "402") return { kind, message, status: 402 };
  return HINTED.has(kind) ? { kind, message, retryAfterSeconds } : { kind, message };
}

/** What is told in mid-stream. */
export const MID_STREAM: Problem = { kind: "overloaded", message: "Overloaded" };

const GARBAGE = 'data: {"choices":[{"delta":{"content":"bro\n\n';

/** What happens in mid-answer; `goesOn` when the answer continues behind it. */
function breakdown(
  trouble: Trouble,
  failure: () => string,
): { steps: readonly Step[]; goesOn: boolean } | null {
  switch (trouble) {
    case "stall":
      return { steps: [{ do: "hang" }], goesOn: false };
    case "cut":
      return { steps: [{ do: "close" }], goesOn: false };
    case "reset-mid":
      return { steps: [{ do: "reset" }], goesOn: false };
    case "cut-clean":
      return { steps: [], goesOn: false };
    case "garbage":
      return { steps: [{ do: "write", data: GARBAGE }], goesOn: true };
    case "error-mid":
      return { steps: [{ do: "write", data: failure() }], goesOn: false };
    default:
      return null;
  }
}

const encoder = new TextEncoder();
const TRICKLE_BYTES = 16;

/** Cut inside characters of several bytes, else in the middle. */
function splitAt(bytes: Uint8Array): number {
  const inside = bytes.findIndex((byte) => (byte & 0xc0) === 0x80);
  return inside === -1 ? Math.floor(bytes.length / 2) : inside;
}

/** One event, written as the trouble wants it. */
function* written(text: string, control: Control, events: boolean): Iterable<Step> {
  switch (control.trouble) {
    case "crlf":
      return yield { do: "write", data: text.replace(/\r?\n/g, "\r\n") };
    case "pings":
      return yield { do: "write", data: events ? `: ping\n\n\n${text}: ping\n\n` : text };
    case "split": {
      const bytes = encoder.encode(text);
      const at = splitAt(bytes);
      yield { do: "write", data: bytes.subarray(0, at) };
      yield { do: "wait", ms: 1 };
      return yield { do: "write", data: bytes.subarray(at) };
    }
    case "trickle": {
      const bytes = encoder.encode(text);
      for (let at = 0; at < bytes.length; at += TRICKLE_BYTES) {
        yield { do: "write", data: bytes.subarray(at, at + TRICKLE_BYTES) };
        yield { do: "wait", ms: 1 };
      }
      return;
    }
    default:
      yield { do: "write", data: text };
  }
}

export interface Disturbance {
  readonly control: Control;
  /** Server-sent events, between which comments may stand. */
  readonly events: boolean;
  /** The events with which the dialect breaks off. */
  readonly failure: () => string;
}

/** The steps that bring the frames to the client, disturbed as the control says. */
export function* stepsOf(frames: Iterable<Frame>, { control, events, failure }: Disturbance): Iterable<Step> {
  const { trouble, pauseMs, paceMs, after } = control;
  let broken = trouble === null ? null : breakdown(trouble, failure);
  let pieces = 0;
  if (pauseMs > 0) yield { do: "wait", ms: pauseMs };
  for (const frame of frames) {
    const last = frame.kind !== "start" && frame.kind !== "delta";
    if (broken && (pieces >= after || last)) {
      yield* broken.steps;
      if (!broken.goesOn) return;
      broken = null;
    }
    if (trouble === "no-end" && frame.kind === "end") continue;
    if (paceMs > 0 && pieces > 0) yield { do: "wait", ms: paceMs };
    yield* written(frame.text, control, events);
    if (trouble === "double-finish" && frame.kind === "finish") yield* written(frame.text, control, events);
    if (frame.kind === "delta") pieces++;
  }
}

/** A whole answer as two pieces, between which things can go wrong. */
export function halves(body: string): readonly Frame[] {
  const middle = Math.floor(body.length / 2);
  return [
    { kind: "delta", text: body.slice(0, middle) },
    { kind: "delta", text: body.slice(middle) },
  ];
}
