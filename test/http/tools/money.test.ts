// The cost of calls of tools: held and charged as requests are, once, and only for what the server did.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startToolsWorld, type ToolsWorld } from "./tools-world.ts";

let world: ToolsWorld;
beforeAll(async () => {
  world = await startToolsWorld({
    servers: { old: { era: "older", sessions: true } },
    more: "quota: { requests_per_day: 2, throttle: 10m }\nbilling: { markup: 1.5 }",
  });
});
afterAll(() => world.stop());

let accounts = 0;

async function makeHolder(usd: number, fields: Record<string, unknown> = {}) {
  const accountId = await world.newAccount(`holder ${++accounts}`);
  if (usd > 0) await world.topUp(accountId, usd);
  const { secret, id } = await world.newKey({ account_id: accountId, requests_per_day: 0, ...fields });
  const readBalance = async () => asObject(await world.read(`/accounts/${accountId}`));
  return { accountId, secret, id, readBalance };
}

function call(secret: string, name: string, given: JsonObject = {}) {
  return world.send(
    "/mcp",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } },
    { authorization: `Bearer ${secret}` },
  );
}

async function readError(response: Response) {
  const { result } = asObject(await response.json());
  return asObject(asObject(asObject(result)._meta)["poundkey/error"]);
}

describe("a call that the balance pays", () => {
  test("is charged its price with the markup, and has a row that says so", async () => {
    const holder = await makeHolder(1);
    const response = await call(holder.secret, "old_echo", { text: "hi" });
    expect(response.headers.get("x-poundkey-cost")).toBe("0.003");
    expect(response.headers.get("x-poundkey-charged")).toBe("0.003");
    expect(asObject(asObject(await response.json()).result).content).toEqual([
      { type: "text", text: "echo: hi" },
    ]);
    expect(await holder.readBalance()).toMatchObject({ balance_usd: 0.997, held_usd: 0 });
    const [row] = await world.rows();
    expect(row).toMatchObject({
      operation: "tool",
      surface: "mcp",
      model_asked: "mcp:old#echo",
      model_used: "mcp:old#echo",
      provider: "mcp:old",
      outcome: "answered",
      status: 200,
      server: "old",
      tool: "echo",
      tool_error: null,
      argument_bytes: 13,
      cost_usd: 0.003,
      charged_usd: 0.003,
      usage_source: "provider",
      key_id: holder.id,
    });
    expect(Number(row?.result_bytes)).toBeGreaterThan(10);
  });

  test("is charged also if its result says that the tool failed, at the tool's own price", async () => {
    const holder = await makeHolder(1);
    const response = await call(holder.secret, "old_fail");
    expect(asObject(asObject(await response.json()).result).isError).toBe(true);
    expect(await holder.readBalance()).toMatchObject({ balance_usd: 0.985, held_usd: 0 });
    expect((await world.rows())[0]).toMatchObject({ outcome: "answered", tool_error: "is_error" });
  });

  test("is charged also if it was sent and its client's time was over, and the answer says so", async () => {
    const holder = await makeHolder(1);
    world.servers.old?.plan("tools/call", { kind: "stall" });
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "old_echo" } };
    const headers = { authorization: `Bearer ${holder.secret}`, "x-poundkey-timeout": "0.3" };
    const response = await world.send("/mcp", message, headers);
    expect(response.headers.get("x-poundkey-cost")).toBe("0.003");
    expect(response.headers.get("x-poundkey-charged")).toBe("0.003");
    expect((await readError(response)).code).toBe("tool_timeout");
    expect(await holder.readBalance()).toMatchObject({ balance_usd: 0.997, held_usd: 0 });
  });

  test.each([
    ["the server's own error", { kind: "answer", message: { error: { code: -32001, message: "no" } } }],
    ["an answer that is cut off", { kind: "cut" }],
    ["no answer in the protocol", { kind: "garble" }],
    ["a 500", { kind: "status", status: 500 }],
    ["a redirect", { kind: "status", status: 302, headers: { location: "http://169.254.169.254/" } }],
  ] as const)("costs nothing after %s, and is sent once", async (_what, fault) => {
    const holder = await makeHolder(1);
    const sent = world.servers.old?.listSeen("tools/call").length ?? 0;
    world.servers.old?.plan("tools/call", fault);
    const response = await call(holder.secret, "old_echo", { text: "hi" });
    expect(response.headers.get("x-poundkey-charged")).toBe("0");
    await response.text();
    expect(await holder.readBalance()).toMatchObject({ balance_usd: 1, held_usd: 0 });
    expect((world.servers.old?.listSeen("tools/call").length ?? 0) - sent).toBe(1);
  });

  test("is refused as a result if the balance doesn't cover it, before the server is asked", async () => {
    const holder = await makeHolder(0.001);
    const sent = world.servers.old?.listSeen("tools/call").length ?? 0;
    const response = await call(holder.secret, "old_echo");
    expect(response.status).toBe(200);
    expect(await readError(response)).toMatchObject({
      code: "insufficient_balance",
      type: "insufficient_quota",
    });
    expect(world.servers.old?.listSeen("tools/call").length).toBe(sent);
  });
});

describe("a call of a key with places left", () => {
  test("is free, takes none of them, and is paid once they are used up", async () => {
    const holder = await makeHolder(1, { requests_per_day: 1 });
    for (let times = 0; times < 3; times++) await (await call(holder.secret, "old_echo")).text();
    expect(await holder.readBalance()).toMatchObject({ balance_usd: 1 });
    const chat = await world.chat(
      { model: "OpenAI#any", messages: [{ role: "user", content: "say: a" }] },
      holder,
    );
    expect(chat.status).toBe(200);
    await (await call(holder.secret, "old_echo")).text();
    expect(await holder.readBalance()).toMatchObject({ balance_usd: 0.997 });
  });
});

describe("limits", () => {
  test("of the minute and budgets by the tool's name count calls, and refuse with what is left", async () => {
    const budgets = [{ per: "day", usd: 0.004, models: ["mcp:old#*"] }];
    const holder = await makeHolder(1, { budgets });
    await (await call(holder.secret, "old_echo")).text();
    const refused = await readError(await call(holder.secret, "old_echo"));
    expect(refused).toMatchObject({ code: "budget_exceeded", limit: { kind: "budget" } });
    const slow = await makeHolder(1, { requests_per_minute: 1 });
    await (await call(slow.secret, "old_echo")).text();
    expect(await readError(await call(slow.secret, "old_echo"))).toMatchObject({
      code: "requests_per_minute_exceeded",
    });
  });

  test("on models don't concern tools", async () => {
    const holder = await makeHolder(1, { allowed_models: ["OpenAI#*"] });
    expect(
      asObject(asObject(await (await call(holder.secret, "old_echo")).json()).result).isError,
    ).toBeUndefined();
  });
});
