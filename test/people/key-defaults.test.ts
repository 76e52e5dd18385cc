// Where `key_maxima` says nothing, a personal key may have no more than every key has by default.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { Role } from "../../src/core/people/people.ts";
import type { Seen } from "../whole/world/observe.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { PEOPLE } from "./samples.ts";
import { type Ask, signInAs } from "./signed-in.ts";

const DEFAULTS = `key_defaults: { budgets: [{ usd: 50, per: month }], parallel: 20, expires_in: 90d }
key_maxima: { requests_per_minute: 100 }`;
const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

let world: HttpWorld;
let opened: OpenedStore;
let admin: Operator;
let team: string;
beforeAll(async () => {
  world = await startHttpWorld({ ...PEOPLE, more: `${PEOPLE.more}\n${DEFAULTS}` });
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  admin = createOperator(world);
  team = await world.newAccount("Team");
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

const signIn = (role: Role, id: string): Promise<Ask> =>
  signInAs({ url: world.url, opened }, id, [{ role, accountId: team }]);
const told = ({ status, error }: Seen) => (error ? `${status} ${error.code} ${error.param}` : `${status}`);

const WIDER: readonly JsonObject[] = [
  { budgets: null },
  { budgets: [] },
  { budgets: [{ usd: 1_000_000, per: "month" }] },
  { budgets: [{ usd: 5, per: "day" }] },
  { budgets: [{ usd: 50, per: "month", hard: false }] },
  { parallel: null },
  { parallel: 21 },
  { requests_per_minute: 101 },
  { expires_at: null },
  { expires_at: inDays(91) },
];

describe.each(["member", "manager"] as const)("a %s", (role) => {
  test("makes no personal key that may more, by any route, and is told by what", async () => {
    const ann = await signIn(role, `mem_${role}`);
    const kept = (await ann("POST", "/keys", { name: "kept", kind: "personal", account_id: team })).body;
    for (const fields of WIDER) {
      const refused = `400 invalid_value ${Object.keys(fields)[0]}`;
      const made = await ann("POST", "/keys", { name: "n", kind: "personal", account_id: team, ...fields });
      expect([fields, told(made)]).toEqual([fields, refused]);
      expect(made.error?.message).toContain("'key_maxima' or else 'key_defaults'");
      if (role === "member") {
        expect([fields, told(await ann("PUT", "/keys/by-name/Team/put", fields))]).toEqual([fields, refused]);
        expect((await ann("PATCH", `/keys/${kept.id}`, fields)).status).not.toBe(200);
      }
    }
    const less = { budgets: [{ usd: 20, per: "month" }], parallel: 2, expires_at: inDays(10) };
    expect(told(await ann("POST", "/keys", { name: "n", kind: "personal", account_id: team, ...less }))).toBe(
      "201",
    );
  });
});

test("service keys go by `key_maxima` alone, and an admin gives a personal key what they like", async () => {
  const lead = await signIn("manager", "mem_lead");
  const service = { name: "s", kind: "service", account_id: team };
  expect(told(await lead("POST", "/keys", { ...service, budgets: [] }))).toBe("201");
  expect(told(await lead("POST", "/keys", { ...service, requests_per_minute: 101 }))).toBe(
    "400 invalid_value requests_per_minute",
  );
  const { body } = await lead("POST", "/keys", { name: "mine", kind: "personal", account_id: team });
  expect((await admin.patch(`/keys/${body.id}`, { budgets: [], parallel: null })).status).toBe(200);
});
