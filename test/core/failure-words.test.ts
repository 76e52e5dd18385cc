// The words kept of a failed call: short, on one line, without anything like a secret or a prompt.
import { describe, expect, test } from "bun:test";
import { cleanWords, describeFailure } from "../../src/core/faults/failure.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import { upstreamFault } from "../../src/core/models/upstream.ts";
import { makeConnectionFault } from "../../src/transport/broken.ts";
import { readWords } from "../../src/transport/report.ts";

describe("a provider's message", () => {
  test.each([
    ["Worker 7\n\tcrashed.", "Worker 7 crashed."],
    ["Key sk-abcdefgh12345678 is wrong.", "Key [redacted] is wrong."],
    ["Sent Authorization: Bearer abc.def-ghi123", "Sent Authorization: [redacted]"],
    ["Sent Basic dXNlcjpwYXNzd29yZA==", "Sent [redacted]"],
    [`Got ${"QUJD".repeat(20)}==.`, "Got [redacted]."],
    ["See https://me:secret@host.test/a?key=1234 there.", "See https://host.test/a there."],
    [`You sent "${"my secret prompt ".repeat(4)}".`, 'You sent "[quoted]".'],
    ["Invalid value: 'turbo'. It isn't one of ours.", "Invalid value: 'turbo'. It isn't one of ours."],
    ["half a pair: \ud83d", "half a pair: \ufffd"],
  ])("%j", (given, kept) => expect(cleanWords(given)).toBe(kept));

  test("is cut at 300 characters", () => {
    const fault = upstreamFault({ status: 500, message: "word ".repeat(1000), codes: ["overloaded"] });
    const { message, upstreamCode, cause } = describeFailure(fault);
    expect([message?.length, message?.at(-1), upstreamCode, cause]).toEqual([300, "…", "overloaded", null]);
  });

  test("never has a code that isn't a word", () => {
    const fault = upstreamFault({
      status: 400,
      message: "No.",
      codes: ["my secret prompt", "invalid_value"],
    });
    expect(describeFailure(fault).upstreamCode).toBe("invalid_value");
  });
});

test("a rejected request's message names no address of a private network", () => {
  const shown = (message: string) => upstreamFault({ status: 400, message }).message;
  expect(shown("No route from 10.2.3.4 (172.16.0.9) to http://a.test/b.")).toBe(
    "No route from [address] ([address]) to [address]",
  );
  expect(shown("Version 172.15.0.1 or 1.2.3.4 is needed.")).toBe("Version 172.15.0.1 or 1.2.3.4 is needed.");
});

test("a proxy's page is known by its title, and a request by its id", () => {
  const page = "<html><head><title>502 Bad Gateway</title></head><body>…</body></html>";
  const fault = upstreamFault({ status: 502 });
  const of = (headers: Record<string, string>) => readWords(new Headers(headers), page, fault);
  expect(of({ "cf-ray": "8f-FRA" })).toEqual({ requestId: "8f-FRA", message: "502 Bad Gateway" });
  expect(of({ "x-request-id": "a b" }).requestId).toBeUndefined();
  const own = upstreamFault({ status: 502, message: "Overloaded." });
  expect(readWords(new Headers(), page, own).message).toBe("Overloaded.");
});

describe("a connection's cause", () => {
  test.each([
    ["ECONNREFUSED", "connection refused (ECONNREFUSED)"],
    ["ENOTFOUND", "name not found (ENOTFOUND)"],
    ["ECONNRESET", "connection reset (ECONNRESET)"],
    ["ETIMEDOUT", "timeout (ETIMEDOUT)"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "certificate not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "certificate not accepted (ERR_TLS_CERT_ALTNAME_INVALID)"],
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "certificate not accepted (UNABLE_TO_GET_ISSUER_CERT_LOCALLY)"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "certificate not accepted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)"],
    ["ERR_PROXY_TUNNEL", "refused by the proxy (ERR_PROXY_TUNNEL)"],
    ["EPROTO", "TLS handshake failed (EPROTO)"],
    ["EHOSTUNREACH", "host not reachable (EHOSTUNREACH)"],
    ["ESOMETHING", "connection broken (ESOMETHING)"],
  ])("%s", (code, words) => {
    const error = Object.assign(new TypeError("https://user:secret@host/"), { code });
    expect(describeFailure(makeConnectionFault(error)).cause).toBe(words);
  });

  test("that is our own sentence is kept, and an error's text isn't", () => {
    const of = (cause: unknown) =>
      describeFailure(new Fault("upstream_error", "It failed.", { cause })).cause;
    expect([of("redirect 302"), of(new Error("https://user:secret@host/"))]).toEqual(["redirect 302", null]);
  });
});
