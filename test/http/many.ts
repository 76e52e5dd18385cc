// Requests beyond what `fetch` runs at once in one process: one connection each, by `node:http`.
import { Agent, request } from "node:http";

export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** Posts all bodies at once; gives the answers, whole and in the same order. */
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
