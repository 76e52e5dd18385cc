// Sessions of clients and those that servers keep for them: any node takes one, none is ever two keys'.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Started } from "../../harness/harness.ts";
import { startToolsWorld, type ToolsWorld } from "./tools-world.ts";

let world: ToolsWorld;
let other: Started;
beforeAll(async () => {
  world = await startToolsWorld({ servers: { old: { era: "older", sessions: true } } });
  other = await world.another();
});
afterAll(async () => {
  await other.stop();
  await world.stop();
});

const call = (text: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "old_echo", arguments: { text } },
});

async function open(secret = world.secret): Promise<string> {
  const response = await world.send(
    "/mcp",
    { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18" } },
    { authorization: `Bearer ${secret}` },
  );
  return response.headers.get("mcp-session-id") ?? "";
}

/** Returns the session that the server saw in the last call. */
function lastSession(): string | undefined {
  return world.servers.old?.listSeen("tools/call").at(-1)?.headers["mcp-session-id"];
}

describe("a client's session", () => {
  test("is short, visible, and taken by every node", async () => {
    const session = await open();
    expect(session).toMatch(/^[\x21-\x7e]{1,256}$/);
    const headers = { "mcp-session-id": session };
    expect((await world.send("/mcp", call("a"), headers)).status).toBe(200);
    const there = lastSession();
    const response = await fetch(`${other.url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${world.secret}`, ...headers },
      body: JSON.stringify(call("b")),
    });
    expect(response.status).toBe(200);
    expect(lastSession()).toBe(there ?? "");
  });

  test("is unknown to another key", async () => {
    const session = await open();
    const { secret } = await world.newKey();
    const headers = { "mcp-session-id": session, authorization: `Bearer ${secret}` };
    expect((await world.send("/mcp", call("a"), headers)).status).toBe(404);
  });

  test("that was ended is unknown on every node, and its server's session is ended soon", async () => {
    const session = await open();
    const headers = { "mcp-session-id": session, authorization: `Bearer ${world.secret}` };
    await world.send("/mcp", call("a"), headers);
    const ended = await fetch(`${world.url}/mcp`, { method: "DELETE", headers });
    expect(ended.status).toBe(204);
    expect((await world.send("/mcp", call("a"), headers)).status).toBe(404);
    const elsewhere = await fetch(`${other.url}/mcp`, { method: "DELETE", headers });
    expect(elsewhere.status).toBe(404);
  });
});

describe("a server's session", () => {
  test("is one for each session of a client, and for each key without one", async () => {
    const keys = await Promise.all([world.newKey(), world.newKey()]);
    const seen: (string | undefined)[] = [];
    for (const { secret } of keys) {
      const authorization = `Bearer ${secret}`;
      await world.send("/mcp", call("a"), { authorization });
      seen.push(lastSession());
      await world.send("/mcp", call("b"), { authorization });
      expect(lastSession()).toBe(seen.at(-1) ?? "");
      const session = await open(secret);
      await world.send("/mcp", call("c"), { authorization, "mcp-session-id": session });
      seen.push(lastSession());
    }
    expect(new Set(seen).size).toBe(4);
  });

  test("that the server has forgotten is opened again, and the call is sent once more", async () => {
    const runs = world.servers.old?.countRuns("echo") ?? 0;
    world.servers.old?.plan("tools/call", { kind: "forget" });
    const response = await world.send("/mcp", call("again"));
    expect(await response.text()).toContain("echo: again");
    expect((world.servers.old?.countRuns("echo") ?? 0) - runs).toBe(1);
  });
});
