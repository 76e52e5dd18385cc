// Tool servers by others: both SDKs of the protocol, in each way that they serve, and the reference server of all features.
import { join } from "node:path";
import { McpServer as OlderServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { until } from "../whole/world/until.ts";

/** A tool server in a program of its own. */
export interface ReferenceServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** One that tells what became of its calls. Its tools are `echo`, `fail`, and `slow`, which ends when it is cancelled or released. */
export interface WatchedServer extends ReferenceServer {
  /** The number of calls of `slow`, and of those that were cancelled. */
  countStarted(): number;
  countCancelled(): number;
  /** Answers the calls of `slow` that are under way. */
  release(): void;
  /** Adds the tool `late` and says so. */
  change(): void;
}

type Answer = (request: Request) => Promise<Response>;
type Progress = (token: string | number) => Promise<void>;

const ROOT = join(import.meta.dir, "..", "..");
const ECHO = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
const BROKEN = { content: [{ type: "text" as const, text: "the tool broke" }], isError: true };

function makeEcho(text: string) {
  return { content: [{ type: "text" as const, text: `echo: ${text}` }] };
}

/** Counts the calls of one server's tool `slow`. */
class Seen {
  started = 0;
  cancelled = 0;
  hasLate = false;
  readonly #running: (() => void)[] = [];

  /** Reports progress once, and waits to be cancelled or released. */
  async runSlowly(signal: AbortSignal, token: string | number | undefined, report: Progress) {
    this.started++;
    if (token !== undefined) await report(token);
    if (!signal.aborted)
      await new Promise<void>((resolve) => {
        this.#running.push(resolve);
        signal.addEventListener("abort", () => resolve());
      });
    if (signal.aborted) this.cancelled++;
    return { content: [] };
  }

  release(): void {
    for (const resolve of this.#running.splice(0)) resolve();
  }
}

function serve(answer: Answer): ReferenceServer {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: answer });
  return { url: `http://127.0.0.1:${server.port}/mcp`, stop: () => server.stop(true) };
}

/** Starts the second SDK's server, for newer clients alone or for both. */
export function startSecondSdk(isStrict: boolean): WatchedServer {
  const seen = new Seen();
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(
        { name: "second", version: "2" },
        { capabilities: { tools: { listChanged: true } } },
      );
      const inputSchema = fromJsonSchema<{ text: string }>(ECHO);
      server.registerTool("echo", { inputSchema }, ({ text }) => makeEcho(text));
      server.registerTool("fail", {}, () => BROKEN);
      if (seen.hasLate) server.registerTool("late", {}, () => ({ content: [] }));
      server.registerTool("slow", {}, ({ mcpReq }) =>
        seen.runSlowly(mcpReq.signal, mcpReq._meta?.progressToken, (progressToken) =>
          mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: 1 } }),
        ),
      );
      return server;
    },
    isStrict ? { legacy: "reject" } : {},
  );
  const { url, stop } = serve((request) => handler.fetch(request));
  return {
    url,
    async stop() {
      await handler.close();
      await stop();
    },
    countStarted: () => seen.started,
    countCancelled: () => seen.cancelled,
    release: () => seen.release(),
    change() {
      seen.hasLate = true;
      handler.notify.toolsChanged();
    },
  };
}

function makeOlder(seen: Seen): OlderServer {
  const server = new OlderServer({ name: "first", version: "1" });
  server.registerTool("echo", { inputSchema: { text: z.string() } }, ({ text }) => makeEcho(text));
  server.registerTool("fail", {}, () => BROKEN);
  if (seen.hasLate) server.registerTool("late", {}, () => ({ content: [] }));
  server.registerTool("slow", {}, ({ signal, _meta, sendNotification }) =>
    seen.runSlowly(signal, _meta?.progressToken, (progressToken) =>
      sendNotification({ method: "notifications/progress", params: { progressToken, progress: 1 } }),
    ),
  );
  return server;
}

/** A server of the first SDK that isn't connected yet. */
interface Unconnected {
  connect(transport: WebStandardStreamableHTTPServerTransport): Promise<void>;
}

/** Starts a server of the first SDK, one for each session. */
export function startSessions<Made extends Unconnected>(
  make: () => Made,
  onOpen: (id: string, server: Made) => void = () => {},
  onClose: (id: string) => void = () => {},
): ReferenceServer {
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const open = async () => {
    const server = make();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        transports.set(id, transport);
        onOpen(id, server);
      },
      onsessionclosed: (id) => {
        transports.delete(id);
        onClose(id);
      },
    });
    await server.connect(transport);
    return transport;
  };
  return serve(async (request) => {
    const known = transports.get(request.headers.get("mcp-session-id") ?? "");
    return (known ?? (await open())).handleRequest(request);
  });
}

/** Starts the first SDK's server with sessions. */
export function startFirstSdk(): WatchedServer {
  const seen = new Seen();
  const servers = new Map<string, OlderServer>();
  return {
    ...startSessions(
      () => makeOlder(seen),
      (id, server) => void servers.set(id, server),
      (id) => void servers.delete(id),
    ),
    countStarted: () => seen.started,
    countCancelled: () => seen.cancelled,
    release: () => seen.release(),
    change() {
      for (const server of servers.values()) {
        if (seen.hasLate) server.sendToolListChanged();
        else server.registerTool("late", {}, () => ({ content: [] }));
      }
      seen.hasLate = true;
    },
  };
}

/** Starts the first SDK's server with neither sessions nor events. Its changes are only seen in lists. */
export function startStateless(): WatchedServer {
  const seen = new Seen();
  return {
    ...serve(async (request) => {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await makeOlder(seen).connect(transport);
      return transport.handleRequest(request);
    }),
    countStarted: () => seen.started,
    countCancelled: () => seen.cancelled,
    release: () => seen.release(),
    change() {
      seen.hasLate = true;
    },
  };
}

/** Returns a port that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const probe = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = probe;
  await probe.stop(true);
  return port ?? 0;
}

/** Starts a program that serves at `/mcp` of the port, and waits until it does. */
export async function startServerProgram(
  command: readonly string[],
  port: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<ReferenceServer> {
  const child = Bun.spawn([...command], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...environment },
    stdout: "ignore",
    stderr: "ignore",
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  await until("it serves", () =>
    fetch(url).then(
      ({ status }) => status > 0,
      () => false,
    ),
  );
  return {
    url,
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}

/** Starts the reference server of all features: the older eras, with sessions, and events as answers. */
export async function startEverything(): Promise<ReferenceServer> {
  const port = await findFreePort();
  const entry = join(ROOT, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  return startServerProgram([process.execPath, entry, "streamableHttp"], port, { PORT: String(port) });
}
