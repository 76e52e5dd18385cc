// "More, please": members ask, managers and admins decide, and the limit is raised until its end.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import { parseJson } from "../../src/core/json/json.ts";
import { ROLES, type Role } from "../../src/core/people/people.ts";
import type { Seen } from "../whole/world/observe.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { PEOPLE } from "./samples.ts";
import { type Ask, signInAs } from "./signed-in.ts";

/** The events of an account, without those of the audit log. */
function readEvents(accountId: string): readonly unknown[] {
  using database = new Database(join(world.directory, "poundkey.db"), { readonly: true });
  const found = database
    .query<{ type: string; data: string }, [string]>(
      "SELECT type, data FROM event WHERE account_id = ? AND type <> 'audit' ORDER BY at_ms",
    )
    .all(accountId);
  return found.map(({ type, data }) => ({ type, data: parseJson(data) }));
}

const DAY_MS = 86_400_000;
const LIMITS = { requests_per_minute: 1, budgets: [{ usd: 5, per: "month" }] };

let world: HttpWorld;
let opened: OpenedStore;
let admin: Operator;
beforeAll(async () => {
  world = await startHttpWorld(PEOPLE);
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  admin = createOperator(world);
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

async function newTeam(name: string): Promise<string> {
  const account = await world.newAccount(name);
  await admin.patch(`/accounts/${account}`, { member_defaults: LIMITS });
  return account;
}

function signIn(role: Role, id: string, accountId: string): Promise<Ask> {
  return signInAs({ url: world.url, opened }, id, [{ role, accountId }]);
}

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const told = ({ status, error }: Seen) =>
  error ? `${status} ${error.code} ${error.param ?? ""}`.trim() : `${status}`;

function more(account_id: string, fields: Record<string, unknown> = {}) {
  return { account_id, budget: { per: "month" }, amount: 20, until: inDays(7), reason: "a demo", ...fields };
}

describe("a request for more", () => {
  test("is refused if the account's own limit would stop the person first", async () => {
    const team = await newTeam("Bounded");
    const budgets = [{ usd: 20, per: "month" }];
    await admin.patch(`/accounts/${team}`, { requests_per_minute: 3, budgets });
    const ann = await signIn("member", "mem_bounded", team);
    const ask = async (fields: Record<string, unknown>) => told(await ann("POST", "/limit-requests", fields));
    const minute = { ...more(team), budget: undefined, limit: "requests_per_minute" };
    expect(await ask({ ...minute, amount: 3 })).toBe("400 invalid_value amount");
    expect(await ask(more(team, { amount: 15.01 }))).toBe("400 invalid_value amount");
    expect(await ask({ ...minute, amount: 2 })).toBe("201");
    expect(await ask(more(team, { amount: 15 }))).toBe("201");
  });

  test("is refused if a budget of the account on more models would stop the person first", async () => {
    const team = await world.newAccount("On two models");
    const own = { usd: 5, per: "month", models: ["Acme#cheap"] };
    const budgets = [{ usd: 20, per: "month", models: ["Acme#cheap", "Acme#dear"] }];
    await admin.patch(`/accounts/${team}`, { member_defaults: { budgets: [own] }, budgets });
    const ann = await signIn("member", "mem_on_two", team);
    const ask = async (amount: number) =>
      told(
        await ann(
          "POST",
          "/limit-requests",
          more(team, { budget: { per: "month", models: own.models }, amount }),
        ),
      );
    expect(await ask(15.01)).toBe("400 invalid_value amount");
    expect(await ask(15)).toBe("201");
  });

  test("is granted by a manager, raises the limit at once, and is on record with its events", async () => {
    const team = await newTeam("Search");
    const ann = await signIn("member", "mem_ann", team);
    const lead = await signIn("manager", "mem_lead", team);
    const { body: key } = await ann("POST", "/keys", { name: "mine" });
    const chat = async () => (await world.chat(asking("Acme#cheap"), { secret: String(key.secret) })).status;
    expect([await chat(), await chat()]).toEqual([200, 429]);
    const asked = await ann("POST", "/limit-requests", {
      account_id: team,
      limit: "requests_per_minute",
      amount: 2,
      until: inDays(1),
      reason: " a demo ",
    });
    expect(asked.status).toBe(201);
    expect(asked.body).toMatchObject({
      account_id: team,
      member_id: "mem_ann",
      limit: "requests_per_minute",
      amount: 2,
      reason: "a demo",
      state: "open",
      decided_at: null,
      decided_by: null,
      note: null,
    });
    expect(await chat()).toBe(429);
    const { id } = asked.body;
    const decided = await lead("POST", `/limit-requests/${id}/decide`, { grant: true, note: "Good luck" });
    expect(decided.status).toBe(200);
    expect(decided.body).toMatchObject({
      id,
      state: "granted",
      note: "Good luck",
      member_name: "mem_ann",
      decided_by: { kind: "person", id: "mem_lead", name: "mem_lead" },
    });
    expect([await chat(), await chat(), await chat()]).toEqual([200, 200, 429]);
    const own = await ann("GET", "/limit-requests");
    expect(own.body.data).toEqual([decided.body]);
    await until("both are on record", async () => {
      const { body } = await admin.get("/audit?action=limit_request&limit=10");
      const rows = body.data as Record<string, unknown>[];
      const mine = rows.filter(({ target }) => (target as { id: string }).id === id);
      return mine.length === 2 ? expect(mine).toMatchObject(RECORDED(String(id))) === undefined : false;
    });
    const about = { id, account_id: team, member_id: "mem_ann", kind: "requests_per_minute", amount: 2 };
    expect(readEvents(team)).toMatchObject([
      { type: "limit_request.made", data: about },
      { type: "limit_request.decided", data: { ...about, granted: true } },
    ]);
  });

  test("is refused with a word, and another may be made then", async () => {
    const team = await newTeam("Refusing");
    const ann = await signIn("member", "mem_no", team);
    const { id } = (await ann("POST", "/limit-requests", more(team))).body;
    expect(told(await ann("POST", "/limit-requests", more(team)))).toBe("409 limit_request_open");
    const no = await admin.post(`/limit-requests/${id}/decide`, { grant: false, note: "Next month" });
    expect(no.body).toMatchObject({ state: "refused", budget: { per: "month" }, amount: 20 });
    expect(no.body.decided_by).toEqual({ kind: "admin", id: "admin", name: "" });
    expect(told(await admin.post(`/limit-requests/${id}/decide`, { grant: true }))).toBe(
      "409 limit_request_closed",
    );
    expect((await ann("POST", "/limit-requests", more(team))).status).toBe(201);
    const [limit] = await opened.store.limitRequests.list(
      { accountId: team, scope: { accountIds: null, personal: null } },
      { limit: 1, after: null },
    );
    expect(limit?.request.amount).toBe(20e9);
  });

  test("ends undecided with its time", async () => {
    const team = await newTeam("Late");
    const ann = await signIn("member", "mem_late", team);
    const { id } = (await ann("POST", "/limit-requests", more(team))).body;
    const { changes } = opened.store;
    await changes(() => []).decideLimitRequest({ accountId: team, id: String(id) }, (before) => ({
      request: { ...before, untilMs: Date.now() - 1 },
      event: { accountId: team, id: "evt_late", atMs: 1, type: "limit_request.made", data: {} },
    }));
    expect((await ann("GET", "/limit-requests?state=ended")).body.data).toMatchObject([
      { id, state: "ended" },
    ]);
    expect((await ann("GET", "/limit-requests?state=open")).body.data).toEqual([]);
    expect(told(await admin.post(`/limit-requests/${id}/decide`, { grant: true }))).toBe(
      "409 limit_request_closed",
    );
    expect((await ann("POST", "/limit-requests", more(team))).status).toBe(201);
  });

  test("names what is wrong", async () => {
    const team = await newTeam("Wrong");
    const ann = await signIn("member", "mem_wrong", team);
    const wrong: readonly (readonly [Record<string, unknown>, string])[] = [
      [{ budget: undefined }, "400 missing_required_parameter budget"],
      [{ limit: "parallel" }, "400 invalid_value limit"],
      [{ budget: undefined, limit: "parallel" }, "400 invalid_value limit"],
      [{ budget: { per: "day" } }, "400 invalid_value budget"],
      [{ budget: { per: "month", models: ["Acme#*"] } }, "400 invalid_value budget"],
      [{ amount: 0 }, "400 decimal_below_min_value amount"],
      [{ budget: undefined, limit: "requests_per_minute", amount: 1.5 }, "400 invalid_value amount"],
      [{ until: inDays(-1) }, "400 invalid_value until"],
      [{ until: inDays(400) }, "400 invalid_value until"],
      [{ reason: " " }, "400 empty_string reason"],
      [{ account_id: "none" }, "400 invalid_value account_id"],
      [{ account_id: await newTeam("Foreign") }, "400 invalid_value account_id"],
      [{ member_id: "mem_other" }, "403 not_permitted"],
    ];
    for (const [fields, answer] of wrong) {
      expect(`${told(await ann("POST", "/limit-requests", more(team, fields)))}`).toBe(answer);
    }
    expect(told(await admin.post("/limit-requests", more(team)))).toBe("403 not_permitted");
  });

  test("may be made ten times in 24 hours", async () => {
    const team = await newTeam("Ten");
    const ann = await signIn("member", "mem_ten", team);
    for (let count = 0; count < 10; count++) {
      const { body } = await ann("POST", "/limit-requests", more(team));
      await admin.post(`/limit-requests/${body.id}/decide`, { grant: false });
    }
    const refused = await ann("POST", "/limit-requests", more(team));
    expect(told(refused)).toBe("429 rate_limit_exceeded");
  });
});

const RECORDED = (id: string) => [
  {
    action: "limit_request.decided",
    target: { type: "limit_request", id },
    actor: { kind: "person", id: "mem_lead" },
    after: { state: "granted", note: "Good luck" },
  },
  {
    action: "limit_request.made",
    target: { type: "limit_request", id },
    outcome: "success",
    actor: { kind: "person", id: "mem_ann" },
    after: { member_id: "mem_ann", limit: "requests_per_minute", amount: 2 },
  },
];

test("each role asks, sees and decides as it may, and nobody about themselves", async () => {
  const team = await newTeam("Roles");
  const away = await newTeam("Away");
  const ann = await signIn("member", "mem_asks", team);
  const far = await signIn("member", "mem_far", away);
  const { id } = (await ann("POST", "/limit-requests", more(team))).body;
  const { id: foreign } = (await far("POST", "/limit-requests", more(away))).body;
  const answers: Record<string, string> = {};
  for (const role of ROLES) {
    const ask = await signIn(role, `mem_is_${role}`, team);
    const made = await ask("POST", "/limit-requests", more(team));
    const list = await ask("GET", `/limit-requests?limit=200`);
    const data = (list.body.data ?? []) as { id: string }[];
    const sees = [id, foreign].map((one) => data.some((row) => row.id === one)).join(" ");
    const own = await ask("POST", `/limit-requests/${made.body.id}/decide`, { grant: true });
    const others = await ask("POST", `/limit-requests/${id}/decide`, { grant: "no" });
    const theirs = await ask("POST", `/limit-requests/${foreign}/decide`, { grant: true });
    answers[role] = `${made.status} ${sees}, ${[own, others, theirs].map(({ status }) => status).join(" ")}`;
  }
  expect(answers).toEqual({
    member: "201 false false, 403 403 403",
    viewer: "403 true false, 403 403 403",
    manager: "201 true false, 403 400 404",
    billing: "403 false false, 403 403 403",
    operator: "201 true false, 403 403 403",
    admin: "201 true false, 403 400 404",
  });
});

test("a person's words are erased with the person", async () => {
  const team = await newTeam("Erased");
  const ann = await signIn("member", "mem_gone", team);
  const { id } = (await ann("POST", "/limit-requests", more(team, { reason: "Ann Example asks" }))).body;
  await admin.post("/members/mem_gone/anonymise", {});
  const { data } = (await admin.get(`/limit-requests?member=mem_gone&account=${team}`)).body;
  expect(data).toMatchObject([{ id, reason: "", member_name: "" }]);
  const shown = JSON.stringify((await admin.get("/audit?limit=200")).body);
  expect(shown).not.toContain("Ann Example");
});
