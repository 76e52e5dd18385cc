// Servers by others: both SDKs of the protocol, in each way that they serve, and the reference server of all features.
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { McpServer as OlderServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { ToolProgress } from "../../../src/core/tools/tool-reply.ts";
import { Ending } from "../../../src/core/world/ending.ts";
import { until } from "../../whole/world/until.ts";
import { makeServer, readFirstText, startNode } from "./tool-world.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");

interface Judge {
  readonly url: string;
  /** The number of calls that were cancelled. */
  countCancelled(): number;
  /** Adds the tool `late` and says so. */
  change(): void;
}

const stops: (() => Promise<void> | void)[] = [];
afterAll(async () => {
  for (const stop of stops) await stop();
});

function serve(answer: (request: Request) => Promise<Response>): string {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: answer });
  stops.push(() => server.stop(true));
  return `http://127.0.0.1:${server.port}/mcp`;
}

const ECHO = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;

/** The second SDK, for newer clients alone or for both. */
function startNewer(isStrict: boolean): Judge {
  let cancelled = 0;
  let hasLate = false;
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(
        { name: "judge", version: "2" },
        { capabilities: { tools: { listChanged: true } } },
      );
      server.registerTool("echo", { inputSchema: fromJsonSchema<{ text: string }>(ECHO) }, ({ text }) => ({
        content: [{ type: "text", text: `echo: ${text}` }],
      }));
      if (hasLate) server.registerTool("late", {}, () => ({ content: [] }));
      server.registerTool("slow", {}, async ({ mcpReq }) => {
        const token = mcpReq._meta?.progressToken;
        if (token !== undefined)
          await mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken: token, progress: 1 },
          });
        await new Promise<void>((resolve) => mcpReq.signal.addEventListener("abort", () => resolve()));
        cancelled++;
        return { content: [] };
      });
      return server;
    },
    isStrict ? { legacy: "reject" } : {},
  );
  stops.push(() => handler.close());
  return {
    url: serve((request) => handler.fetch(request)),
    countCancelled: () => cancelled,
    change() {
      hasLate = true;
      handler.notify.toolsChanged();
    },
  };
}

/** The first SDK with sessions. */
function startOlder(): Judge {
  let cancelled = 0;
  const sessions = new Map<
    string,
    { readonly transport: WebStandardStreamableHTTPServerTransport; readonly server: OlderServer }
  >();
  const changed = new Set<OlderServer>();
  const open = async () => {
    const server = new OlderServer({ name: "judge", version: "1" });
    server.registerTool("echo", { inputSchema: { text: z.string() } }, ({ text }) => ({
      content: [{ type: "text", text: `echo: ${text}` }],
    }));
    server.registerTool("slow", {}, async ({ signal, _meta, sendNotification }) => {
      const token = _meta?.progressToken;
      if (token !== undefined)
        await sendNotification({
          method: "notifications/progress",
          params: { progressToken: token, progress: 1 },
        });
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      cancelled++;
      return { content: [] };
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, { transport, server }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await server.connect(transport);
    return transport;
  };
  const answer = async (request: Request) => {
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
    return (known?.transport ?? (await open())).handleRequest(request);
  };
  return {
    url: serve(answer),
    countCancelled: () => cancelled,
    change() {
      for (const { server } of sessions.values()) {
        if (changed.has(server)) server.sendToolListChanged();
        else server.registerTool("late", {}, () => ({ content: [] }));
        changed.add(server);
      }
    },
  };
}

describe.each([
  ["the second SDK, newer alone", () => startNewer(true), "2026-07-28"],
  ["the second SDK, both eras", () => startNewer(false), "2026-07-28"],
  ["the first SDK, with sessions", startOlder, "2025-11-25"],
] as const)("%s", (_name, start, version) => {
  test("lists, runs, reports progress, cancels, and a change is heard", async () => {
    const judge = start();
    const node = startNode([makeServer(judge.url)]);
    expect(await node.listNames()).toEqual(["echo", "slow"]);
    expect(node.servers.describe()[0]).toMatchObject({ state: "up", era: version, leftOut: [] });
    expect(readFirstText(await node.call("echo", { text: "hi" }))).toBe("echo: hi");
    const unknown = await node.call("missing");
    expect(unknown.kind === "error" ? unknown.error.code : unknown.result.isError).toBeOneOf([-32602, true]);
    const client = new Ending();
    const reports: ToolProgress[] = [];
    const call = node
      .call("slow", {}, { client, onProgress: (one) => reports.push(one) })
      .catch(() => "ended");
    await until("progress comes", () => reports.length === 1);
    client.end();
    expect(await call).toBe("ended");
    await until("it is cancelled there", () => judge.countCancelled() === 1);
    const end = node.servers.watch();
    await until("it listens", async () => {
      judge.change();
      return (await node.listNames())?.includes("late");
    });
    end();
  });
});

test("the reference server of all features", async () => {
  const probe = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = probe;
  await probe.stop(true);
  const entry = join(ROOT, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  const child = Bun.spawn([process.execPath, entry, "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdout: "ignore",
    stderr: "ignore",
  });
  stops.push(async () => {
    child.kill();
    await child.exited;
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  await until("it serves", () =>
    fetch(url).then(
      ({ status }) => status > 0,
      () => false,
    ),
  );
  const node = startNode([makeServer(url, { prompts: true, resources: true })]);
  const mirror = await node.servers.list("fake", null);
  expect(mirror?.tools.size).toBeGreaterThan(8);
  expect(mirror?.prompts.length).toBeGreaterThan(1);
  expect(mirror?.resources.length).toBeGreaterThan(1);
  expect(mirror?.templates.length).toBeGreaterThan(0);
  expect(readFirstText(await node.call("echo", { message: "hi" }))).toBe("Echo: hi");
  expect(await node.call("get-structured-content", { location: "Chicago" })).toMatchObject({
    result: { structuredContent: { humidity: expect.any(Number) } },
  });
  const reports: number[] = [];
  const given = { duration: 0.2, steps: 4 };
  await node.call("trigger-long-running-operation", given, {
    onProgress: ({ progress }) => reports.push(progress),
  });
  expect(reports).toEqual([1, 2, 3, 4]);
  const [resource] = mirror?.resources ?? [];
  expect(await node.call(resource?.key ?? "", undefined, { method: "resources/read" })).toMatchObject({
    kind: "result",
  });
  const owners = ["key:1", "key:2"].map((owner) => node.call("get-sum", { a: 1, b: 2 }, { owner }));
  expect((await Promise.all(owners)).map(readFirstText)).toEqual(Array(2).fill("The sum of 1 and 2 is 3."));
  expect(node.sessions.rows.size).toBe(2);
});
