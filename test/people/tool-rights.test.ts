// The tools that each role may let a key call: admins and operators any, a manager those of the account, a member ever fewer.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import type { Role } from "../../src/core/people/people.ts";
import type { Seen } from "../whole/world/observe.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { PEOPLE } from "./samples.ts";
import { type Ask, signInAs } from "./signed-in.ts";

const RULES = `key_defaults: { allowed_tools: ["github_*", "jira_*", "!*_delete*"] }
key_maxima: { allowed_tools: ["*", "!*_delete*"] }`;
const OWN = ["github_*", "!github_secret*", "!*_delete*"];

let world: HttpWorld;
let opened: OpenedStore;
let admin: Operator;
let team: string;
beforeAll(async () => {
  world = await startHttpWorld({ ...PEOPLE, more: `${PEOPLE.more}\n${RULES}` });
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  admin = createOperator(world);
  team = await world.newAccount("Team");
  expect((await admin.patch(`/accounts/${team}`, { allowed_tools: OWN })).body.allowed_tools).toEqual(OWN);
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

const signIn = (role: Role, id: string): Promise<Ask> =>
  signInAs({ url: world.url, opened }, id, [{ role, accountId: team }]);
const told = ({ status, error }: Seen) => (error ? `${status} ${error.code} ${error.param}` : `${status}`);

describe("a member", () => {
  test("gives a key of their own any list within the maxima, and later only takes tools away", async () => {
    const ann = await signIn("member", "mem_ann");
    const make = (allowed_tools: unknown) => ann("POST", "/keys", { name: "mine", allowed_tools });
    expect(told(await make(["*"]))).toBe("400 invalid_value allowed_tools");
    expect((await make(["*"])).error?.message).toContain("'key_maxima or else key_defaults' allows");
    const { body } = await make(["github_*", "jira_*", "!*_delete*"]);
    const change = (allowed_tools: unknown) => ann("PATCH", `/keys/${body.id}`, { allowed_tools });
    expect(told(await change(["github_*", "!*_delete*"]))).toBe("200");
    expect(told(await change(["github_read", "github_write"]))).toBe("200");
    expect(told(await change(["github_*", "!*_delete*"]))).toBe("403 not_permitted allowed_tools");
    expect(told(await change(null))).toBe("403 not_permitted allowed_tools");
    expect(told(await change([]))).toBe("200");
    expect(told(await change(["github_read"]))).toBe("403 not_permitted allowed_tools");
    expect((await ann("GET", `/keys/${body.id}`)).body.allowed_tools).toEqual([]);
  });

  test("has the defaults without a list, as `GET /v1/key` shows", async () => {
    const ann = await signIn("member", "mem_bob");
    const { body } = await ann("POST", "/keys", { name: "mine" });
    expect(body.allowed_tools).toBeNull();
    const held = await fetch(`${world.url}/v1/key`, {
      headers: { authorization: `Bearer ${body.secret}` },
    });
    expect((await held.json()).allowed_tools).toEqual(["github_*", "jira_*", "!*_delete*"]);
  });
});

test("a manager gives keys what the account may call, and takes nothing from its exceptions", async () => {
  const lead = await signIn("manager", "mem_lead");
  const make = (allowed_tools: unknown) =>
    lead("POST", "/keys", { name: "s", kind: "service", account_id: team, allowed_tools });
  expect(told(await make(["github_read", "!*"]))).toBe("201");
  expect(told(await make(OWN))).toBe("201");
  expect(told(await make(null))).toBe("201");
  expect(told(await make(["jira_read"]))).toBe("400 invalid_value allowed_tools");
  const wide = await make(["github_*", "!*_delete*"]);
  expect(told(wide)).toBe("400 invalid_value allowed_tools");
  expect(wide.error?.message).toContain("more than the account's own");
  const { body } = await make(["github_read"]);
  expect(told(await lead("PATCH", `/keys/${body.id}`, { allowed_tools: ["github_write"] }))).toBe("200");
  expect(told(await lead("PATCH", `/accounts/${team}`, { allowed_tools: ["*"] }))).toContain("403");
});

test("an operator and an admin set what they like, the operator within the maxima", async () => {
  const operator = await signIn("operator", "mem_op");
  const { body } = await operator("POST", "/keys", { name: "s", kind: "service", account_id: team });
  const change = (ask: Ask, allowed_tools: unknown) => ask("PATCH", `/keys/${body.id}`, { allowed_tools });
  expect(told(await change(operator, ["jira_*", "!*_delete*"]))).toBe("200");
  expect(told(await change(operator, ["*"]))).toBe("400 invalid_value allowed_tools");
  expect((await admin.patch(`/keys/${body.id}`, { allowed_tools: ["*"] })).status).toBe(200);
  expect(told(await operator("PATCH", `/accounts/${team}`, { allowed_tools: OWN }))).toBe("200");
});

test("a key that is made without a list of its own is within the maxima", async () => {
  const other = await startHttpWorld({
    ...PEOPLE,
    more: `${PEOPLE.more}\nkey_maxima: { allowed_tools: ["github_*"] }`,
  });
  try {
    const { body: token } = await createOperator(other).post("/tokens", { name: "t", role: "operator" });
    const operator = createOperator({ url: other.url, adminToken: String(token.secret) });
    const { body } = await operator.post("/keys", { name: "s" });
    expect(body.allowed_tools).toEqual(["github_*"]);
    expect(told(await operator.patch(`/keys/${body.id}`, { allowed_tools: null }))).toBe(
      "400 invalid_value allowed_tools",
    );
  } finally {
    await other.stop();
  }
});

test.each([
  ["github_*", "400 invalid_type allowed_tools"],
  [["a", "two words"], "400 invalid_value allowed_tools[1]"],
  [["a,b"], "400 invalid_value allowed_tools[0]"],
  [["!"], "400 invalid_value allowed_tools[0]"],
  [[""], "400 invalid_value allowed_tools[0]"],
  [["x".repeat(129)], "400 invalid_value allowed_tools[0]"],
  [Array(101).fill("x"), "400 array_above_max_length allowed_tools"],
  [[...Array(98).fill("x"), "!*_y", "x".repeat(128)], "201"],
] as const)("a list is answered by its form, %#", async (allowed_tools, answer) => {
  expect(told(await admin.post("/keys", { name: "k", allowed_tools }))).toBe(answer);
  const member_defaults = { allowed_tools };
  const path = answer.replace("allowed_tools", "member_defaults.allowed_tools");
  expect(told(await admin.post("/accounts", { name: "a", member_defaults }))).toBe(path);
});
