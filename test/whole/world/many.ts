// More parallel requests than `fetch` runs in one process: one connection each, through `node:http`.
import { Agent, type IncomingMessage, request } from "node:http";
import type { Fetch } from "../../../src/core/world/world.ts";

export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** Posts all bodies at once. Returns the whole answers, in the same order. */
export async function postMany(
  url: string,
  secret: string,
  bodies: readonly unknown[],
): Promise<readonly PlainAnswer[]> {
  const agent = new Agent({ maxSockets: bodies.length, keepAlive: false });
  try {
    return await Promise.all(bodies.map((body) => postOne(agent, url, secret, JSON.stringify(body))));
  } finally {
    agent.destroy();
  }
}

function postOne(agent: Agent, url: string, secret: string, body: string): Promise<PlainAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<PlainAnswer>();
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    authorization: `Bearer ${secret}`,
  };
  const sent = request(`${url}/v1/chat/completions`, { method: "POST", agent, headers }, (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (part: string) => {
      text += part;
    });
    response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    response.on("error", reject);
  });
  sent.on("error", reject);
  sent.end(body);
  return promise;
}

/**
 * A `fetch` without a ceiling. In a test's process Bun's own runs at most 256 calls at once, whatever the environment
 * says; this also limits a gateway in that process. A gateway in its own process raises the limit before it starts.
 */
export const uncappedFetch: Fetch = (url, { method = "GET", headers, body, signal }) => {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const fields = Object.fromEntries(new Headers(headers));
  const options = { method, headers: fields, agent: false as const, ...(signal ? { signal } : {}) };
  const sent = request(url, options, (incoming) => {
    const { statusCode = 0, headers: given } = incoming;
    const shown = Object.entries(given).map(([name, value]): [string, string] => [name, String(value)]);
    resolve(new Response(bodyOf(incoming), { status: statusCode, headers: shown }));
  });
  sent.on("error", reject);
  sent.end(typeof body === "string" ? body : "");
  return promise;
};

function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      incoming.on("data", (part: Buffer) => controller.enqueue(new Uint8Array(part)));
      incoming.on("end", () => controller.close());
      incoming.on("error", (error) => controller.error(error));
    },
    cancel: () => void incoming.destroy(),
  });
}
