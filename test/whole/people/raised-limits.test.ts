// A member's limit that somebody who decides about it raises without a request.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../../src/app/start/open-store.ts";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import type { Role } from "../../../src/core/people/people.ts";
import { PEOPLE } from "../../people/samples.ts";
import { type Ask, signInAs } from "../../people/signed-in.ts";
import type { Seen } from "../world/observe.ts";
import { createOperator, type Operator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../world/world.ts";

const DAY_MS = 86_400_000;

let world: HttpWorld;
let opened: OpenedStore;
let admin: Operator;
let team = "";
let other = "";
let ann: Ask;
let lead: Ask;

beforeAll(async () => {
  world = await startHttpWorld(PEOPLE);
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  admin = createOperator(world);
  team = await world.newAccount("Team");
  other = await world.newAccount("Other");
  const member_defaults = { requests_per_minute: 1, budgets: [{ usd: 5, per: "month" }] };
  await admin.patch(`/accounts/${team}`, { member_defaults, budgets: [{ usd: 100, per: "month" }] });
  ann = await signIn("member", "mem_ann", team);
  lead = await signIn("manager", "mem_lead", team);
  await signIn("member", "mem_out", other);
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

function signIn(role: Role, id: string, accountId: string): Promise<Ask> {
  return signInAs({ url: world.url, opened }, id, [{ role, accountId }]);
}

const told = ({ status, error }: Seen) =>
  error ? `${status} ${error.code} ${error.param ?? ""}`.trim() : `${status}`;

function more(fields: Record<string, unknown> = {}) {
  const ends = new Date(Date.now() + 7 * DAY_MS).toISOString();
  return {
    account_id: team,
    member_id: "mem_ann",
    budget: { per: "month" },
    amount: 20,
    until: ends,
    reason: "a demo",
    ...fields,
  };
}

const raise = (who: Ask, fields: Record<string, unknown> = {}) =>
  who("POST", "/limit-requests", more(fields));

async function readBudget(): Promise<number> {
  const { body } = await ann("GET", "/members/mem_ann");
  const [first] = asArray(body.limits).map(asObject);
  const budget = asArray(first?.limits)
    .map(asObject)
    .find(({ kind }) => kind === "budget");
  return Number(budget?.limit);
}

test("a lead raises a member's budget and minute at once, on record and with its event", async () => {
  const { body: key } = await ann("POST", "/keys", { name: "mine", account_id: team });
  const chat = async () =>
    (await world.chat(asking("Acme#cheap", "hi"), { secret: String(key.secret) })).status;
  expect([await chat(), await chat()]).toEqual([200, 429]);
  const { status, body } = await raise(lead);
  expect([status, body]).toMatchObject([
    201,
    { member_id: "mem_ann", state: "granted", amount: 20, decided_by: { kind: "person", id: "mem_lead" } },
  ]);
  expect(await readBudget()).toBe(25);
  expect(told(await raise(lead, { budget: undefined, limit: "requests_per_minute", amount: 1 }))).toBe("201");
  expect(await chat()).toBe(200);
  await until("the audit has it", async () => {
    const { body: audit } = await admin.get("/audit?action=limit_request");
    const entries = asArray(audit.data).map(asObject);
    return entries.some(
      ({ actor, after }) =>
        asObject(actor).id === "mem_lead" &&
        asObject(after).state === "granted" &&
        asObject(after).member_id === "mem_ann",
    );
  });
});

test("nobody raises their own limits, those of another account, or those above the account's", async () => {
  // A request like anybody's, about which somebody else decides.
  expect((await raise(lead, { member_id: "mem_lead" })).body.state).toBe("open");
  expect(told(await raise(lead, { member_id: "mem_out" }))).toBe("400 invalid_value member_id");
  expect(told(await raise(lead, { account_id: other, member_id: "mem_out" }))).toBe(
    "400 invalid_value account_id",
  );
  expect(told(await raise(lead, { amount: 96 }))).toBe("400 invalid_value amount");
  expect(told(await raise(lead, { budget: { per: "day" } }))).toBe("400 invalid_value budget");
  expect(told(await raise(ann, { member_id: "mem_lead" }))).toBe("403 not_permitted");
});
