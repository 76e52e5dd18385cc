// A tool server for tests that quotes the credential which it was sent in every field of every answer.
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";

/** Ways to write a credential. */
export const DRESSES: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  "within a sentence": (secret) => `I got ${secret}, thanks`,
  "as JSON in a text": (secret) => JSON.stringify({ headers: { authorization: secret } }),
  "in an address": (secret) => `https://example.com/?key=${encodeURIComponent(secret)}`,
  "in base64": (secret) => Buffer.from(`a user:${secret}`).toString("base64"),
  "in base64 of addresses": (secret) => Buffer.from(`user:${secret}`).toString("base64url"),
};

export interface QuotingOptions {
  readonly dress: (secret: string) => string;
  readonly answers: "json" | "events";
  /** True to write each character of a text as an escape. */
  readonly escapes?: boolean;
}

export class QuotingServer {
  options: QuotingOptions = { dress: (secret) => secret, answers: "json" };
  readonly #server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: (request) => this.#answer(request),
  });
  readonly url = `http://127.0.0.1:${this.#server.port}/mcp`;
  /** The number of credentials that it has quoted. */
  quoted = 0;

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const { method, id, params } = asObject(await request.json());
    if (id === undefined) return new Response(null, { status: 202 });
    const { authorization, "x-key": key } = Object.fromEntries(request.headers);
    const quote = this.options.dress((key ?? authorization ?? "nothing").replace(/^(Bearer|Basic) /, ""));
    const { progressToken } = asObject(asObject(params)._meta);
    const progress = { progressToken, progress: 1, message: quote };
    const before =
      progressToken === undefined ? [] : [{ method: "notifications/progress", params: progress }];
    return this.#write([...before, { id, ...describe(String(method), asObject(params), quote) }]);
  }

  #write(messages: readonly JsonObject[]): Response {
    const { answers, escapes = false } = this.options;
    this.quoted++;
    const whole = messages.map((one) => ({ jsonrpc: "2.0", ...one }));
    const write = (one: unknown) => (escapes ? escapeStrings(JSON.stringify(one)) : JSON.stringify(one));
    const isJson = answers === "json";
    const text = isJson ? write(whole.at(-1)) : whole.map((one) => `data: ${write(one)}\n\n`).join("");
    return new Response(text, {
      headers: { "content-type": isJson ? "application/json" : "text/event-stream" },
    });
  }
}

/** Writes each letter of each string as an escape, as no server does that means well. */
function escapeStrings(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"/g, (string) =>
    string.replace(/(\\.)|[a-z]/gi, (one, escaped) =>
      escaped === undefined ? `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}` : one,
    ),
  );
}

function describe(method: string, params: JsonObject, quote: string): JsonObject {
  switch (method) {
    case "initialize": {
      const capabilities = { tools: {}, prompts: {}, resources: {} };
      const serverInfo = { name: quote, version: quote };
      return { result: { protocolVersion: "2025-11-25", capabilities, serverInfo, instructions: quote } };
    }
    case "tools/list":
      return { result: { tools: ["result", "refuse", "fail", "link"].map((name) => makeTool(name, quote)) } };
    case "prompts/list":
      return { result: { prompts: [{ name: "greet", description: quote, arguments: [{ name: quote }] }] } };
    case "resources/list":
      return { result: { resources: [{ uri: "file:///a", name: quote, description: quote }] } };
    case "resources/templates/list":
      return { result: { resourceTemplates: [{ uriTemplate: "file:///{a}", name: quote }] } };
    case "prompts/get":
      return { result: { messages: [{ role: "user", content: { type: "text", text: quote } }] } };
    case "resources/read":
      return { result: { contents: [{ uri: quote, text: quote, _meta: { [quote]: quote } }] } };
    case "tools/call":
      return callTool(String(params.name), quote);
    default:
      return { error: { code: -32601, message: quote, data: { [quote]: [quote] } } };
  }
}

function makeTool(name: string, quote: string): JsonObject {
  const properties = { a: { type: "string", description: quote, default: quote } };
  return { name, title: quote, description: quote, inputSchema: { type: "object", properties } };
}

function callTool(name: string, quote: string): JsonObject {
  const link = { type: "resource_link", uri: `file:///${quote}`, name: quote };
  const resource = { type: "resource", resource: { uri: quote, text: quote } };
  const blob = {
    type: "resource",
    resource: { uri: "file:///b", blob: Buffer.from(quote).toString("base64") },
  };
  if (name === "refuse")
    return { error: { code: -32000, message: quote, data: { auth: { [quote]: [quote] } } } };
  if (name === "fail") return { result: { content: [{ type: "text", text: quote }], isError: true } };
  if (name === "link") return { result: { content: [link] } };
  const content = [{ type: "text", text: quote, annotations: { [quote]: quote } }, link, resource, blob];
  return { result: { content, structuredContent: { [quote]: { deep: [quote] } }, _meta: { quote } } };
}
