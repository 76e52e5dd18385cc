// The cost of a response with tools: every question to the model and every call is a request of its own, with its row, its price
// and its limits, and the answer says the sum.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../../src/core/json/json.ts";
import { type LoopWorld, OURS, script, startLoopWorld } from "./loop-world.ts";

let world: LoopWorld;
beforeAll(async () => {
  world = await startLoopWorld({
    more: "billing: { markup: 1.5, charge: always }\nquota: { requests_per_day: 50, throttle: 10m }",
  });
});
afterAll(() => world.stop());

const MODEL = "OpenAI#gpt-5.4";
const TWO_CALLS = script('call old_echo({"text":"a"}) call old_fail({})', "say: done");

let accounts = 0;

async function makeHolder(usd: number, fields: Record<string, unknown> = {}) {
  const accountId = await world.newAccount(`payer ${++accounts}`);
  if (usd > 0) await world.topUp(accountId, usd);
  const { secret } = await world.newKey({ account_id: accountId, ...fields });
  const headers = { authorization: `Bearer ${secret}` };
  const readBalance = async () => asObject(await world.read(`/accounts/${accountId}`));
  return { headers, secret, readBalance };
}

const sum = (rows: readonly JsonObject[], field: string) =>
  rows.reduce((total, row) => total + Math.round(Number(row[field]) * 1e9), 0);

const sumTokens = (rows: readonly JsonObject[]) =>
  rows.reduce((total, row) => total + (Number(asObject(row.tokens).completion) || 0), 0);

describe.each([false, true])("an answer (streamed: %p)", (stream) => {
  test("costs what its rows say, each call once, and says so", async () => {
    const holder = await makeHolder(1);
    const client = world.client(holder.secret);
    const asked = { model: MODEL, input: TWO_CALLS, tools: [{ ...OURS }] };
    const response = stream
      ? await client.responses.stream(asked).finalResponse()
      : await client.responses.create(asked);
    const rows = await world.rowsOf(response.id);
    // Calls of one turn run at once, so that either may be first in the log.
    const calls = rows.filter(({ operation }) => operation === "tool");
    expect(rows.map(({ operation, surface }) => [operation, surface])).toEqual([
      ["chat", "openai-responses"],
      ["tool", "openai-responses"],
      ["tool", "openai-responses"],
      ["chat", "openai-responses"],
    ]);
    expect(calls.map(({ tool, charged_usd }) => `${tool} ${charged_usd}`).toSorted()).toEqual([
      "echo 0.003",
      "fail 0.015",
    ]);
    expect(rows.filter(({ outcome }) => outcome === "answered")).toHaveLength(4);
    const usage: JsonObject = { ...response.usage };
    expect(Math.round(Number(usage.charged) * 1e9)).toBe(sum(rows, "charged_usd"));
    expect(Math.round(Number(usage.cost) * 1e9)).toBe(sum(rows, "cost_usd"));
    expect(usage.output_tokens).toBe(sumTokens(rows));
    const { balance_usd, held_usd } = await holder.readBalance();
    expect(Math.round(Number(balance_usd) * 1e9)).toBe(1e9 - sum(rows, "charged_usd"));
    expect(held_usd).toBe(0);
  });
});

test("the headers of a whole answer have the sum", async () => {
  const holder = await makeHolder(1);
  const { headers, body } = await world.respond({ model: MODEL, input: TWO_CALLS }, holder.headers);
  const rows = await world.rowsOf(body.id);
  expect(Math.round(Number(headers.get("x-poundkey-cost")) * 1e9)).toBe(sum(rows, "cost_usd"));
});

describe("a limit", () => {
  test("on requests in parallel takes calls of tools for none", async () => {
    const holder = await makeHolder(1, { parallel: 1 });
    const calls = ["a", "b", "c", "d"].map((text) => `call old_echo({"text":"${text}"})`);
    const input = script(calls.join(" "), "say: done");
    const { output } = await world.respond({ model: MODEL, input }, holder.headers);
    const made = output.filter(({ type }) => type === "mcp_call");
    expect(made.map((call) => call.output)).toEqual(["echo: a", "echo: b", "echo: c", "echo: d"]);
    const after = await world.respond({ model: MODEL, input: "say: still" }, holder.headers);
    expect(after.status).toBe(200);
  });

  test("on requests of the minute counts both, and what it refuses ends the answer with what there is", async () => {
    const holder = await makeHolder(1, { requests_per_minute: 3 });
    const { status, body, output } = await world.respond({ model: MODEL, input: TWO_CALLS }, holder.headers);
    expect(status).toBe(200);
    expect(body.status).toBe("incomplete");
    expect(body.incomplete_details).toEqual({ reason: "requests_per_minute_exceeded" });
    expect(output.map(({ type }) => type)).toEqual(["mcp_list_tools", "mcp_call", "mcp_call"]);
  });

  test("on the cost binds all of it: a call beyond it is refused, and the model is told", async () => {
    const holder = await makeHolder(1);
    const most = { ...holder.headers, "x-poundkey-max-cost": "0.028" };
    const input = script("call old_fail({})", "call old_fail({})", "say: done");
    const { body, output } = await world.respond({ model: MODEL, input, max_output_tokens: 64 }, most);
    expect(
      output.filter(({ type }) => type === "mcp_call").map(({ error }) => asObject(error).content),
    ).toEqual([
      [{ type: "text", text: "It failed." }],
      [{ type: "text", text: expect.stringContaining("x-poundkey-max-cost") }],
    ]);
    expect(Number(asObject(body.usage).cost)).toBeLessThanOrEqual(0.028);
  });

  test("of a budget that a call would pass is told to the model, and the answer goes on", async () => {
    const holder = await makeHolder(1, {
      budgets: [{ usd: 0.004, per: "day", models: ["mcp:*"] }],
    });
    const sent = world.servers.old?.listSeen("tools/call").length ?? 0;
    const { body, output } = await world.respond({ model: MODEL, input: TWO_CALLS }, holder.headers);
    expect(body.status).toBe("completed");
    expect(output.map(({ status }) => status)).toContain("failed");
    expect((world.servers.old?.listSeen("tools/call").length ?? 0) - sent).toBe(1);
  });
});
