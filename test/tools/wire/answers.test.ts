// Messages read and written: JSON-RPC, results in the era of each client, and signs of a server's era.
import { describe, expect, test } from "bun:test";
import {
  fitResult,
  LIST_TTL_MS,
  nameResources,
  writeDiscover,
  writeInitialize,
} from "../../../src/tools/wire/client-answers.ts";
import {
  type RpcRequest,
  readMessage,
  writeError,
  writeNotification,
  writeResult,
} from "../../../src/tools/wire/rpc.ts";
import {
  isOtherEra,
  isUnknownSession,
  mayBeOlder,
  readDiscover,
  readInitialize,
} from "../../../src/tools/wire/server-facts.ts";

describe("a message", () => {
  test.each([
    [
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { kind: "request", id: 1, method: "ping", params: {} } satisfies RpcRequest,
    ],
    [
      { jsonrpc: "2.0", id: "a", method: "ping", params: { a: 1 } },
      { kind: "request", id: "a", params: { a: 1 } },
    ],
    [
      { jsonrpc: "2.0", method: "notifications/x" },
      { kind: "notification", method: "notifications/x" },
    ],
    [
      { jsonrpc: "2.0", id: 1, result: {} },
      { kind: "response", id: 1, result: {}, error: null },
    ],
    [
      { jsonrpc: "2.0", id: null, error: { code: 1, message: "x" } },
      { kind: "response", id: null, error: { code: 1 } },
    ],
    [[], { kind: "invalid", reason: "Batches are not supported: send each message on its own." }],
    ["text", { kind: "invalid", id: null }],
    [
      { id: 7, method: "ping" },
      { kind: "invalid", id: 7, reason: '`jsonrpc` must be "2.0".' },
    ],
    [
      { jsonrpc: "2.0", id: 7 },
      { kind: "invalid", id: 7, reason: "`method` must be a string." },
    ],
    [
      { jsonrpc: "2.0", id: null, method: "ping" },
      { kind: "invalid", reason: "`id` must be a string or a number." },
    ],
    [
      { jsonrpc: "2.0", id: {}, method: "ping" },
      { kind: "invalid", id: null },
    ],
    [
      { jsonrpc: "2.0", id: 7, method: "ping", params: [] },
      { kind: "invalid", reason: "`params` must be an object." },
    ],
    [
      { jsonrpc: "2.0", id: 7, result: "text" },
      { kind: "invalid", reason: "The response has no result." },
    ],
    [{ jsonrpc: "2.0", id: 7, error: { code: "1" } }, { kind: "invalid" }],
  ])("%j", (message, read) => {
    expect(readMessage(message)).toMatchObject(read);
  });

  test("is written with its id", () => {
    expect(writeResult("a", { b: 1 })).toEqual({ jsonrpc: "2.0", id: "a", result: { b: 1 } });
    expect(writeError(null, { code: 1, message: "x" })).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: 1, message: "x" },
    });
    expect(writeNotification("n", {})).toEqual({ jsonrpc: "2.0", method: "n", params: {} });
  });
});

describe("the gateway as a server", () => {
  const offer = {
    version: "1.0",
    hasPrompts: false,
    hasResources: true,
    canListen: true,
    instructions: "x".repeat(5000),
  };

  test.each([
    ["2025-03-26", "2025-03-26"],
    ["2025-06-18", "2025-06-18"],
    ["2025-11-25", "2025-11-25"],
    ["2026-07-28", "2025-11-25"],
    ["2024-11-05", "2025-11-25"],
    [undefined, "2025-11-25"],
  ])("answers initialize for %p with %s", (asked, version) => {
    const { instructions, ...rest } = writeInitialize(asked, offer);
    expect(rest).toEqual({
      protocolVersion: version,
      capabilities: { tools: { listChanged: true }, resources: { listChanged: true } },
      serverInfo: { name: "poundkey", version: "1.0" },
    });
    expect(instructions).toBe("x".repeat(4000));
  });

  test("answers server/discover", () => {
    expect(writeDiscover({ ...offer, instructions: null, canListen: false, hasPrompts: true })).toEqual({
      resultType: "complete",
      supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"],
      capabilities: { tools: {}, prompts: {}, resources: {} },
      ttlMs: LIST_TTL_MS,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "poundkey", version: "1.0" } },
    });
  });
});

