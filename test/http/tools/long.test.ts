// Answers that take long, and streams that end with the gateway: nothing in between takes them for dead, nobody waits.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../whole/world/until.ts";
import { startToolsWorld, type ToolsWorld } from "./tools-world.ts";

let world: ToolsWorld;
beforeAll(async () => {
  world = await startToolsWorld({
    servers: { old: { era: "older" } },
    // A gateway that waited for its streams would outlast the test.
    server: "keep_alive: 50ms, drain: 5m",
  });
});
afterAll(() => world.stop());

const SLOW = { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "old_slow" } };
const LISTEN = { accept: "text/event-stream" };

test("a call that takes long is answered by events, with comments until the result comes", async () => {
  const response = await world.send("/mcp", SLOW, {
    accept: "application/json, text/event-stream",
    "x-poundkey-timeout": "0.5",
  });
  expect(response.headers.get("content-type")).toStartWith("text/event-stream");
  expect(response.headers.get("x-accel-buffering")).toBe("no");
  const blocks = (await response.text()).split("\n\n").filter((block) => block !== "");
  expect(blocks.length).toBeGreaterThan(2);
  expect(blocks.slice(0, -1).every((block) => block.startsWith(":"))).toBe(true);
  expect(blocks.at(-1)).toMatch(/^(event: message\n)?data: \{.*"id":3.*tool_timeout/s);
});

test("a client that takes no events has JSON, however long it takes", async () => {
  const response = await world.send("/mcp", SLOW, {
    accept: "application/json",
    "x-poundkey-timeout": "0.3",
  });
  expect(response.headers.get("content-type")).toStartWith("application/json");
  expect(await response.json()).toMatchObject({ id: 3, result: { isError: true } });
});

test("streams of listeners end with the gateway, which doesn't wait for them", async () => {
  const other = await world.another();
  const authorization = `Bearer ${world.secret}`;
  const opened = await fetch(`${other.url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a", version: "1" } },
    }),
  });
  await opened.text();
  const session = opened.headers.get("mcp-session-id") ?? "";
  const stream = await fetch(`${other.url}/mcp`, {
    headers: { ...LISTEN, authorization, "mcp-session-id": session },
  });
  expect(stream.status).toBe(200);
  let isOver = false;
  const reading = stream.text().then(
    () => (isOver = true),
    () => (isOver = true),
  );
  await other.stop();
  await until("the stream is over", () => isOver);
  await reading;
});
