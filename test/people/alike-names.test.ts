// Names that look alike: a second account of a name that a rule gives roles in, and characters that nobody sees.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { foldName } from "../../src/core/text/names.ts";
import { type Seen, seen } from "../whole/world/observe.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { PEOPLE } from "./samples.ts";

let world: HttpWorld;
let admin: Operator;
let alpha: string;
beforeAll(async () => {
  const rules = PEOPLE.more.replace("role: admin", "role: member, accounts: [Alpha]");
  world = await startHttpWorld({ ...PEOPLE, more: rules });
  admin = createOperator(world);
  alpha = await world.newAccount("Alpha");
});
afterAll(() => world.stop());

const told = ({ status, error }: Seen) => (error ? `${status} ${error.code}` : `${status}`);
const put = async (name: string) => {
  const headers = { authorization: `Bearer ${world.adminToken}`, "content-type": "application/json" };
  const path = `/admin/v1/accounts/by-name/${encodeURIComponent(name)}`;
  return seen(await fetch(`${world.url}${path}`, { method: "PUT", headers, body: "{}" }));
};

test("no account is made, renamed or reopened under the name of one that a rule names", async () => {
  const alike = ["Alpha", "ALPHA", " alpha ", "Ａｌｐｈａ", alpha];
  for (const name of alike)
    expect([name, told(await admin.post("/accounts", { name }))]).toEqual([name, "409 name_in_use"]);
  for (const name of ["ALPHA", "Ａｌｐｈａ", alpha]) expect(told(await put(name))).toBe("409 name_in_use");
  const beta = await world.newAccount("Beta");
  expect(told(await admin.patch(`/accounts/${beta}`, { name: "alpha" }))).toBe("409 name_in_use");
  expect(told(await admin.patch(`/accounts/${beta}`, { name: "Beta 2" }))).toBe("200");
  expect(told(await admin.patch(`/accounts/${alpha}`, { name: "ALPHA" }))).toBe("200");
  expect(told(await admin.patch(`/accounts/${alpha}`, { name: "Alpha" }))).toBe("200");
  expect(told(await put("Alpha"))).toBe("200");
  expect(told(await admin.post("/accounts", { name: "Beta 2" }))).toBe("201");
});

test("once the account is closed its name is free, and it isn't reopened beside the next of that name", async () => {
  expect(told(await admin.post(`/accounts/${alpha}/close`, {}))).toBe("200");
  const next = await admin.post("/accounts", { name: "Alpha" });
  expect(told(next)).toBe("201");
  expect(told(await admin.post(`/accounts/${alpha}/reopen`, {}))).toBe("409 name_in_use");
});

test.each(["Te\u200bam", "Te\u202eam", "Te\ufeffam", "Te\u0007am"])(
  "the name %j is no account's, key's, token's or alias's",
  async (name) => {
    expect(told(await admin.post("/accounts", { name }))).toBe("400 invalid_value");
    expect(told(await admin.post("/keys", { name }))).toBe("400 invalid_value");
    expect(told(await admin.post("/tokens", { name, role: "viewer" }))).toBe("400 invalid_value");
    expect(told(await admin.post("/aliases", { name, target: "Acme#cheap" }))).toBe("400 invalid_value");
  },
);

test.each([
  ["Alpha", " ALPHA\u200b"],
  ["Straße 1", "ＳTRASSE 1".replace("SS", "ß")],
  ["ﬁn", "FIN"],
])("%j looks like %j", (one, other) => {
  expect(foldName(one)).toBe(foldName(other));
});
