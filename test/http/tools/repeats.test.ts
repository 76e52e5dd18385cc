// Calls that are sent again, what of a client's request reaches a server, and calls of servers that give no list.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { until } from "../../whole/world/until.ts";
import { startToolsWorld, type ToolsWorld } from "./tools-world.ts";

let world: ToolsWorld;
let secret: string;
let accountId: string;
beforeAll(async () => {
  world = await startToolsWorld({
    servers: { old: { era: "older", sessions: true }, gone: { era: "older" } },
    more: "quota: { requests_per_day: 0 }",
  });
  accountId = await world.newAccount("payer");
  await world.topUp(accountId, 10);
  ({ secret } = await world.newKey({ account_id: accountId }));
  await world.servers.gone?.stop();
});
afterAll(() => world.stop());

const readBalance = async () => Number((await world.read(`/accounts/${accountId}`)).balance_usd);
const countRuns = (tool: string) => world.servers.old?.countRuns(tool) ?? 0;

function call(name: string, given: JsonObject, headers: Readonly<Record<string, string>> = {}, id = 1) {
  const params = { name, arguments: given };
  const message = { jsonrpc: "2.0", id, method: "tools/call", params };
  return world.send("/mcp", message, { authorization: `Bearer ${secret}`, ...headers });
}

async function readError(response: Response): Promise<JsonObject> {
  const { result } = asObject(await response.json());
  return asObject(asObject(asObject(result)._meta)["poundkey/error"]);
}

describe("a call with an Idempotency-Key", () => {
  test.each([
    ["echo", { text: "once" }],
    ["ids", {}],
  ])("of %s is made and charged once, and its repeats get the same result", async (tool, given) => {
    const [runs, balance] = [countRuns(tool), await readBalance()];
    const headers = { "idempotency-key": `same-${tool}` };
    const first = await call(`old_${tool}`, given, headers);
    const again = await call(`old_${tool}`, given, headers, 2);
    expect(again.headers.get("x-poundkey-replayed")).toBe("true");
    expect(first.headers.get("x-poundkey-replayed")).toBeNull();
    const charged = [first, again].map((answer) => answer.headers.get("x-poundkey-charged"));
    expect(charged).toEqual(["0.002", "0.002"]);
    const text = await first.text();
    expect(text).toContain(tool === "ids" ? "12345678901234567890" : "echo: once");
    expect(await again.text()).toBe(text.replace('"id":1,', '"id":2,'));
    expect(countRuns(tool) - runs).toBe(1);
    expect(balance - (await readBalance())).toBeCloseTo(0.002, 9);
  });

  test("at the same time as another is made once for both", async () => {
    const runs = countRuns("echo");
    const headers = { "idempotency-key": "both" };
    const texts = await Promise.all(
      [0, 1].map(async () => (await call("old_echo", { text: "both" }, headers)).text()),
    );
    expect(texts[0]).toContain("echo: both");
    expect(texts[1]).toBe(texts[0] ?? "");
    expect(countRuns("echo") - runs).toBe(1);
  });

  test("and with other arguments is refused, and one of another key is another call", async () => {
    const headers = { "idempotency-key": "mine" };
    await (await call("old_echo", { text: "a" }, headers)).text();
    expect(await readError(await call("old_echo", { text: "b" }, headers))).toMatchObject({
      code: "idempotency_mismatch",
    });
    const other = await world.newKey({ account_id: accountId });
    const runs = countRuns("echo");
    const authorization = `Bearer ${other.secret}`;
    const theirs = await call("old_echo", { text: "a" }, { ...headers, authorization });
    expect(theirs.headers.get("x-poundkey-replayed")).toBeNull();
    expect(countRuns("echo") - runs).toBe(1);
  });

  test("can be sent again after a failure, and not after the server's own error", async () => {
    const headers = { "idempotency-key": "again" };
    const send = async () => call("old_echo", { text: "x" }, headers);
    const error = { code: -32001, message: "no", data: { why: "because" } };
    world.servers.old?.plan("tools/call", { kind: "cut" }, { kind: "answer", message: { error } });
    expect(await readError(await send())).toMatchObject({ code: "tool_server_error" });
    const runs = world.servers.old?.listSeen("tools/call").length;
    for (const charged of ["0", "0"]) {
      const answer = await send();
      expect(answer.headers.get("x-poundkey-charged")).toBe(charged);
      expect(asObject(await answer.json()).error).toEqual(error);
    }
    expect(world.servers.old?.listSeen("tools/call").length).toBe(Number(runs) + 1);
  });

  test("is finished although its client has hung up", async () => {
    const headers = { "idempotency-key": "left" };
    const leaving = new AbortController();
    const params = { name: "old_slow", arguments: { text: "left" } };
    const before = countRuns("slow");
    const running = fetch(`${world.url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${secret}`, ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: "left", method: "tools/call", params }),
      signal: leaving.signal,
    });
    await until("the tool runs", () => countRuns("slow") === before + 1);
    leaving.abort();
    await running.catch(() => {});
    const repeat = call("old_slow", { text: "left" }, headers, 7);
    await until("the tool works on", () => world.servers.old?.finish());
    expect(await (await repeat).text()).toContain("slow: left");
    expect(countRuns("slow")).toBe(before + 1);
    expect(world.servers.old?.cancelled).toEqual([]);
  });
});

test("nothing of a client's own _meta and headers reaches a server", async () => {
  const _meta = { "example.com/tenant": "secret-tenant", baggage: "secret-baggage", progressToken: "p" };
  const params = { name: "old_echo", arguments: { text: "meta" }, _meta };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const headers = { authorization: `Bearer ${secret}`, "x-own": "secret-header", cookie: "secret=cookie" };
  expect(await (await world.send("/mcp", message, headers)).text()).toContain("echo: meta");
  const seen = JSON.stringify(world.servers.old?.seen);
  expect(seen).toContain("meta");
  expect(seen).not.toContain("secret");
});

describe("a call of a server whose list isn't there", () => {
  test("is a result that says so, with a row, free, under its own name", async () => {
    const balance = await readBalance();
    const response = await call("gone_look", { text: "a" });
    expect(await readError(response)).toMatchObject({ code: "tool_server_unavailable" });
    const [row] = await world.rows();
    expect(row).toMatchObject({
      model_asked: "mcp:gone#look",
      server: "gone",
      tool: "look",
      tool_error: "tool_server_unavailable",
      error_code: "tool_server_unavailable",
      cost_usd: 0,
      charged_usd: 0,
    });
    expect(await readBalance()).toBe(balance);
  });

  test("counts in its key's minute as any call does", async () => {
    const slow = await world.newKey({ account_id: accountId, requests_per_minute: 1 });
    const authorization = `Bearer ${slow.secret}`;
    const codes = [];
    for (let at = 0; at < 2; at++)
      codes.push((await readError(await call("gone_look", {}, { authorization }))).code);
    expect(codes).toEqual(["tool_server_unavailable", "requests_per_minute_exceeded"]);
  });
});
