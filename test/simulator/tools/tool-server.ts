// A tool server for tests, of either era or both, strict about every header and session, with faults on command.
import { asObject, asString, type JsonObject } from "../../../src/core/json/json.ts";
import { flood, readJson, refuse, writeEvent } from "./answers.ts";
import type { ToolFault } from "./faults.ts";
import { describeRequest, listMistakes, type SeenRequest } from "./messages.ts";
import { runTool, TOOLS } from "./tools.ts";

export type ServedEra = "older" | "newer" | "both";

export interface ToolServerOptions {
  readonly era?: ServedEra;
  /** Sessions of the older era. */
  readonly sessions?: boolean;
  readonly answers?: "json" | "events";
  readonly pageSize?: number;
  /** The `Authorization` that it wants. */
  readonly token?: string;
  readonly version?: string;
}

const OLDER = new Set(["2025-03-26", "2025-06-18", "2025-11-25"]);
const NEWER = "2026-07-28";
const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: {},
};

export class ToolServerFake {
  readonly seen: SeenRequest[] = [];
  /** Everything that a strict server would refuse. */
  readonly mistakes: string[] = [];
  /** The number of times that each tool ran. */
  readonly runs = new Map<string, number>();
  /** The texts of calls that were carried out, and of those whose results were lost. */
  readonly texts: string[] = [];
  readonly spoiled: string[] = [];
  /** The requests that were cancelled, by notification or by closing. */
  readonly cancelled: unknown[] = [];
  readonly sessions = new Set<string>();
  /** Sessions that the client has ended. */
  readonly ended: string[] = [];
  options: ToolServerOptions;
  tools: readonly JsonObject[] = TOOLS;
  /** The faults that the next requests of a method meet. */
  readonly faults = new Map<string, ToolFault[]>();
  readonly #streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  readonly #cancels = new Map<unknown, () => void>();
  readonly #working = new Map<unknown, () => void>();
  #server: ReturnType<typeof Bun.serve>;
  readonly url: string;
  #next = 0;

  constructor(options: ToolServerOptions = {}) {
    this.options = options;
    this.#server = this.#serve(0);
    this.url = `http://127.0.0.1:${this.#server.port}/mcp`;
  }

