// The ends of a key while something runs with it: answers, streams and calls of tools that were let in end as ever, and nothing
// that begins after it is let in, within a response of several steps either.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { BINARY } from "../../harness/harness.ts";
import { type LoopWorld, script, startLoopWorld } from "../../http/tools/loop/loop-world.ts";
import { until } from "../../whole/world/until.ts";

const MODEL = "Local#sim-mini";

let world: LoopWorld;
/** Done once, as the next call leaves for a provider or a tool server. */
let onCall: { readonly isTool: boolean; readonly work: () => Promise<unknown> } | null = null;
const hasEnded = () => onCall === null;

beforeAll(async () => {
  world = await startLoopWorld({
    fetch: async (url, init) => {
      const isTool = (await new Response(init.body).text()).includes('"tools/call"');
      const isModel = /chat\/completions|\/responses/.test(String(url));
      const due = onCall !== null && (onCall.isTool ? isTool : isModel) ? onCall : null;
      if (due !== null) onCall = null;
      await due?.work();
      return fetch(url, init);
    },
    servers: { old: { era: "older", sessions: true } },
    fields: "price_per_call: 0",
  });
});
afterAll(() => world.stop());

interface Holder {
  readonly id: string;
  readonly accountId: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
}

function ask(method: string, path: string, body?: JsonObject): Promise<Response> {
  return fetch(`${world.url}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${world.adminToken}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

async function admin(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
  const response = await ask(method, path, body);
  expect(`${method} ${path} ${response.status}`).toMatch(/ 2\d\d$/);
  return asObject(await response.json());
}

/** A key in an account of its own. */
async function makeHolder(): Promise<Holder> {
  const account = await admin("POST", "/accounts", { name: `of ${crypto.randomUUID()}` });
  const accountId = String(account.id);
  const { id, secret } = await world.newKey({ account_id: accountId, requests_per_day: null });
  return { id, accountId, secret, headers: { authorization: `Bearer ${secret}` } };
}

/** The key has expired when this resolves. On a busy machine, the time may have come before it is set. */
async function expire({ id }: Holder): Promise<void> {
  for (let aheadMs = 1000; ; aheadMs *= 2) {
    const expiresAt = new Date(Date.now() + aheadMs).toISOString();
    if ((await ask("PATCH", `/keys/${id}`, { expires_at: expiresAt })).ok) break;
  }
  await until("the key has expired", async () => (await admin("GET", `/keys/${id}`)).state === "expired");
}

async function move({ id }: Holder): Promise<void> {
  const { id: accountId } = await admin("POST", "/accounts", { name: `to ${crypto.randomUUID()}` });
  await admin("PATCH", `/keys/${id}`, { account_id: accountId ?? null });
}

const INVALID = "invalid_api_key";

/** Each end, the reason for which a response of several steps isn't whole, and the status of what begins after it. */
const ENDS = [
  ["revoked", ({ id }: Holder) => admin("DELETE", `/keys/${id}`), INVALID, 401],
  ["expired", expire, INVALID, 401],
  [
    "given another secret without a grace",
    ({ id }: Holder) => admin("POST", `/keys/${id}/rotate`, {}),
    INVALID,
    401,
  ],
  [
    "of an account that closes",
    ({ accountId }: Holder) => admin("POST", `/accounts/${accountId}/close`, {}),
    INVALID,
    401,
  ],
  ["paused", ({ id }: Holder) => admin("PATCH", `/keys/${id}`, { paused: true }), "key_paused", 403],
  ["moved to another account", move, null, 200],
] as const;

describe.skipIf(BINARY !== undefined).each(ENDS)("a key that is %s", (_name, end, reason, after) => {
  /** All that begins now is refused, or goes to the key's new account. */
  const beginNext = async ({ headers }: Holder) => {
    const next = await world.send("/v1/chat/completions", { model: MODEL, messages: SAY }, headers);
    const call = await world.send("/mcp", CALL, headers);
    expect([next.status, call.status]).toEqual([after, after]);
  };

  test.each(["answer", "stream"])("meanwhile has its %s end as ever", async (what) => {
    const holder = await makeHolder();
    onCall = { isTool: false, work: () => end(holder) };
    const stream = what === "stream";
    const asked = { model: MODEL, messages: SAY, stream };
    const response = await world.send("/v1/chat/completions", asked, holder.headers);
    const text = await response.text();
    expect([response.status, hasEnded(), text.includes("whole")]).toEqual([200, true, true]);
    if (stream) expect(text).toContain("data: [DONE]");
    await beginNext(holder);
  });

  test("meanwhile has its tool's call end as ever", async () => {
    const holder = await makeHolder();
    onCall = { isTool: true, work: () => end(holder) };
    const response = await world.send("/mcp", CALL, holder.headers);
    expect([response.status, hasEnded(), await response.text()]).toEqual([
      200,
      true,
      expect.stringContaining("echo: a"),
    ]);
    await beginNext(holder);
  });

  test("while a tool works within a response has nothing else of it begin", async () => {
    const holder = await makeHolder();
    onCall = { isTool: true, work: () => end(holder) };
    const input = script('call old_echo({"text":"a"})', "say: whole");
    const { status, body, output } = await world.respond({ model: "OpenAI#gpt-5.4", input }, holder.headers);
    expect([status, hasEnded()]).toEqual([200, true]);
    expect(output.find(({ type }) => type === "mcp_call")).toMatchObject({ output: "echo: a", error: null });
    expect([body.status, body.incomplete_details, output.some(({ type }) => type === "message")]).toEqual(
      reason === null ? ["completed", null, true] : ["incomplete", { reason }, false],
    );
    await beginNext(holder);
  });
});

const SAY = [{ role: "user", content: "say: whole" }];
const CALL = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "old_echo", arguments: { text: "a" } },
};
