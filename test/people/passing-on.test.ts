// Every way to pass a right on × every giver whose role ends: nothing lasts longer than the giver's own end.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { PASSED_ON } from "../../src/admin/people/sender-rights.ts";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import type { Grant } from "../../src/core/people/people.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { type Seen, seen } from "../whole/world/observe.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { makeMember, PEOPLE } from "./samples.ts";
import { type Ask, signInAs } from "./signed-in.ts";

const DAY_MS = 86_400_000;
const VIEWER: readonly Grant[] = [{ role: "viewer", accountId: null }];
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const SOONER = inDays(1);
const END = inDays(2);
const LATER = inDays(3);

let world: HttpWorld;
let opened: OpenedStore;
let admin: Operator;
let team: string;
let givers: Readonly<Record<string, Ask>>;
beforeAll(async () => {
  world = await startHttpWorld(PEOPLE);
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  admin = createOperator(world);
  team = await world.newAccount("Team");
  const mia = await signInAs({ url: world.url, opened }, "mem_mia", VIEWER);
  await admin.patch("/members/mem_mia", { role: "admin", until: END });
  const token = await mia("POST", "/tokens", { name: "t", role: "admin" });
  const next = await asToken(token)("POST", "/tokens", { name: "t", role: "admin" });
  givers = { session: mia, token: asToken(token), "token of a token": asToken(next) };
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

function asToken({ body: { secret } }: Seen): Ask {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  return async (method, path, sent) =>
    seen(await fetch(`${world.url}/admin/v1${path}`, { method, headers, body: JSON.stringify(sent) }));
}

/** Gives something until a time, or with no end if it is undefined. */
type Give = (ask: Ask, until: string | undefined) => Promise<Seen>;

let count = 0;
const name = () => `n${count++}`;
const extra = (until: string | undefined) => ({
  budgets: [{ usd: 5, per: "month", ...(until ? { extra_usd: 1, extra_until: until } : {}) }],
});

async function newPerson(): Promise<string> {
  const id = `mem_${name()}`;
  await unrecorded(opened.store).changeMember(id, () => makeMember(id, { ruleGrants: VIEWER }));
  return id;
}

/** Of each way, what it answers without an end, where its end isn't the request's to say. */
const WAYS: Readonly<Record<keyof typeof PASSED_ON, { readonly give: Give; readonly endless: string }>> = {
  changeMember: {
    give: async (ask, until) => ask("PATCH", `/members/${await newPerson()}`, { role: "viewer", until }),
    endless: "400 beyond_own_end until",
  },
  createToken: {
    give: (ask, expires_at) => ask("POST", "/tokens", { name: name(), role: "viewer", expires_at }),
    endless: "201",
  },
  // Its end is the earlier one of the token's and the giver's.
  takeToken: {
    give: async (ask) => {
      const { body } = await admin.post("/tokens", { name: name(), role: "viewer", expires_at: LATER });
      const taken = await ask("POST", `/tokens/${body.id}/take`, {});
      expect(taken.body.expires_at).toBe(END);
      return taken;
    },
    endless: "201",
  },
  decideLimitRequest: {
    give: async (ask, until = LATER) => {
      const account = await world.newAccount(name());
      await admin.patch(`/accounts/${account}`, { member_defaults: { requests_per_minute: 1 } });
      const more = { account_id: account, limit: "requests_per_minute", amount: 1, until, reason: "x" };
      const grants: readonly Grant[] = [{ role: "member", accountId: account }];
      const person = await signInAs({ url: world.url, opened }, await newPerson(), grants);
      const { body } = await person("POST", "/limit-requests", more);
      return ask("POST", `/limit-requests/${body.id}/decide`, { grant: true });
    },
    endless: "400 beyond_own_end until",
  },
  createKey: {
    give: (ask, until) =>
      ask("POST", "/keys", { name: name(), account_id: team, kind: "service", ...extra(until) }),
    endless: "201",
  },
  updateKey: {
    give: async (ask, until) => {
      const { body } = await admin.post("/keys", { name: name(), account_id: team });
      return ask("PATCH", `/keys/${body.id}`, extra(until));
    },
    endless: "200",
  },
  putKey: {
    give: (ask, until) => ask("PUT", `/keys/by-name/Team/${name()}`, extra(until)),
    endless: "201",
  },
  createAccount: {
    give: (ask, until) => ask("POST", "/accounts", { name: name(), ...extra(until) }),
    endless: "201",
  },
  updateAccount: {
    give: (ask, until) => ask("PATCH", `/accounts/${team}`, extra(until)),
    endless: "200",
  },
  putAccount: {
    give: (ask, until) => ask("PUT", `/accounts/by-name/${name()}`, extra(until)),
    endless: "201",
  },
};

const told = ({ status, error }: Seen) =>
  [status, error?.code, error?.param].filter((one) => one !== undefined && one !== null).join(" ");
/** The end of a taken token isn't said by the request. */
const isAsked = (way: string) => way !== "takeToken";

test.each(Object.entries(WAYS))("%s", async (way, { give, endless }) => {
  for (const [giver, ask] of Object.entries(givers)) {
    const late = await give(ask, LATER);
    if (isAsked(way))
      expect([giver, told(late)]).toEqual([giver, expect.stringContaining("400 beyond_own_end")]);
    expect([giver, told(await give(ask, SOONER))]).toEqual([giver, expect.stringMatching(/^20[01]$/)]);
    expect([giver, told(await give(ask, undefined))]).toEqual([giver, endless]);
  }
});

/** Fields of a body that give a right, or set its end. */
const GIVING: ReadonlySet<string> = new Set(["until", "extra_until", "role", "grants"]);
/** A request for more gives nothing until somebody has decided. */
const ASKING: ReadonlySet<string> = new Set(["askForMore"]);

test("each route that gives a right, or sets the end of one, stands in the table of ways", async () => {
  const document: unknown = await (await fetch(`${world.url}/openapi.json`)).json();
  const found = listGivers(asObject(document));
  expect(found).toContain("changeMember");
  expect(found).toContain("takeToken");
  expect(found.filter((id) => !Object.hasOwn(PASSED_ON, id) && !ASKING.has(id))).toEqual([]);
});

function listGivers({ paths, components }: JsonObject): readonly string[] {
  const schemas = asObject(asObject(components).schemas);
  const listNames = (schema: unknown) => listSchemaNames(schema, schemas);
  const ofOperators = Object.entries(asObject(paths)).filter(([path]) => path.startsWith("/admin/v1/"));
  return ofOperators.flatMap(([, methods]) =>
    Object.entries(asObject(methods)).flatMap(([method, given]) => {
      const operation = asObject(given);
      const isGiving = listNames(operation.requestBody).some((field) => GIVING.has(field));
      const answers = new Set(listNames(operation.responses));
      const showsToken = answers.has("secret") && answers.has("grants");
      return method !== "get" && (isGiving || showsToken) ? [String(operation.operationId)] : [];
    }),
  );
}

/** Returns the names of all properties in a schema, but for those of prompts. */
function listSchemaNames(schema: unknown, named: JsonObject): readonly string[] {
  if (Array.isArray(schema)) return asArray(schema).flatMap((one) => listSchemaNames(one, named));
  if (typeof schema !== "object" || schema === null) return [];
  const { properties, $ref, ...rest } = asObject(schema);
  const { messages, ...others } = asObject(properties);
  const referred = typeof $ref === "string" ? named[$ref.split("/").at(-1) ?? ""] : undefined;
  return [
    ...Object.keys(others),
    ...[...Object.values(others), ...Object.values(rest), referred].flatMap((one) =>
      listSchemaNames(one, named),
    ),
  ];
}
