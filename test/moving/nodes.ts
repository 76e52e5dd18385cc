// Nodes of a gateway on the configuration that an import wrote, and clients that call them as they called the other one.
import { readFileSync } from "node:fs";
import OpenAI from "openai";
import { startGateway } from "../../src/app/composition.ts";
import { openStore } from "../../src/app/start/open-store.ts";
import { loadText, requireSettings } from "../harness/settings.ts";

export const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
/** For a test on a PostgreSQL of its own, also on a busy machine. */
export const NODES_MS = 60_000;
/** Few at once: the nodes, the provider and the database share this machine with other tests. */
const AT_ONCE = 10;

interface Imported {
  readonly store: string;
  /** The configuration's file. */
  readonly config: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Node {
  /** The base URL of OpenAI's API. */
  readonly url: string;
  stop(): Promise<unknown>;
}

export async function startNode({ store, config, env }: Imported): Promise<Node> {
  const text = `server: { port: 0, admin_token: admin-token-of-the-tests }\nstore: "${store}"\n${readFileSync(config, "utf8")}`;
  const settings = requireSettings(loadText(text, { env }));
  const opened = await openStore(settings.store, MASTER_KEY);
  const running = await startGateway({
    settings,
    opened,
    log: () => {},
    configSchema: () => ({}),
    reusePort: false,
    noticeMs: 0,
  });
  return { url: `http://127.0.0.1:${running.port}/v1`, stop: () => running.stop() };
}

/** As many as SDKs make by themselves. A node that got no time for its beat refuses for a second, and says so. */
const RETRIES_MAX = 2;

/** Asks as a client of the other gateway does. Returns `ok`, or the error's code. */
export async function ask(baseURL: string, apiKey: string, model = "chat", maxRetries = 0): Promise<string> {
  const client = new OpenAI({ baseURL, apiKey, maxRetries });
  try {
    const answer = await client.chat.completions.create({
      model,
      messages: [{ role: "user", content: "hi" }],
    });
    return answer.choices.length === 1 ? "ok" : "empty";
  } catch (error) {
    return error instanceof OpenAI.APIError ? String(error.code) : String(error);
  }
}

/** Every client asks each of the nodes at once. Returns the different results. */
export async function askAll(
  nodes: readonly string[],
  secrets: readonly string[],
  model = "chat",
): Promise<ReadonlySet<string>> {
  const results = new Set<string>();
  for (let from = 0; from < secrets.length; from += AT_ONCE) {
    const some = secrets.slice(from, from + AT_ONCE);
    const calls = some.flatMap((secret) => nodes.map((node) => ask(node, secret, model, RETRIES_MAX)));
    for (const result of await Promise.all(calls)) results.add(result);
  }
  return results;
}
