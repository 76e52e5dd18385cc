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
