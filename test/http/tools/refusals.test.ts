// Refusals as clients of tools see them: statuses and errors before a message is understood, results after.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { NEWER, startToolsWorld, type ToolsWorld } from "./tools-world.ts";

let world: ToolsWorld;
beforeAll(async () => {
  world = await startToolsWorld({
    mcp: 'allowed_tools: ["old_*", "!old_fail"]',
    servers: { old: { era: "older", sessions: true }, other: { era: "older" } },
    server: 'cors: ["https://pages.example"]',
  });
});
afterAll(() => world.stop());

const PING = { jsonrpc: "2.0", id: 7, method: "ping" };

describe("before a message is understood", () => {
  test.each([
    ["no key", PING, { authorization: "" }, 401, -32000],
    ["a wrong key", PING, { authorization: "Bearer sk-wrong" }, 401, -32000],
    ["a page of another site", PING, { origin: "https://evil.example" }, 403, -32000],
    ["another type", PING, { "content-type": "text/plain" }, 415, -32000],
    ["no JSON", "{", {}, 400, -32700],
    ["a batch", [PING], {}, 400, -32600],
    ["no request", { jsonrpc: "2.0" }, {}, 400, -32600],
    ["too deep", `${"[".repeat(70)}${"]".repeat(70)}`, {}, 400, -32600],
    ["an unknown version", PING, { "mcp-protocol-version": "2020-01-01" }, 400, -32000],
    ["an unknown session", PING, { "mcp-session-id": "made-up" }, 404, -32000],
  ])("%s is refused by its status", async (_what, message, headers, status, code) => {
    const response = await world.send("/mcp", message, headers);
    expect([response.status, asObject(asObject(await response.json()).error).code]).toEqual([status, code]);
  });

  test.each([
    ["a paused key", { paused: true }, "key_paused"],
    ["a key from another address", { allowed_addresses: ["192.0.2.0/25"] }, "address_not_allowed"],
  ])("%s is refused by each method", async (_what, fields, code) => {
    const { secret } = await world.newKey(fields);
    const authorization = `Bearer ${secret}`;
    const answers = [await world.send("/mcp", PING, { authorization })];
    for (const method of ["GET", "DELETE"])
      answers.push(
        await fetch(`${world.url}/mcp`, { method, headers: { authorization, accept: "text/event-stream" } }),
      );
    for (const answer of answers) {
      expect(answer.status).toBe(403);
      const { error } = asObject(await answer.json());
      expect(error).toMatchObject({ code: -32000, data: { code } });
    }
  });

  test("an unknown server is 404 in the same words as one that the key may not use", async () => {
    const texts = await Promise.all(
      ["none", "other"].map(async (name) => {
        const response = await world.send(`/mcp/${name}`, PING, { "x-request-id": "req-of-the-client" });
        expect(response.status).toBe(404);
        return (await response.text()).replaceAll(name, "NAME");
      }),
    );
    expect(texts[0]).toBe(texts[1] ?? "");
    expect(texts[0]).toContain('"data":{"code":"not_found"');
  });

  test("an unknown session is 404 with the message's id, and what it is about", async () => {
    const response = await world.send("/mcp", PING, { "mcp-session-id": "made-up" });
    expect(await response.json()).toMatchObject({
      id: 7,
      error: { data: { code: "not_found", type: "invalid_request_error", request_id: expect.any(String) } },
    });
  });

  test("another method, and a key in the URL, are refused in the protocol's form too", async () => {
    const put = await fetch(`${world.url}/mcp`, { method: "PUT", body: "{}" });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, POST, DELETE"]);
    expect(await put.json()).toMatchObject({
      error: { code: -32000, data: { code: "method_not_supported" } },
    });
    const leaked = await world.send(`/mcp/old?key=${world.secret}`, PING);
    expect(leaked.status).toBe(400);
    expect(await leaked.json()).toMatchObject({
      error: { code: -32000, data: { code: "unknown_parameter" } },
    });
  });

  test("a DELETE without a session says where its id belongs", async () => {
    const headers = { authorization: `Bearer ${world.secret}` };
    const response = await fetch(`${world.url}/mcp`, { method: "DELETE", headers });
    expect(response.status).toBe(405);
    expect(JSON.stringify(await response.json())).toContain("Mcp-Session-Id");
  });

  test("pages of the origins that the operator named are let in", async () => {
    for (const origin of ["https://pages.example", "http://localhost:6274"])
      expect((await world.send("/mcp", PING, { origin })).status).toBe(200);
  });

  test("arguments above 1 MB are 413", async () => {
    const params = { name: "old_echo", arguments: { text: "x".repeat(1_048_600) } };
    const response = await world.send("/mcp", { ...PING, method: "tools/call", params });
    expect(response.status).toBe(413);
  });

  test("a notification and an answer are 202", async () => {
    for (const message of [
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 1, result: {} },
    ])
      expect((await world.send("/mcp", message)).status).toBe(202);
  });

  test("headers of the newer era that are unlike the body are −32020", async () => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": NEWER,
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const message = { ...PING, method: "tools/list", params: { _meta } };
    const headers = { "mcp-protocol-version": NEWER, "mcp-method": "tools/call" };
    const response = await world.send("/mcp", message, headers);
    expect([response.status, asObject(asObject(await response.json()).error).code]).toEqual([400, -32020]);
  });

  test("without tool servers there is no such address", async () => {
    const off = await startToolsWorld({ servers: {}, mcp: "streams: 5" });
    const response = await off.send("/mcp", PING);
    expect(response.status).toBe(404);
    expect(asObject(asObject(await response.json()).error)).toMatchObject({
      code: "unknown_url",
      message: expect.stringContaining("mcp.servers"),
    });
    await off.stop();
  });
});

test("a list has one page: a cursor is refused, and null is none", async () => {
  expect(await world.ask("tools/list", { cursor: "2" })).toMatchObject({ code: -32602 });
  expect(await world.ask("tools/list", { cursor: null })).toHaveProperty("tools");
});

test("arguments that are no object are refused by their name, and nothing is called", async () => {
  const runs = world.servers.old?.countRuns("echo");
  for (const given of ["text", ["text"], 5, true])
    expect(await world.ask("tools/call", { name: "old_echo", arguments: given })).toEqual({
      code: -32602,
      message: "`arguments` must be an object.",
    });
  expect(world.servers.old?.countRuns("echo")).toBe(runs ?? 0);
});

describe("a tool that the key may not use", () => {
  test("is in no list, and its call is that of an unknown tool, byte for byte", async () => {
    const { tools } = await world.ask("tools/list");
    const names = asArray(tools).map((tool) => asObject(tool).name);
    expect(names).toContain("old_echo");
    expect(names).not.toContain("old_fail");
    expect(names.some((name) => String(name).startsWith("other_"))).toBe(false);
    const runs = world.servers.old?.seen.length;
    const told = await Promise.all(
      ["old_fail", "old_gone", "other_echo", "none_echo"].map(async (name) => {
        const params = { name, arguments: {} };
        const response = await world.send("/mcp", { ...PING, method: "tools/call", params });
        return (await response.text()).replaceAll(name, "NAME");
      }),
    );
    expect(new Set(told).size).toBe(1);
    expect(told[0]).toBe('{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Unknown tool: NAME"}}');
    expect(world.servers.old?.seen.length).toBe(runs ?? 0);
  });

  test("is seen by the operator among the refusals", async () => {
    await world.ask("tools/call", { name: "old_fail", arguments: {} });
    const { data } = await world.read("/refusals");
    const codes = asArray(data).map((row) => asObject(row).code);
    expect(codes).toContain("tool_not_allowed");
  });
});
