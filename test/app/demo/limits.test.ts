// The requests that a demo lets through, and their limits.
import { describe, expect, test } from "bun:test";
import { findPassage } from "../../../src/app/demo/door/let-through.ts";
import { VisitorLimits } from "../../../src/app/demo/door/visitor-limits.ts";

const PLAIN = new Headers();

describe("what passes", () => {
  test("reads pass, and of the rest a closed list", () => {
    const rows = [
      ["GET", "/admin/v1/keys", "read"],
      ["HEAD", "/", "read"],
      ["GET", "/admin/v1/export/requests.csv", "heavy"],
      ["GET", "/admin/v1/search", "heavy"],
      ["GET", "/admin/v1/requests/live", "stream"],
      ["GET", "/metrics", "closed"],
      ["GET", "/mcp", "closed"],
      ["POST", "/mcp/depot", "closed"],
      ["GET", "/auth/oidc/start", "closed"],
      ["POST", "/admin/v1/session", "sign-in"],
      ["DELETE", "/admin/v1/session", "sign-out"],
      ["PATCH", "/admin/v1/session", "closed"],
      ["POST", "/admin/v1/playground", "playground"],
      ["POST", "/admin/v1/playground/v1/responses", "closed"],
      ["POST", "/admin/v1/search", "closed"],
      ["POST", "/v1/chat/completions", "call"],
      ["POST", "/chat/completions", "closed"],
      ["POST", "/v1/messages/count_tokens", "call"],
      ["POST", "/v1beta/models/gemini-3.8-flash:generateContent", "call"],
      ["POST", "/v1beta/models/Google%23gemini-3.8-flash:streamGenerateContent", "call"],
      ["POST", "/v1beta/models/gemini-3.8-flash:batchGenerateContent", "closed"],
      ["POST", "/v1/files", "closed"],
      ["POST", "/v1/responses/compact", "closed"],
      ["POST", "/v1/images/generations", "closed"],
      ["POST", "/v1/audio/speech", "closed"],
      ["PUT", "/v1/chat/completions", "closed"],
      ["OPTIONS", "/v1/chat/completions", "closed"],
    ] as const;
    expect(rows.map(([method, path]) => [method, path, findPassage(method, path, PLAIN)])).toEqual(
      rows.map((row) => [...row]),
    );
  });

  test("no connection is upgraded", () => {
    expect(findPassage("GET", "/v1/responses", new Headers({ upgrade: "websocket" }))).toBe("socket");
  });
});

describe("how much", () => {
  test("20 calls a minute and two at once, by address", () => {
    const clock = { atMs: 600_000 };
    const limits = new VisitorLimits(() => clock.atMs);
    expect([limits.beginCall("a"), limits.beginCall("a"), limits.beginCall("a")]).toEqual([
      null,
      null,
      "at once",
    ]);
    expect(limits.beginCall("b")).toBeNull();
    limits.endCall("a");
    for (let count = 2; count < 20; count++) {
      expect(limits.beginCall("a")).toBeNull();
      limits.endCall("a");
    }
    expect(limits.beginCall("a")).toBe("calls");
    clock.atMs += 60_000;
    expect(limits.beginCall("a")).toBeNull();
  });

  test("300 reads a minute, and two long ones of all visitors", () => {
    const limits = new VisitorLimits(() => 0);
    for (let count = 0; count < 300; count++) expect(limits.read("a")).toBeNull();
    expect([limits.read("a"), limits.read("b")]).toEqual(["reads", null]);
    expect([limits.beginHeavy(), limits.beginHeavy(), limits.beginHeavy()]).toEqual([null, null, "heavy"]);
    limits.endHeavy();
    expect(limits.beginHeavy()).toBeNull();
  });

  test("20 open streams of an address, and 1,000 of all", () => {
    const limits = new VisitorLimits(() => 0);
    for (let count = 0; count < 20; count++) expect(limits.beginStream("a")).toBeNull();
    expect([limits.beginStream("a"), limits.beginStream("b")]).toEqual(["streams", null]);
    limits.endStream("a");
    expect([limits.beginStream("a"), limits.beginStream("a")]).toEqual([null, "streams"]);
    for (let count = 21; count < 1000; count++) expect(limits.beginStream(`other-${count}`)).toBeNull();
    expect(limits.beginStream("c")).toBe("streams");
  });

  test("an address writes 300 rows, and all of them 10,000 until the demo starts over", () => {
    const clock = { atMs: 0 };
    const limits = new VisitorLimits(() => clock.atMs);
    const call = (address: string) => {
      clock.atMs += 60_000;
      const limit = limits.beginCall(address);
      if (limit === null) limits.endCall(address);
      return limit;
    };
    for (let count = 0; count < 300; count++) expect(call("first")).toBeNull();
    expect(call("first")).toBe("rows");
    for (let count = 300; count < 10_000; count++) expect(call(`other-${count}`)).toBeNull();
    expect([limits.isFull, call("last")]).toEqual([true, "rows"]);
    limits.forgetRows();
    expect([limits.isFull, call("first")]).toEqual([false, null]);
  });

  test("a /64 of IPv6 is one visitor", () => {
    const limits = new VisitorLimits(() => 0);
    const same = ["2001:db8:1:2:aaaa::1", "2001:0db8:1:2::ffff", "2001:db8:1:2:3:4:5:6"];
    expect(same.map((address) => limits.beginCall(address))).toEqual([null, null, "at once"]);
    for (const other of ["2001:db8:1:3::1", "::1", "192.0.2.7"]) expect(limits.beginCall(other)).toBeNull();
  });
});
