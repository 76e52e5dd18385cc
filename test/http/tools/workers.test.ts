// Listening streams of a node with several workers: its bound is that of all of them together.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject } from "../../../src/core/json/json.ts";
import { newPlace, type Place, type Serving, startServe } from "../../harness/serve-process.ts";
import { ToolServerFake } from "../../simulator/tools/tool-server.ts";

const ADMIN = "admin-token-of-the-tests";
const STREAMS = 3;
/** Each comes to either of two workers: that one of them gets too few to be full is out of the question. */
const TRIES = 40;
const TEST_MS = 120_000;

const fake = new ToolServerFake({ era: "older" });
let place: Place;
let serving: Serving;
let url: string;
beforeAll(async () => {
  const servers = `servers: { old: { url: "${fake.url}" } }`;
  place = newPlace(`server: { admin_token: "${ADMIN}" }
store: "sqlite:./poundkey.db"
mcp: { allowed_tools: ["*"], streams: ${STREAMS}, ${servers} }
`);
  serving = startServe(place, "--simulate", "--workers", "2", "--port", "0");
  url = await serving.listens();
  await serving.logged("worker_listens", 2);
}, TEST_MS);
afterAll(async () => {
  serving.end();
  place.remove();
  await fake.stop();
});

function ask(path: string, secret: string, body: object | null, headers = {}): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: body === null ? "GET" : "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
    keepalive: false,
  });
}

test(
  "a node has no more of them than its bound, and as many",
  async () => {
    const made = await ask("/admin/v1/keys", ADMIN, { name: "test" });
    const { secret } = asObject(await made.json());
    const params = { protocolVersion: "2025-11-25" };
    const begin = { jsonrpc: "2.0", id: 1, method: "initialize", params };
    const begun = await ask("/mcp", String(secret), begin);
    const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
    // They are kept, so that none of them ends.
    const streams: Response[] = [];
    for (let at = 0; at < TRIES; at++) {
      const headers = { accept: "text/event-stream", ...session };
      streams.push(await ask("/mcp", String(secret), null, headers));
    }
    const statuses = streams.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(STREAMS);
    expect(statuses.filter((status) => status === 405)).toHaveLength(TRIES - STREAMS);
  },
  TEST_MS,
);
