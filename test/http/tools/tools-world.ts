// A gateway in this process with tool servers behind it, and what its clients and its operator ask.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { type Setup, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { ToolServerFake, type ToolServerOptions } from "../../simulator/tools/tool-server.ts";

export interface ToolsWorld extends UnderTest {
  readonly servers: Readonly<Record<string, ToolServerFake>>;
  /** Sends a message as the text that it is. */
  send(path: string, message: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Sends a request of the older era, and returns the result or the error. */
  ask(method: string, params?: JsonObject, asking?: Asking): Promise<JsonObject>;
  /** Reads from the operator's API. */
  read(path: string): Promise<JsonObject>;
  /** Returns the log's rows of calls, newest first. */
  rows(): Promise<readonly JsonObject[]>;
}

export interface Asking {
  readonly path?: string;
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface WorldOptions extends Omit<Setup, "more"> {
  readonly servers?: Readonly<Record<string, ToolServerOptions>>;
  /** Further fields of each server, in YAML. */
  readonly fields?: string;
  /** Fields of `mcp` beside its servers. */
  readonly mcp?: string;
  readonly more?: string;
}

export const NEWER = "2026-07-28";

export async function startToolsWorld({
  servers: options = { old: { era: "older", sessions: true } },
  fields = "price_per_call: 0.002, prices: { fail: 0.01 }",
  mcp = 'allowed_tools: ["*"]',
  more = "",
  ...setup
}: WorldOptions = {}): Promise<ToolsWorld> {
  const servers = Object.fromEntries(
    Object.entries(options).map(([name, one]) => [name, new ToolServerFake(one)]),
  );
  const rows = Object.entries(servers).map(([name, { url }]) => `${name}: { url: "${url}", ${fields} }`);
  const gateway = await startUnderTest({
    ...setup,
    more: `mcp: { ${mcp}, servers: { ${rows.join(", ")} } }\n${more}`,
  });
  const send: ToolsWorld["send"] = (path, message, headers = {}) =>
    fetch(`${gateway.url}${path}`, {
      method: "POST",
      headers: { ...JSON_HEADERS, authorization: `Bearer ${gateway.secret}`, ...headers },
      body: typeof message === "string" ? message : JSON.stringify(message),
    });
  const read = async (path: string) => {
    const response = await fetch(`${gateway.url}/admin/v1${path}`, {
      headers: { authorization: `Bearer ${gateway.adminToken}` },
    });
    return asObject(await response.json());
  };
  return {
    ...gateway,
    servers,
    send,
    read,
    async ask(method, params = {}, { path = "/mcp", secret = gateway.secret, headers = {} } = {}) {
      const message = { jsonrpc: "2.0", id: 1, method, params };
      const response = await send(path, message, { authorization: `Bearer ${secret}`, ...headers });
      const answer = asObject(await response.json());
      return asObject(answer.result ?? answer.error);
    },
    rows: async () => asArray((await read("/requests?operation=tool")).data).map(asObject),
    async stop() {
      await gateway.stop();
      for (const server of Object.values(servers)) await server.stop();
    },
  };
}

const JSON_HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

/** Connects the SDK's own client. `pin` is for the newer era. */
export async function connect(
  world: Pick<ToolsWorld, "url" | "secret">,
  {
    path = "/mcp",
    secret = world.secret,
    pin = false,
  }: { path?: string; secret?: string; pin?: boolean } = {},
): Promise<Client> {
  const mode = pin ? { pin: NEWER } : "legacy";
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const headers = { Authorization: `Bearer ${secret}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${world.url}${path}`), {
    requestInit: { headers },
  });
  await client.connect(transport);
  return client;
}
