// Google's error answers as faults.
import { describe, expect, test } from "bun:test";
import { gemini } from "../../../src/dialects/gemini/dialect.ts";

describe("error answers", () => {
  const info = (reason: string) => [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason }];
  const quota = (quotaId: string) => [
    { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaId }] },
    { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "36.2s" },
  ];
  const spoken = "You exceeded your current quota, please check your plan and billing details.";
  const error = (code: number, message: string, details: unknown[] = [], status = "X") =>
    JSON.stringify({ error: { code, message, status, details } });
  const rows: [string, number, string, string, number | undefined][] = [
    ["a bad key", 400, error(400, "API key not valid.", info("API_KEY_INVALID")), "upstream_auth", undefined],
    [
      "no billing",
      400,
      error(400, "Gemini API free tier is not available in your country.", [], "FAILED_PRECONDITION"),
      "upstream_auth",
      undefined,
    ],
    [
      "a file that isn't ready",
      400,
      error(400, "The File x is not in an ACTIVE state", [], "FAILED_PRECONDITION"),
      "upstream_rejected",
      undefined,
    ],
    ["a minute's quota", 429, error(429, spoken, quota("RequestsPerMinute")), "provider_busy", 36_200],
    ["a day's quota", 429, error(429, spoken, quota("RequestsPerDayPerProject")), "upstream_auth", 36_200],
    [
      "a prompt too long",
      400,
      error(400, "The input token count (9) exceeds the maximum number of tokens allowed (8)."),
      "context_length_exceeded",
      undefined,
    ],
    [
      "overload",
      503,
      error(503, "The model is overloaded. Please try again later."),
      "provider_busy",
      undefined,
    ],
    ["an array", 404, `[${error(404, "not found")}]`, "model_not_found", undefined],
    ["an event", 404, `data: ${error(404, "not found")}\r\n\r\n`, "model_not_found", undefined],
    ["HTML", 502, "<html>", "upstream_error", undefined],
    ["nothing", 504, "", "upstream_timeout", undefined],
  ];
  test.each(rows)("%s", (_what, status, body, code, retryAfterMs) => {
    const fault = gemini.explain(status, new Headers(), body, 0);
    expect(String(fault.code)).toBe(code);
    expect(fault.details.retryAfterMs).toBe(retryAfterMs);
  });

  test.each([`[${error(404, "No such model.")}]`, `data: ${error(404, "No such model.")}\n\n`])(
    "the provider's words are read out of %s",
    (body) => {
      expect(gemini.explain(404, new Headers(), body, 0).message).toBe("No such model.");
    },
  );
});
