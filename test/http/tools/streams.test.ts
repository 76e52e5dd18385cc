// In between: progress, cancelling, and changes of lists that clients hear of.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../whole/world/until.ts";
import { connect, startToolsWorld, type ToolsWorld } from "./tools-world.ts";

let world: ToolsWorld;
beforeAll(async () => {
  world = await startToolsWorld({
    servers: { old: { era: "older", sessions: true }, new: { era: "newer" } },
    mcp: 'allowed_tools: ["*"]',
  });
});
afterAll(() => world.stop());

describe("progress", () => {
  test.each([
    ["older", false],
    ["newer", true],
  ])("reaches a client of the %s era under its own token, then the result", async (_era, pin) => {
    const client = await connect(world, { pin });
    const seen: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void seen.push(progress);
    const result = await client.callTool({ name: "old_progress", arguments: { text: "x" } }, { onprogress });
    expect(seen).toEqual([1, 2, 3]);
    expect(result.content).toEqual([{ type: "text", text: "progress: x" }]);
    await client.close();
  });
});

const SLOW = {
  jsonrpc: "2.0",
  id: "slow-1",
  method: "tools/call",
  params: { name: "old_slow", arguments: {} },
};

describe("cancelling", () => {
  test("a client's notification ends the call at the server, and the call is charged", async () => {
    const running = world.send("/mcp", SLOW);
    await until("it happened", () => (world.servers.old?.countRuns("slow") ?? 0) === 1);
    const params = { requestId: "slow-1" };
    await world.send("/mcp", { jsonrpc: "2.0", method: "notifications/cancelled", params });
    await (await running).text();
    await until("it happened", () => (world.servers.old?.cancelled.length ?? 0) > 0);
    await until("it happened", async () => (await world.rows())[0]?.tool === "slow");
    expect((await world.rows())[0]).toMatchObject({ outcome: "left", cost_usd: 0.002 });
  });

  test("a client that hangs up does the same", async () => {
    const before = world.servers.old?.cancelled.length ?? 0;
    const leaving = new AbortController();
    const running = fetch(`${world.url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${world.secret}` },
      body: JSON.stringify(SLOW),
      signal: leaving.signal,
    });
    await until("it happened", () => (world.servers.old?.countRuns("slow") ?? 0) === 2);
    leaving.abort();
    await running.catch(() => {});
    await until("it happened", () => (world.servers.old?.cancelled.length ?? 0) > before);
  });

  test("another key's notification ends nothing", async () => {
    const { secret } = await world.newKey();
    const running = world.send("/mcp", SLOW);
    await until("it happened", () => (world.servers.old?.countRuns("slow") ?? 0) === 3);
    const before = world.servers.old?.cancelled.length ?? 0;
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "slow-1" } };
    await world.send("/mcp", cancel, { authorization: `Bearer ${secret}` });
    expect(world.servers.old?.cancelled.length).toBe(before);
    await world.send("/mcp", cancel);
    await running;
  });

  test("the client's own time limit is a result that says so, and the call is charged", async () => {
    const response = await world.send("/mcp", SLOW, { "x-poundkey-timeout": "0.3" });
    expect(await response.text()).toContain('"code":"tool_timeout"');
    await until("it happened", async () => (await world.rows())[0]?.error_code === "client_timeout");
    expect((await world.rows())[0]).toMatchObject({ tool: "slow", cost_usd: 0.002 });
  });
});

describe("listening", () => {
  test("a change at the server is heard by clients of both eras", async () => {
    const heard: string[] = [];
    const clients = await Promise.all([false, true].map((pin) => connect(world, { pin })));
    for (const [at, client] of clients.entries()) {
      client.setNotificationHandler("notifications/tools/list_changed", () => {
        heard.push(`client ${at}`);
      });
      await client.listTools();
    }
    await clients[1]?.listen({ toolsListChanged: true });
    await until("it happened", () => (world.servers.old?.openStreams ?? 0) > 0);
    const { old } = world.servers;
    old?.change([...old.tools, { name: "fresh", inputSchema: { type: "object" } }]);
    await until("it happened", () => new Set(heard).size === 2);
    const { tools } = (await clients[0]?.listTools()) ?? { tools: [] };
    expect(tools.map(({ name }) => name)).toContain("old_fresh");
    for (const client of clients) await client.close();
  });

  test("a change of the key's rights is heard, and counts at the next call", async () => {
    const { secret, id } = await world.newKey();
    const client = await connect(world, { secret });
    const heard: string[] = [];
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      heard.push("changed");
    });
    expect((await client.listTools()).tools.length).toBeGreaterThan(10);
    await fetch(`${world.url}/admin/v1/keys/${id}`, {
      method: "PATCH",
      headers: { "content-type": "application/json", authorization: `Bearer ${world.adminToken}` },
      body: JSON.stringify({ allowed_tools: ["new_echo", "old_fail"] }),
    });
    await until("it happened", () => heard.length > 0);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["new_echo", "old_fail"]);
    await expect(client.callTool({ name: "old_echo" })).rejects.toThrow("Unknown tool: old_echo");
    await client.close();
  });
});
