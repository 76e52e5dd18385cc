// Where the configuration is written and the check of a change, over HTTP: for whom, how large, and that nothing comes of it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";

const PATH = "/configuration/check";
const CHANGE = { text: "quota: { requests_per_day: 7 }" };

let world: HttpWorld;
let operator: Operator;
beforeAll(async () => {
  world = await startHttpWorld({ more: "log: { keep: 40d }" });
  operator = createOperator(world);
});
afterAll(() => world.stop());

async function askAs(role: string, method: "GET" | "POST", path: string, body?: object) {
  const { secret } = (await operator.post("/tokens", { name: `${role} ${Math.random()}`, role })).body;
  return fetch(`${world.url}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
}

describe("the configuration", () => {
  test("has a file, and the lines of its fields", async () => {
    const { body } = await operator.get("/configuration");
    expect(String(body.file)).toMatch(/\.yaml$/);
    const paths = asArray(body.fields).map((one) => asArray(asObject(one).path).join("."));
    expect(paths).toContain("log.keep");
    expect(body.sign_in).toBeNull();
    expect(JSON.stringify(body)).not.toContain(world.adminToken);
  });

  test("is seen by readers, and a change is checked for operators and admins alone", async () => {
    const read = (role: string) => askAs(role, "GET", "/configuration").then(({ status }) => status);
    const check = (role: string) => askAs(role, "POST", PATH, CHANGE).then(({ status }) => status);
    expect(await Promise.all(["member", "viewer", "operator"].map(read))).toEqual([403, 200, 200]);
    const roles = ["member", "viewer", "manager", "billing", "operator", "admin"];
    expect(await Promise.all(roles.map(check))).toEqual([403, 403, 403, 403, 200, 200]);
  });
});

describe("a checked change", () => {
  test("is applied by nobody, and stands in no audit", async () => {
    const before = (await operator.get("/settings")).body;
    const { body } = await operator.post(PATH, CHANGE);
    expect(body).toEqual({ ok: true, errors: [], warnings: [] });
    expect((await operator.get("/settings")).body).toEqual(before);
    const { data } = (await operator.get("/audit?action=configuration")).body;
    expect(data).toEqual([]);
  });

  test("has its errors with line and field", async () => {
    const { status, body } = await operator.post(PATH, { text: "log:\n  keep: for ever" });
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: false,
      errors: [{ line: 2, column: 9, field: "log.keep", message: expect.stringContaining("expected") }],
      warnings: [],
    });
  });

  test("is bounded", async () => {
    const long = await operator.post(PATH, { text: `# ${"x".repeat(20_000)}` });
    expect([long.status, long.error?.param]).toEqual([400, "text"]);
    const deep = await operator.post(PATH, { text: "[".repeat(19_000) });
    expect([deep.status, deep.body.ok]).toEqual([200, false]);
    const wide = await operator.post(PATH, { text: `a: &a [x]\nb: [${"*a,".repeat(6000)}]` });
    expect([wide.status, wide.body.ok]).toEqual([200, false]);
  });
});
