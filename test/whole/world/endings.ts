// The table of endings: how a request ends, the answer its client gets, and the books afterwards.
import { CHEAP, PRICE } from "./money-world.ts";
import { BEGUN, type Played } from "./play-ending.ts";

/** A quarter of the prompt's bytes, plus four for the message: the charge for a prompt that no provider counted. */
const PROMPT_TOKENS = 12;

export interface Ending extends Played {
  readonly name: string;
  /** The status that the client sees. Null if the client has disconnected. */
  readonly status: number | null;
  /** The code of the error answer or event. Null if there is none. */
  readonly code: string | null;
  /** The prompt and completion tokens charged. Null if the provider failed and the place is given back. */
  readonly tokens: readonly [number, number] | null;
  /** `PRICE` if missing. */
  readonly price?: { readonly input: number; readonly output: number };
  readonly source: "provider" | "estimate" | "none";
  readonly ended: string;
  /** The number of upstream calls. */
  readonly calls: number;
}

const done = { status: 200, code: null, source: "provider", ended: "done", calls: 1 } as const;
const failed = {
  code: "upstream_error",
  tokens: null,
  source: "none",
  ended: "upstream_failed",
  calls: 1,
} as const;
const broken = {
  stream: true,
  status: 200,
  code: "upstream_error",
  tokens: [PROMPT_TOKENS, 2],
  source: "estimate",
  ended: "broken_off",
  calls: 1,
} as const;
const left = { does: "leave", status: null, code: null, ended: "client_gone", calls: 1 } as const;
const unanswered = { ...left, tokens: [PROMPT_TOKENS, 0], source: "estimate" } as const;
const late = { code: "upstream_timeout", ended: "timeout", calls: 1 } as const;

const FINISHED: readonly Ending[] = [
  { ...done, name: "finished, whole", model: "Acme#sim~tokens=1000:500", stream: false, tokens: [1000, 500] },
  {
    ...done,
    name: "finished, streamed",
    model: "Acme#sim~tokens=1000:500",
    stream: true,
    tokens: [1000, 500],
  },
  {
    ...done,
    name: "finished, usage not told, whole",
    model: "Acme#sim~trouble=no-usage",
    stream: false,
    tokens: [PROMPT_TOKENS, 7],
    source: "estimate",
  },
  {
    ...done,
    name: "finished, usage not told, streamed",
    model: "Acme#sim~trouble=no-usage",
    stream: true,
    tokens: [PROMPT_TOKENS, 7],
    source: "estimate",
  },
  {
    ...done,
    name: "finished with nothing said",
    model: "Acme#sim~trouble=no-content",
    stream: true,
    tokens: [8, 0],
  },
  {
    ...done,
    name: "failed over, charged at the card that answered",
    model: "Acme#sim~trouble=503",
    stream: true,
    tokens: [8, 7],
    price: CHEAP,
    calls: 2,
  },
  {
    ...done,
    name: "two choices by two calls, both billed",
    model: "Gated#calm",
    stream: false,
    more: { n: 2 },
    tokens: [2000, 1000],
    calls: 2,
  },
];

const FAILED: readonly Ending[] = [
  {
    ...failed,
    name: "refused by the provider",
    model: "Acme#sim~trouble=400",
    stream: false,
    status: 400,
    code: "invalid_value",
  },
  {
    ...failed,
    name: "failed before the first byte, whole",
    model: "Acme#sim~trouble=500",
    stream: false,
    status: 502,
  },
  {
    ...failed,
    name: "failed before the first byte, streamed",
    model: "Acme#sim~trouble=500",
    stream: true,
    status: 502,
  },
  {
    ...failed,
    name: "an error event before the first piece",
    model: "Acme#sim~trouble=error-mid~after=0",
    stream: true,
    status: 502,
  },
  {
    ...failed,
    name: "closed before the first byte",
    model: "Acme#sim~trouble=cut~after=0",
    stream: true,
    status: 502,
  },
  { ...failed, name: "a whole answer truncated", model: "Acme#sim~trouble=cut", stream: false, status: 502 },
  {
    ...failed,
    name: "of two calls one fails, whole",
    // Both calls have been sent by then.
    model: "Acme#sim~flaky=1~trouble=500~latency=600~tokens=1000:500",
    stream: false,
    more: { n: 2 },
    status: 502,
    calls: 2,
  },
];

