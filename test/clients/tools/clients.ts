// Clients of tool servers from the protocol's own SDKs, with one face.
import {
  Client as Second,
  StreamableHTTPClientTransport as SecondTransport,
} from "@modelcontextprotocol/client";
import { Client as First } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: () => void;
}

export interface ToolClient {
  listNames(): Promise<readonly string[]>;
  call(name: string, given: JsonObject, options?: CallOptions): Promise<JsonObject>;
  /** Calls back whenever the tools have changed. */
  listen(onChange: () => void): Promise<void>;
  close(): Promise<void>;
}

type Connect = (url: string, secret: string) => Promise<ToolClient>;

const ME = { name: "a client", version: "1" };

function readNames(tools: readonly { readonly name: string }[]): readonly string[] {
  return tools.map(({ name }) => name);
}

function writeHeaders(secret: string) {
  return { requestInit: { headers: { Authorization: `Bearer ${secret}` } } };
}

async function connectFirst(url: string, secret: string): Promise<ToolClient> {
  const client = new First(ME);
  await client.connect(new FirstTransport(new URL(url), writeHeaders(secret)));
  return {
    listNames: async () => readNames((await client.listTools()).tools),
    async call(name, given, { signal, onProgress } = {}) {
      const params = { name, arguments: { ...given } };
      return asObject(
        await client.callTool(params, CallToolResultSchema, {
          ...(signal && { signal }),
          ...(onProgress && { onprogress: onProgress }),
        }),
      );
    },
    async listen(onChange) {
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => onChange());
    },
    close: () => client.close(),
  };
}

function connectSecond(mode: "legacy" | "auto" | { readonly pin: string }): Connect {
  return async (url, secret) => {
    const client = new Second(ME, { versionNegotiation: { mode } });
    await client.connect(new SecondTransport(new URL(url), writeHeaders(secret)));
    return {
      listNames: async () => readNames((await client.listTools()).tools),
      async call(name, given, { signal, onProgress } = {}) {
        const params = { name, arguments: { ...given } };
        return asObject(
          await client.callTool(params, {
            ...(signal && { signal }),
            ...(onProgress && { onprogress: onProgress }),
          }),
        );
      },
      async listen(onChange) {
        client.setNotificationHandler("notifications/tools/list_changed", () => onChange());
        if (mode !== "legacy") await client.listen({ toolsListChanged: true });
      },
      close: () => client.close(),
    };
  };
}

export const CONNECTS: readonly (readonly [name: string, connect: Connect])[] = [
  ["the first SDK", connectFirst],
  ["the second SDK as it comes", connectSecond("legacy")],
  ["the second SDK, either era", connectSecond("auto")],
  ["the second SDK, newer alone", connectSecond({ pin: "2026-07-28" })],
];

/** Returns the text of a result's first part. */
export function readText(result: JsonObject): unknown {
  return asObject(asArray(result.content)[0]).text;
}