  #serve(port: number) {
    return Bun.serve({
      hostname: "127.0.0.1",
      port,
      idleTimeout: 0,
      fetch: (request) => this.#answer(request),
    });
  }

  /** The next request of this method meets the fault. */
  plan(method: string, ...faults: readonly ToolFault[]): void {
    this.faults.set(method, [...(this.faults.get(method) ?? []), ...faults]);
  }

  countRuns(tool: string): number {
    return this.runs.get(tool) ?? 0;
  }

  listSeen(method: string): readonly SeenRequest[] {
    return this.seen.filter((one) => one.method === method);
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  /** Ends the oldest call of the slow tool with its result. Returns false if none is under way. */
  finish(): boolean {
    const [oldest] = this.#working;
    if (oldest === undefined) return false;
    const [id, finish] = oldest;
    this.#working.delete(id);
    finish();
    return true;
  }

  /** Changes the tools, and says so to all who listen. */
  change(tools: readonly JsonObject[]): void {
    this.tools = tools;
    this.announce();
  }

  announce(): void {
    const params = { _meta: { "io.modelcontextprotocol/subscriptionId": 1 } };
    const message = { jsonrpc: "2.0", method: "notifications/tools/list_changed", params };
    for (const stream of this.#streams) stream.enqueue(writeEvent(message));
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  /** Comes back at the same address, with no session. */
  restart(): void {
    this.sessions.clear();
    this.#server = this.#serve(Number(new URL(this.url).port));
  }

  async #answer(request: Request): Promise<Response> {
    const message = request.method === "POST" ? await readJson(request) : {};
    const seen = describeRequest(request, message);
    this.seen.push(seen);
    this.mistakes.push(...listMistakes(seen));
    const fault = this.faults.get(seen.method)?.shift() ?? null;
    if (fault?.kind === "status")
      return new Response("trouble", { status: fault.status, headers: { ...fault.headers } });
    if (fault?.kind === "stall") return this.#stall(request, seen);
    if (fault?.kind === "listen") return this.#openStream(request, null);
    if (fault?.kind === "garble")
      return new Response(fault.text ?? "<html>", { headers: { "content-type": fault.type ?? "text/html" } });
    if (fault?.kind === "forget") this.sessions.clear();
    if (fault?.kind === "answer")
      return Response.json(
        { jsonrpc: "2.0", id: seen.id, ...fault.message },
        { status: fault.status ?? 200 },
      );
    const { token } = this.options;
    if (token !== undefined && request.headers.get("authorization") !== token)
      return new Response("who?", { status: 401, headers: { "www-authenticate": "Bearer" } });
    const isNewer = seen.headers["mcp-protocol-version"] === NEWER;
    return isNewer ? this.#answerNewer(request, seen, fault) : this.#answerOlder(request, seen, fault);
  }

  #stall(request: Request, seen: SeenRequest): Promise<Response> {
    request.signal.addEventListener("abort", () => this.cancelled.push(seen.id));
    return Promise.withResolvers<Response>().promise;
  }

  async #answerNewer(request: Request, seen: SeenRequest, fault: ToolFault | null): Promise<Response> {
    const { era = "both" } = this.options;
    if (request.method !== "POST") return new Response(null, { status: 405 });
    if (era === "older") return refuse(400, seen.id, -32000, "Bad Request: Server not initialized");
    if (seen.method === "server/discover") {
      const supportedVersions = era === "newer" ? [NEWER] : [NEWER, ...OLDER];
      const info = { "io.modelcontextprotocol/serverInfo": { name: "fake", version: "2.0" } };
      const found = { supportedVersions, capabilities: CAPABILITIES, instructions: "Ask nicely." };
      return this.#reply(seen, { ...found, ttlMs: 1000, cacheScope: "public", _meta: info });
    }
    if (seen.method === "subscriptions/listen") return this.#listen(request, seen.id);
    return this.#run(request, seen, fault);
  }

  #listen(request: Request, id: unknown): Response {
    const params = { _meta: { "io.modelcontextprotocol/subscriptionId": id }, notifications: {} };
    const first = { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params };
    return this.#openStream(request, id === undefined ? null : first);
  }

  #openStream(request: Request, first: JsonObject | null): Response {
    let own: ReadableStreamDefaultController<Uint8Array> | null = null;
    const drop = () => {
      if (own !== null) this.#streams.delete(own);
    };
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        own = controller;
        this.#streams.add(controller);
        controller.enqueue(first === null ? Buffer.from(":\n\n") : writeEvent(first));
      },
      cancel: drop,
    });
    request.signal.addEventListener("abort", drop);
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  /** Ends all listening streams, as a restart would. */
  endStreams(): void {
    for (const stream of this.#streams) stream.close();
    this.#streams.clear();
  }

  async #answerOlder(request: Request, seen: SeenRequest, fault: ToolFault | null): Promise<Response> {
    const { era = "both", sessions: hasSessions = false } = this.options;
    if (era === "newer") {
      const data = { supported: [NEWER], requested: seen.headers["mcp-protocol-version"] ?? "none" };
      return refuse(400, seen.id, -32022, "Unsupported protocol version", data);
    }
    if (seen.method === "initialize") return this.#initialize(seen);
    const session = seen.headers["mcp-session-id"];
    if (hasSessions && session === undefined)
      return refuse(400, seen.id, -32000, "Bad Request: Mcp-Session-Id header is required");
    if (hasSessions && !this.sessions.has(session ?? ""))
      return refuse(404, seen.id, -32001, "Session not found");
    if (request.method === "DELETE") return this.#end(session ?? "");
    if (request.method === "GET") return this.#openStream(request, null);
    if (seen.method === "notifications/cancelled") this.#cancel(seen.params.requestId);
    if (seen.id === undefined || seen.method === "response") return new Response(null, { status: 202 });
    return this.#run(request, seen, fault);
  }

  #initialize(seen: SeenRequest): Response {
    const asked = asString(seen.params.protocolVersion) ?? "";
    const version = this.options.version ?? (OLDER.has(asked) ? asked : "2025-11-25");
    const session = `session-${++this.#next}`;
    if (this.options.sessions) this.sessions.add(session);
    const result = {
      protocolVersion: version,
      capabilities: CAPABILITIES,
      serverInfo: { name: "fake", version: "1.0" },
      instructions: "Ask nicely.",
    };
    return this.#reply(seen, result, this.options.sessions ? { "mcp-session-id": session } : {});
  }

  #end(session: string): Response {
    this.sessions.delete(session);
    this.ended.push(session);
    return new Response(null, { status: 204 });
  }

  #cancel(id: unknown): void {
    this.cancelled.push(id);
    this.#cancels.get(id)?.();
  }

  #run(request: Request, seen: SeenRequest, fault: ToolFault | null): Response {
    const { method, params } = seen;
    if (method === "tools/call") return this.#call(request, seen, fault);
    const lists: Readonly<Record<string, JsonObject>> = {
      "tools/list": this.#page(params),
      "prompts/list": { prompts: [{ name: "greet", description: "Greets." }] },
      "resources/list": { resources: [{ uri: "file:///a.txt", name: "a" }] },
      "resources/templates/list": { resourceTemplates: [{ uriTemplate: "file:///{path}", name: "any" }] },
      "prompts/get": {
        messages: [{ role: "user", content: { type: "text", text: `Hello ${params.name}` } }],
      },
      "resources/read": { contents: [{ uri: params.uri, text: "content" }] },
      ping: {},
    };
    const result = lists[method];
    return result === undefined
      ? refuse(404, seen.id, -32601, "Method not found")
      : this.#reply(seen, result);
  }

  #page({ cursor }: JsonObject): JsonObject {
    const { pageSize = 1000 } = this.options;
    const from = Number(asString(cursor) ?? "0");
    const to = from + pageSize;
    const next = to < this.tools.length ? { nextCursor: String(to) } : {};
    return { tools: this.tools.slice(from, to), ...next };
  }

  #call(request: Request, seen: SeenRequest, fault: ToolFault | null): Response {
    const name = asString(seen.params.name) ?? "";
    const tool = this.tools.find((one) => one.name === name);
    if (tool === undefined) return refuse(200, seen.id, -32602, `Unknown tool: ${name}`);
    this.mistakes.push(...this.#checkParameters(seen, tool));
    this.runs.set(name, this.countRuns(name) + 1);
    this.texts.push(String(asObject(seen.params.arguments).text));
    if (fault?.kind === "break" || fault?.kind === "cut") this.spoiled.push(this.texts.at(-1) ?? "");
    const isStreamed =
      this.options.answers !== "json" || fault !== null || name === "progress" || name === "slow";
    const result = runTool(name, asObject(seen.params.arguments));
    return isStreamed ? this.#stream(request, seen, result, fault) : this.#reply(seen, result);
  }

  #checkParameters({ headers, params }: SeenRequest, { inputSchema }: JsonObject): readonly string[] {
    if (headers["mcp-protocol-version"] !== NEWER) return [];
    const given = asObject(params.arguments);
    return Object.entries(asObject(asObject(inputSchema).properties)).flatMap(([name, schema]) => {
      const header = asString(asObject(schema)["x-mcp-header"]);
      if (header === undefined) return [];
      const sent = headers[`mcp-param-${header.toLowerCase()}`];
      const isRight = given[name] === undefined ? sent === undefined : sent !== undefined;
      return isRight ? [] : [`mcp-param-${header} is ${sent}`];
    });
  }

  #stream(request: Request, seen: SeenRequest, result: JsonObject, fault: ToolFault | null): Response {
    const { id, params } = seen;
    const token = asObject(params._meta).progressToken;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const send = (message: JsonObject) => controller.enqueue(writeEvent({ jsonrpc: "2.0", ...message }));
        if (params.name === "progress" && token !== undefined) {
          for (const progress of [1, 2, 3])
            send({ method: "notifications/progress", params: { progressToken: token, progress, total: 3 } });
        }
        send({ method: "notifications/message", params: { level: "info", data: "working" } });
        if (fault?.kind === "flood") flood(fault, controller);
        if (fault?.kind === "ask") send({ id: "from-server", method: fault.method, params: {} });
        if (fault?.kind === "break") return void setTimeout(() => controller.error(), 0);
        if (fault?.kind === "cut") return controller.close();
        if (params.name === "slow") {
          this.#working.set(id, () => {
            send({ id, result });
            controller.close();
          });
          return this.#wait(request, id, controller);
        }
        if (fault?.kind === "twice") send({ id: "nobody", result: {} });
        send({ id, result });
        if (fault?.kind === "twice") send({ id, result: { content: [] } });
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  /** A tool that works until it is cancelled. */
  #wait(request: Request, id: unknown, controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#cancels.set(id, () => {
      this.#working.delete(id);
      try {
        controller.close();
      } catch {
        // The client has closed it already.
      }
    });
    request.signal.addEventListener("abort", () => {
      if (this.#working.delete(id)) this.cancelled.push(`closed ${id}`);
    });
  }

  #reply(
    { id, headers: asked }: SeenRequest,
    result: JsonObject,
    headers: Record<string, string> = {},
  ): Response {
    const isNewer = asked["mcp-protocol-version"] === NEWER;
    const whole = isNewer ? { resultType: "complete", ...result } : result;
    const message = { jsonrpc: "2.0", id, result: whole };
    if ((this.options.answers ?? "events") === "json") return Response.json(message, { headers });
    return new Response(writeEvent(message), {
      headers: { ...headers, "content-type": "text/event-stream" },
    });
  }
}
