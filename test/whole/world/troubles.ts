// The client's view of each failure of a provider: whole, and streamed with every piece sent separately.
import type { InjectedFault } from "../../../src/simulator/control.ts";
import type { PROVIDER_NAMES } from "./world.ts";

type ProviderName = (typeof PROVIDER_NAMES)[number];

/** In the form of `lineOf`. The code `*` is the provider's own. */
export interface Outcome {
  readonly whole: string;
  /** Same as the whole answer if missing. */
  readonly stream?: string;
  /** The dialects that can't express what the others do. */
  readonly but?: Partial<Record<ProviderName, Pick<Outcome, "whole" | "stream">>>;
  /** The error message: the provider's words if the request was at fault, else the gateway's own. */
  readonly says?: RegExp;
}

const REJECTED = "400 invalid_request_error *";
const FAILED = "502 api_error upstream_error";
const AUTH = "502 api_error upstream_auth";
const LATE = "504 api_error upstream_timeout";
/** If the provider states no time, the answer says one second. */
const BUSY = "429 rate_limit_error provider_busy, retry after 1";
const NOT_FOUND = "404 invalid_request_error model_not_found";
const FILTERED = "400 invalid_request_error content_filter";

const ANSWERED: Outcome = { whole: "200 whole", stream: "200 done" };
const BROKEN: Outcome = {
  whole: FAILED,
  stream: "200 then api_error upstream_error",
  says: /broke|malformed/,
};
const REFUSED_KEY: Outcome = { whole: AUTH, says: /key, or its quota/ };
const REDIRECTED: Outcome = { whole: FAILED, says: /malformed/ };
const EMPTY: Outcome = { whole: FAILED, says: /malformed/ };

const after = (line: string) => `${line}, retry after 1`;
const same = (line: string) => ({ whole: line, stream: line });

export const OUTCOMES: Readonly<Record<InjectedFault, Outcome>> = {
  "400": { whole: REJECTED, says: /Simulated: the request was rejected\./ },
  "401": REFUSED_KEY,
  "402": REFUSED_KEY,
  "403": REFUSED_KEY,
  "404": { whole: NOT_FOUND, says: /does not exist/ },
  "408": { whole: LATE, says: /in time/ },
  "413": { whole: "413 invalid_request_error request_too_large", says: /too large/ },
  "422": { whole: REJECTED, says: /can't be processed/ },
  "429": { whole: BUSY, says: /load/ },
  quota: REFUSED_KEY,
  "500": { whole: FAILED, says: /failed/ },
  "502-html": { whole: FAILED, says: /failed/ },
  "503": { whole: after(FAILED), but: { Google: same(FAILED), Cohere: same(FAILED) }, says: /failed/ },
  "504": { whole: LATE, says: /in time/ },
  "529": {
    whole: BUSY,
    // These providers have no such status: the simulator sends 503, some without a retry time.
    but: {
      Mistral: same(after(FAILED)),
      Perplexity: same(after(FAILED)),
      Cohere: same(FAILED),
    },
    says: /load|failed/,
  },
  context: { whole: "400 invalid_request_error context_length_exceeded", says: /too (long|many)|exceeds/ },
  // Gemini reports a blocked prompt as an answer that ends with `content_filter`.
  filter: { whole: FILTERED, but: { Google: ANSWERED }, says: /filter/ },
  "302": REDIRECTED,
  "307": REDIRECTED,
  reset: { whole: FAILED, says: /broke the connection/ },
  silent: { whole: LATE, says: /in time/ },
  stall: { whole: LATE, stream: "200 then api_error upstream_timeout", says: /in time/ },
  cut: BROKEN,
  "reset-mid": BROKEN,
  "cut-clean": BROKEN,
  garbage: BROKEN,
  "error-mid": {
    whole: FAILED,
    stream: "200 then api_error upstream_error",
    but: {
      Anthropic: { whole: BUSY, stream: "200 then rate_limit_error provider_busy" },
      Google: { whole: BUSY, stream: "200 then rate_limit_error provider_busy" },
    },
    says: /failed|load/,
  },
  "error-200": { whole: FAILED, but: { Anthropic: same(BUSY), Google: same(BUSY) }, says: /failed|load/ },
  "empty-200": EMPTY,
  "empty-stream": EMPTY,
  "json-for-stream": ANSWERED,
  // In dialects whose answers end with an event other than `[DONE]`, a missing end is a break.
  "no-end": {
    ...ANSWERED,
    but: Object.fromEntries(
      ["Anthropic", "Perplexity", "Responses"].map((name) => [
        name,
        { whole: "200 whole", stream: "200 then api_error upstream_error" },
      ]),
    ),
    says: /malformed/,
  },
  "no-content": ANSWERED,
  "no-usage": ANSWERED,
  "odd-usage": ANSWERED,
  huge: ANSWERED,
  trickle: ANSWERED,
  "wrong-type": ANSWERED,
  split: ANSWERED,
  crlf: ANSWERED,
  pings: ANSWERED,
  "double-finish": ANSWERED,
};

/** Returns the expected line for one provider. */
export function formatExpected(outcome: Outcome, provider: ProviderName, streamed: boolean): string {
  const { whole, stream = whole } = outcome.but?.[provider] ?? outcome;
  return streamed ? stream : whole;
}
