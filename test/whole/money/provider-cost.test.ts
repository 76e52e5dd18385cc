// The cost without the markup, beside the price: who sees it on a request.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { createOperator } from "../world/operator.ts";
import { asking } from "../world/world.ts";

let under: UnderTest;
beforeAll(async () => {
  under = await startUnderTest({ more: "billing: { markup: 2 }" });
});
afterAll(() => under.stop());

test("the cost without the markup is for operators, billing and admins alone", async () => {
  const operator = createOperator(under);
  expect((await under.chat(asking("OpenAI#gpt-5-mini"))).status).toBe(200);
  const [{ id } = { id: "" }] = asArray((await operator.get("/requests?limit=1")).body.data).map(asObject);
  const { cost_usd, provider_cost_usd } = (await operator.get(`/requests/${id}`)).body;
  expect(Number(provider_cost_usd)).toBeCloseTo(Number(cost_usd) / 2, 9);
  const seen: string[] = [];
  for (const role of ["viewer", "manager", "billing", "operator"]) {
    const token = await operator.post("/tokens", { name: role, role });
    const headers = { authorization: `Bearer ${token.body.secret}` };
    const row = asObject(await (await fetch(`${under.url}/admin/v1/requests/${id}`, { headers })).json());
    expect(Number(row.cost_usd)).toBeGreaterThan(0);
    if (row.provider_cost_usd !== undefined) seen.push(role);
  }
  expect(seen).toEqual(["billing", "operator"]);
});

/** Returns the costs and the costs without the markup in a list, sums, figures and files, in USD. */
async function readCosts(secret: string) {
  const headers = { authorization: `Bearer ${secret}` };
  const get = async (path: string) => (await fetch(`${under.url}/admin/v1${path}`, { headers })).text();
  const parse = (text: string) => asObject(JSON.parse(text));
  const [row] = asArray(parse(await get("/requests?limit=1")).data);
  const [sum] = asArray(parse(await get("/usage?group_by=model")).data);
  const [bySelector] = asArray(parse(await get("/usage?group_by=selector")).data);
  const figures = parse(await get("/overview")).totals;
  const [line = ""] = (await get("/export/requests.jsonl")).split("\n");
  const [head = "", ...cells] = (await get("/export/usage.csv?group_by=model")).split("\r\n");
  const columns = head.split(",");
  const values = (cells[0] ?? "").split(",");
  const cell = Object.fromEntries(columns.map((column, at) => [column, Number(values[at])]));
  return [row, sum, bySelector, figures, parse(line), cell].map((one) => {
    const { cost_usd, provider_cost_usd } = asObject(one);
    return [cost_usd, provider_cost_usd];
  });
}

test("the price stands in every list, sum and file, and the cost without the markup beside it for them", async () => {
  const operator = createOperator(under);
  const { body } = await operator.get("/usage?group_by=model");
  const cost = Number(asObject(asArray(body.data)[0]).cost_usd);
  expect(cost).toBeGreaterThan(0);
  for (const role of ["operator", "billing", "admin"]) {
    const token = await operator.post("/tokens", { name: `costs-${role}`, role });
    const costs = await readCosts(String(token.body.secret));
    expect(costs).toEqual(costs.map(() => [cost, expect.closeTo(cost / 2, 9)]));
  }
  const token = await operator.post("/tokens", { name: "costs-viewer", role: "viewer" });
  const costs = await readCosts(String(token.body.secret));
  expect(costs).toEqual(costs.map(() => [cost, undefined]));
});

test("a viewer reconciles calls and tokens, without what they cost", async () => {
  const operator = createOperator(under);
  const read = async (role: string) => {
    const token = await operator.post("/tokens", { name: `reconciles-${role}`, role });
    const headers = { authorization: `Bearer ${token.body.secret}` };
    const get = async (path: string) => (await fetch(`${under.url}/admin/v1${path}`, { headers })).text();
    const [sum] = asArray(asObject(JSON.parse(await get("/reconciliation"))).data).map(asObject);
    const [head = ""] = (await get("/reconciliation.csv")).split("\r\n");
    expect(Number(sum?.calls)).toBeGreaterThan(0);
    const names = [...Object.keys(sum ?? {}), ...head.split(",")];
    return names.filter((name) => /cost|estimated/.test(name));
  };
  expect(await read("viewer")).toEqual([]);
  const costs = ["provider_cost_usd", "claimed_cost_usd", "estimated_usd", "estimated_share"];
  expect(await read("operator")).toEqual([...costs, "provider_cost_usd", "claimed_cost_usd"]);
});

test("who sees it in one account alone sees the sums of that account", async () => {
  const operator = createOperator(under);
  const { id } = (await operator.post("/accounts", { name: "Other" })).body;
  const made = await operator.post("/tokens", { name: "one-account", role: "billing", accounts: [id] });
  const headers = { authorization: `Bearer ${made.body.secret}` };
  const read = async (path: string) =>
    asObject(await (await fetch(`${under.url}/admin/v1${path}`, { headers })).json());
  const other = await under.newKey({ account_id: id, requests_per_day: null });
  expect((await under.chat(asking("OpenAI#gpt-5-mini"), other)).status).toBe(200);
  const [row, ...others] = asArray((await read("/usage?group_by=account")).data).map(asObject);
  expect(others).toEqual([]);
  expect(Number(row?.provider_cost_usd)).toBeCloseTo(Number(row?.cost_usd) / 2, 9);
});