const BROKEN: readonly Ending[] = [
  {
    ...broken,
    name: "an error event after the first pieces",
    model: "Acme#sim~trouble=error-mid",
  },
  {
    ...broken,
    name: "truncated after the first pieces",
    model: "Gated#closes",
    after: BEGUN,
    does: "release",
    tokens: [PROMPT_TOKENS, 5],
  },
  { ...broken, name: "ended well, but not whole", model: "Acme#sim~trouble=cut-clean" },
  { ...broken, name: "garbage after the first pieces", model: "Acme#sim~trouble=garbage" },
  {
    ...broken,
    name: "reset after the first pieces",
    model: "Gated#snaps",
    after: BEGUN,
    does: "release",
    tokens: [PROMPT_TOKENS, 5],
  },
  {
    ...broken,
    name: "of two calls one breaks off, streamed",
    model: "Gated#uneven",
    more: { n: 2 },
    after: [...BEGUN, '"index":1,"delta":{"content":"one two "}'],
    does: "release",
    tokens: [2 * PROMPT_TOKENS, 7],
    calls: 2,
  },
];

const LEFT: readonly Ending[] = [
  {
    ...unanswered,
    name: "client gone before the upstream answers, streamed",
    model: "Gated#mute",
    stream: true,
  },
  {
    ...unanswered,
    name: "client gone before the upstream answers, whole",
    model: "Gated#mute",
    stream: false,
  },
  { ...unanswered, name: "client gone after the headers", model: "Gated#headed", stream: true },
  { ...unanswered, name: "client gone during a whole answer", model: "Gated#middle", stream: false },
  {
    ...left,
    name: "client gone between two pieces",
    model: "Gated#middle",
    stream: true,
    after: BEGUN,
    tokens: [PROMPT_TOKENS, 5],
    source: "estimate",
  },
  {
    ...left,
    name: "client gone after the last piece",
    model: "Gated#last",
    stream: true,
    after: ["five six "],
    tokens: [PROMPT_TOKENS, 7],
    source: "estimate",
  },
  {
    ...left,
    name: "client gone after the count, before the mark of the end",
    model: "Gated#counted",
    stream: true,
    after: ["five six "],
    tokens: [1000, 500],
    source: "provider",
  },
  {
    ...left,
    name: "client gone at the mark of the end",
    model: "Gated#calm",
    stream: true,
    after: ["[DONE]"],
    tokens: [1000, 500],
    source: "provider",
    ended: "done",
  },
];

const LATE: readonly Ending[] = [
  {
    ...late,
    name: "no first byte in time",
    model: "Hasty#mute",
    stream: true,
    status: 504,
    tokens: null,
    source: "none",
  },
  {
    ...late,
    name: "silent for too long between two pieces",
    model: "Hasty#middle",
    stream: true,
    status: 200,
    tokens: [PROMPT_TOKENS, 5],
    source: "estimate",
  },
  {
    ...late,
    name: "not whole within the client's own limit",
    model: "Gated#mute",
    stream: false,
    headers: { "x-poundkey-timeout": "0.2" },
    status: 504,
    tokens: [PROMPT_TOKENS, 0],
    source: "estimate",
  },
  {
    ...late,
    name: "cut off in mid-stream by the client's own limit",
    model: "Gated#middle",
    stream: true,
    headers: { "x-poundkey-timeout": "1.5" },
    status: 200,
    tokens: [PROMPT_TOKENS, 5],
    source: "estimate",
  },
];

export const ENDING_ROWS: readonly Ending[] = [...FINISHED, ...FAILED, ...BROKEN, ...LEFT, ...LATE];

/** Returns the cost of the row's tokens, in nano-dollars. */
export function costOfEnding({ tokens, price = PRICE }: Ending): number {
  return tokens === null ? 0 : Math.round(1000 * (tokens[0] * price.input + tokens[1] * price.output));
}
