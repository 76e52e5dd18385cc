// Google's own details of a refusal: without them, Gemini CLI repeats a request for minutes before it shows the message.
import { expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import { asObject } from "../../../src/core/json/json.ts";
import { refuse } from "../../../src/surfaces/gemini/errors.ts";

const TYPE = "type.googleapis.com/google.rpc";

function readDetails(fault: Fault): unknown {
  return asObject(refuse(fault).body.error).details;
}

test("a used-up allowance says how long to wait, and that it is the day's", () => {
  const fault = new Fault("rate_limit_exceeded", "Used up.", { retryAfterMs: 590_200 });
  expect(readDetails(fault)).toEqual([
    { "@type": `${TYPE}.RetryInfo`, retryDelay: "591s" },
    { "@type": `${TYPE}.QuotaFailure`, violations: [{ quotaId: "RequestsPerDay", description: "Used up." }] },
  ]);
});

const LIMIT = { scope: "key", name: "mine", kind: "budget", limit: 1, used: 1, reserved: 0 } as const;

test("a used-up budget says how long it stays so, or a day if it doesn't start over", () => {
  const month = { resetAtMs: 0, resetsInMs: 864_000_500, limit: { ...LIMIT, resetsAtMs: 0 } };
  const total = { limit: { ...LIMIT, resetsAtMs: null } };
  for (const [details, retryDelay] of [
    [month, "864001s"],
    [total, "86400s"],
  ] as const) {
    expect(readDetails(new Fault("budget_exceeded", "Used up.", details))).toEqual([
      { "@type": `${TYPE}.RetryInfo`, retryDelay },
      { "@type": `${TYPE}.QuotaFailure`, violations: [{ quotaId: "Budget", description: "Used up." }] },
    ]);
  }
});

test("limits that end soon say when, and are no day's", () => {
  const codes = [
    ["budget_reserved", "BudgetReserved"],
    ["tokens_per_minute_exceeded", "TokensPerMinute"],
    ["requests_per_minute_exceeded", "RequestsPerMinute"],
    ["too_many_parallel_requests", "ParallelRequests"],
  ] as const;
  for (const [code, quotaId] of codes) {
    const details = { retryAfterMs: 5000, limit: { ...LIMIT, resetsAtMs: null } };
    expect(readDetails(new Fault(code, "Wait.", details))).toEqual([
      { "@type": `${TYPE}.RetryInfo`, retryDelay: "5s" },
      { "@type": `${TYPE}.QuotaFailure`, violations: [{ quotaId, description: "Wait." }] },
    ]);
  }
});

test("a store that is down says when to try again", () => {
  expect(readDetails(new Fault("store_unavailable", "Down."))).toEqual([
    { "@type": `${TYPE}.RetryInfo`, retryDelay: "1s" },
  ]);
});

test("a provider's long wait is cut to a minute, as in the header", () => {
  const fault = new Fault("provider_busy", "Busy.", { retryAfterMs: 3_600_000 });
  expect(readDetails(fault)).toContainEqual({ "@type": `${TYPE}.RetryInfo`, retryDelay: "60s" });
});

test("other errors have no details", () => {
  expect(readDetails(new Fault("invalid_value", "Wrong."))).toBeUndefined();
});