describe("a result", () => {
  const given = {
    content: [],
    ttlMs: 5,
    cacheScope: "public",
    resultType: "complete",
    structuredContent: [1],
  };

  test("of either era is fit for the other, and never public", () => {
    expect(fitResult(given, "tools/call", "older")).toEqual({ content: [] });
    expect(fitResult({ content: [] }, "tools/call", "newer")).toEqual({
      content: [],
      resultType: "complete",
    });
    const read = { contents: [], ttlMs: 5, cacheScope: "public" };
    expect(fitResult(read, "resources/read", "newer")).toEqual({
      contents: [],
      resultType: "complete",
      ttlMs: 5,
      cacheScope: "private",
    });
    expect(fitResult({ contents: [] }, "resources/read", "newer")).toMatchObject({
      ttlMs: 0,
      cacheScope: "private",
    });
    const plain = { content: [], structuredContent: { a: 1 } };
    expect(fitResult(plain, "tools/call", "older")).toBe(plain);
  });

  test("names its resources as they are among those of all servers", () => {
    const link = { type: "resource_link", uri: "file:///a" };
    const embedded = { type: "resource", resource: { uri: "file:///b", text: "b" } };
    const named = nameResources({ content: [link, embedded, { type: "text", text: "file:///a" }] }, "files");
    expect(named).toEqual({
      content: [
        { type: "resource_link", uri: "files+file:///a" },
        { type: "resource", resource: { uri: "files+file:///b", text: "b" } },
        { type: "text", text: "file:///a" },
      ],
    });
    expect(nameResources({ contents: [{ uri: "file:///c" }] }, "files")).toEqual({
      contents: [{ uri: "files+file:///c" }],
    });
    expect(nameResources({ messages: [{ role: "user", content: link }] }, "files")).toEqual({
      messages: [{ role: "user", content: { type: "resource_link", uri: "files+file:///a" } }],
    });
  });
});

describe("a server's answer", () => {
  const make = (status: number, code?: number, message = "") => ({
    status,
    error: code === undefined ? null : { code, message },
  });
  const ROWS = [
    // status, code, words, unknown session, other than the older era, other than the newer, may be older
    [404, undefined, "", true, false, true, true],
    [404, -32001, "Session not found", true, false, true, true],
    [404, -32601, "Method not found", false, false, true, true],
    [400, -32000, "Bad Request: Server not initialized", true, false, true, true],
    [400, -32000, "Bad Request: No valid session ID provided", true, false, true, true],
    [400, -32000, "Missing argument", false, false, false, true],
    [400, undefined, "", false, false, true, true],
    [400, -32022, "Unsupported protocol version", false, true, true, true],
    [400, -32020, "Header mismatch", false, true, false, false],
    [400, -32021, "Missing capability", false, true, false, false],
    [200, -32602, "Unknown tool", false, false, false, true],
    [200, -32601, "Method not found", false, false, false, true],
  ] as const;
  test.each(ROWS)("%d %p %s", (status, code, words, isForgotten, isNewer, isOlder, may) => {
    const signs = make(status, code, words);
    expect(isUnknownSession(signs, "older")).toBe(isForgotten);
    expect(isOtherEra(signs, "older")).toBe(isNewer);
    expect(isOtherEra(signs, "newer")).toBe(isOlder);
    expect(isUnknownSession(signs, "newer")).toBe(false);
    expect(mayBeOlder(signs)).toBe(may);
  });

  test("says what it is", () => {
    expect(readDiscover({ supportedVersions: ["2025-11-25"] })).toBeNull();
    expect(readInitialize({ protocolVersion: "2026-07-28" }, false)).toBeNull();
    expect(readInitialize({ protocolVersion: "latest" }, false)).toBeNull();
    expect(readInitialize({ capabilities: { tools: { listChanged: true } } }, true)).toEqual({
      era: "older",
      version: "2025-03-26",
      name: null,
      release: null,
      instructions: null,
      hasTools: true,
      hasPrompts: false,
      hasResources: false,
      announces: true,
      hasSessions: true,
    });
  });
});
