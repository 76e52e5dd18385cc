// The audit log over HTTP: every changing route leaves exactly one entry, and so does every refused change.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openStore } from "../../../src/app/start/open-store.ts";
import { asArray, asObject, asString, type JsonObject } from "../../../src/core/json/json.ts";
import type { StoredFile } from "../../../src/core/models/file.ts";
import { BINARY } from "../../harness/harness.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeMember } from "../../people/samples.ts";
import { makeDelivery } from "../../webhooks/samples.ts";
import { createOperator } from "../world/operator.ts";
import { REGISTERED } from "../world/registered.ts";
import { until } from "../world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../world/world.ts";

let world: HttpWorld;
let operator: ReturnType<typeof createOperator>;
beforeAll(async () => {
  world = await startHttpWorld({ more: "log: { content: true }" });
  operator = createOperator(world);
  const { store } = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  await unrecorded(store).changeMember("mem_ann", () => makeMember("mem_ann", { name: "Ann Example" }));
  await store.webhooks.add([makeDelivery("whd_1")]);
  await store.files.add(FILE, { bytes: 10, files: 1 });
  await store.close();
  // The tests' own key.
  await readNew(1);
});
afterAll(() => world.stop());

const FILE: StoredFile = {
  id: "file-1",
  form: "openai",
  owner: { accountId: "default", memberId: null },
  keyId: "key_a",
  name: "lines.jsonl",
  purpose: "batch",
  type: "application/jsonl",
  bytes: 0,
  createdMs: Date.now(),
  expiresMs: Date.now() + 3_600_000,
};

/** Entries are chained within a second. Reads by bearer token stand apart, and the gateway's own keys. */
async function readNew(count: number): Promise<readonly JsonObject[]> {
  let rows: readonly JsonObject[] = [];
  await until("the entries are chained", async () => {
    const all = asArray((await operator.get("/audit?limit=200")).body.data).map(asObject);
    const fresh = all.filter(
      ({ id, action, actor }) =>
        !seen.has(String(id)) && action !== "admin_token.used" && asObject(actor).id !== "gateway",
    );
    rows = fresh.toReversed();
    return rows.length >= count;
  });
  for (const { id } of rows) seen.add(String(id));
  return rows;
}
const seen = new Set<string>();

interface Change {
  /** As it is registered. */
  readonly route: string;
  readonly action: string;
  readonly body?: () => unknown;
  readonly path?: () => string;
}

const made: Record<string, string> = {};
const SAMPLED = [{ role: "user", content: "Hi" }];
const TEXTS = ["a", "b"].map((text) => ({ answer: text, text }));

const RESET = () => ({ reason: "a wrong price" });
const LIMITED = { budgets: [{ usd: 1, per: "day" }] };

/** In this order: what is created first is changed and then removed. */
const CHANGES: readonly Change[] = [
  { route: "POST /accounts", action: "account.created", body: () => ({ name: "Team" }) },
  {
    route: "PATCH /accounts/:id",
    action: "account.changed",
    body: () => ({ name: "Crew", member_defaults: LIMITED, ...LIMITED }),
  },
  { route: "PUT /accounts/by-name/:name", action: "account.created", body: () => ({}) },
  { route: "POST /accounts/:id/topups", action: "topup.made", body: () => ({ amount_usd: 3, note: "x" }) },
  {
    route: "POST /accounts/:id/adjustments",
    action: "adjustment.made",
    body: () => ({ amount_usd: -1, reason: "a wrong price" }),
  },
  { route: "POST /accounts/:id/budgets/reset", action: "budget.reset", body: RESET },
  { route: "POST /keys", action: "key.created", body: () => ({ name: "robot" }) },
  { route: "PATCH /keys/:id", action: "key.changed", body: () => ({ budgets: [{ usd: 1, per: "day" }] }) },
  { route: "PUT /keys/by-name/:account/:name", action: "key.created", body: () => ({}) },
  { route: "POST /keys/:id/rotate", action: "key.rotated", body: () => ({}) },
  { route: "POST /keys/:id/budgets/reset", action: "budget.reset", body: RESET },
  { route: "DELETE /keys/:id", action: "key.revoked" },
  { route: "POST /aliases", action: "alias.created", body: () => ({ name: "team", target: "Acme#cheap" }) },
  { route: "PATCH /aliases", action: "alias.changed", body: () => ({ name: "team", target: "Acme#dear" }) },
  {
    route: "PATCH /models/:id",
    action: "model.changed",
    path: () => `/models/${encodeURIComponent("Acme#cheap")}`,
    body: () => ({ refuses: ["temperature"] }),
  },
  { route: "PATCH /aliases/:name", action: "alias.changed", body: () => ({ target: "Acme#cheap" }) },
  { route: "DELETE /aliases/:name", action: "alias.deleted" },
  { route: "POST /aliases", action: "alias.created", body: () => ({ name: "crew", target: "Acme#cheap" }) },
  { route: "DELETE /aliases", action: "alias.deleted", path: () => "/aliases?name=crew" },
  {
    route: "POST /providers/:name",
    action: "provider.added",
    body: () => ({ key: "a-secret-of-the-tests" }),
  },
  {
    route: "PATCH /providers/:name",
    action: "provider.changed",
    body: () => ({ credential_id: made.credential, weight: 2 }),
  },
  {
    route: "POST /providers/:name/test",
    action: "provider.tested",
    path: () => "/providers/Local/test",
    body: () => ({}),
  },
  {
    route: "DELETE /providers/:name",
    action: "provider.removed",
    path: () => `/providers/Groq?credential_id=${made.credential}`,
  },
  {
    route: "POST /tokens",
    action: "token.created",
    body: () => ({ name: "ci", role: "viewer", accounts: [made.account] }),
  },
  { route: "PATCH /members/:id", action: "member.changed", body: () => ({ role: "viewer" }) },
  {
    route: "POST /members/:id/budgets/reset",
    action: "budget.reset",
    body: () => ({ account_id: made.account, reason: "a mistake" }),
  },
  { route: "POST /members/:id/anonymise", action: "member.anonymised" },
  {
    route: "POST /accounts/:id/close",
    action: "account.closed",
    body: () => ({ pay_out: true, reason: "left" }),
  },
  { route: "POST /accounts/:id/reopen", action: "account.reopened", body: () => ({}) },
  { route: "POST /webhooks/deliveries", action: "webhook.sent", body: () => ({ id: "whd_1" }) },
  { route: "DELETE /files/:id", action: "file.deleted", path: () => "/files/file-1" },
  {
    route: "POST /tokens/:id/take",
    action: "token.taken",
    path: () => `/tokens/${made.token}/take`,
    body: () => ({}),
  },
  { route: "DELETE /tokens/:id", action: "token.revoked", path: () => `/tokens/${made.token}` },
  {
    route: "POST /samples/plan",
    action: "sample.planned",
    body: () => ({ prompts: 2, messages: [SAMPLED] }),
  },
  {
    route: "POST /samples/ask",
    action: "sample.asked",
    body: () => ({ messages: SAMPLED, models: ["Acme#cheap", "Acme#dear"], max_cost_usd: 1 }),
  },
  {
    route: "POST /samples/judge",
    action: "sample.judged",
    body: () => ({ messages: SAMPLED, judge: "Acme#cheap", answers: TEXTS, max_cost_usd: 1 }),
  },
  {
    route: "POST /samples/scores",
    action: "sample.scored",
    body: () => ({ messages: SAMPLED, scores: [{ answer: made.sampled, score: 1 }] }),
  },
  { route: "DELETE /learned", action: "learning.forgotten", path: () => "/learned?model=Acme%23cheap" },
];

/** Requests of the playground are in the request log. Sign-ins have their own test. */
const APART = [
  // Nobody signs an agent in here: `test/people/sign-in/device-list.test.ts` does.
  "DELETE /members/:id/devices/:device",
  // Cards aren't taken here: `test/whole/money/stripe.test.ts` has a simulated Stripe.
  "POST /accounts/:id/checkout",
  // Nothing runs here: `test/whole/batches` has batches.
  "POST /batches/:id/cancel",
  // No list of prices is watched here: `test/whole/models/price-changes.test.ts` has one.
  "POST /catalogue",
  // Only people ask for more: `test/people/limit-requests.test.ts` does.
  "POST /limit-requests",
  "POST /limit-requests/:id/decide",
  "POST /playground",
  "POST /playground/*",
  "POST /session",
  "DELETE /session",
];

function findPath({ route, path }: Change): string {
  if (path) return path();
  const [, template = ""] = route.split(" ");
  const [, kind = ""] = template.split("/");
  const id = { accounts: made.account, members: "mem_ann" }[kind] ?? made.key;
  const name = /\/providers/.test(template) ? "Groq" : "team";
  return template
    .replace(":id", id ?? "")
    .replace(":account", "default")
    .replace(":name", name);
}

async function send(
  route: string,
  path: string,
  body?: unknown,
): Promise<JsonObject & { readonly status: number }> {
  const [method = ""] = route.split(" ");
  const response = await fetch(`${world.url}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${world.adminToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { ...asObject(await response.json()), status: response.status };
}

function remember(route: string, answer: JsonObject): void {
  if (route === "POST /accounts") made.account = asString(answer.id) ?? "";
  if (route === "POST /tokens") made.token = asString(answer.id) ?? "";
  if (route === "POST /keys") made.key = asString(answer.id) ?? "";
  if (route === "POST /providers/:name")
    made.credential = String(asObject(asArray(answer.credentials)[0]).id);
  if (route === "POST /samples/ask") made.sampled = String(asObject(asArray(answer.answers)[0]).answer);
}

describe("the audit log", () => {
  test("has an entry for each change, of every changing route", async () => {
    for (const change of CHANGES) {
      const answer = await send(change.route, findPath(change), change.body?.());
      expect([change.route, answer.status < 300]).toEqual([change.route, true]);
      remember(change.route, answer);
    }
    const rows = await readNew(CHANGES.length);
    expect(rows.map(({ action }) => action).toSorted()).toEqual(
      CHANGES.map(({ action }) => action).toSorted(),
    );
    for (const row of rows) {
      expect(row).toMatchObject({ outcome: "success", address: "127.0.0.1", actor: { kind: "admin" } });
      expect(row.request_id).toMatch(/^req_/);
    }
    expect(JSON.stringify(rows)).not.toMatch(/sk-|a-secret-of|Ann Example/);
    const prefix = "/admin/v1";
    const changing = REGISTERED.filter(({ method, path }) => method !== "GET" && path.startsWith(prefix));
    const registered = changing.map(({ method, path }) => `${method} ${path.slice(prefix.length)}`);
    const covered = [...new Set([...CHANGES.map(({ route }) => route), ...APART])];
    expect(registered.toSorted()).toEqual(covered.toSorted());
  });

  test("has an entry for each refused change, with the reason", async () => {
    const refused = [...new Map(CHANGES.map((one) => [one.route, one])).values()];
    for (const { route } of refused) {
      const [, template = ""] = route.split(" ");
      const path = template.replace(/:\w+/g, "none");
      const body = route.startsWith("DELETE") ? undefined : { unknown: true };
      expect([route, (await send(route, path, body)).status >= 400]).toEqual([
        route,
        !REPEATABLE.includes(route),
      ]);
    }
    const rows = await readNew(refused.length);
    const outcomes = rows.map(({ outcome, reason }) => `${outcome} ${reason !== null}`);
    const wanted = refused.map(({ route }) =>
      REPEATABLE.includes(route) ? "success false" : "refused true",
    );
    expect(outcomes.toSorted()).toEqual(wanted.toSorted());
  });

  test("has sign-ins, refused ones without what was sent, and looks at prompts", async () => {
    const { id } = asObject(await (await world.chat(asking("Acme#cheap"))).json());
    await until("it is logged", async () => (await operator.get(`/requests/${id}`)).status === 200);
    await readNew(1);
    const headers = { authorization: "Bearer the-wrong-secret" };
    expect((await fetch(`${world.url}/admin/v1/keys`, { headers })).status).toBe(401);
    await operator.get(`/requests/${id}`);
    const body = JSON.stringify({ token: world.adminToken });
    const json = { "content-type": "application/json" };
    const entered = await fetch(`${world.url}/admin/v1/session`, { method: "POST", headers: json, body });
    expect(entered.status).toBe(204);
    const cookie = (entered.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const leaving = { cookie, "sec-fetch-site": "same-origin" };
    expect(
      (await fetch(`${world.url}/admin/v1/session`, { method: "DELETE", headers: leaving })).status,
    ).toBe(204);
    const rows = await readNew(4);
    const actions = ["content.read", "session.ended", "session.refused", "session.started"];
    expect(rows.map(({ action }) => action).toSorted()).toEqual(actions);
    const refused = rows.find(({ action }) => action === "session.refused");
    expect(refused).toMatchObject({ outcome: "refused", reason: "invalid_api_key", address: "127.0.0.1" });
    expect(refused?.actor).toMatchObject({ id: "", name: "" });
    expect(JSON.stringify(rows)).not.toContain("the-wrong-secret");
  });

  test("is exported as CSV without formulas and as JSON lines, and the export is on record", async () => {
    await operator.post("/accounts", { name: '=HYPERLINK("x"), y' });
    await readNew(1);
    const headers = { authorization: `Bearer ${world.adminToken}` };
    const csv = await fetch(`${world.url}/admin/v1/export/audit.csv?action=account.created`, { headers });
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const [head, newest] = (await csv.text()).split("\r\n");
    expect(head).toStartWith("id,at,actor_kind,");
    expect(newest).toContain(`,"'=HYPERLINK(""x""), y",success,`);
    const lines = await fetch(`${world.url}/admin/v1/export/audit.jsonl?outcome=refused`, { headers });
    const rows = (await lines.text())
      .trim()
      .split("\n")
      .map((line) => asObject(JSON.parse(line)));
    expect(new Set(rows.map(({ outcome }) => outcome))).toEqual(new Set(["refused"]));
    expect((await readNew(2)).map(({ action, target }) => [action, asObject(target).id])).toEqual([
      ["export.made", "audit.csv"],
      ["export.made", "audit.jsonl"],
    ]);
  });

  test.skipIf(BINARY !== undefined)("is on standard output as it is chained", () => {
    const logged = world.events.filter(({ event }) => event === "audit").map(({ action }) => action);
    expect(logged).toContain("topup.made");
  });
});

/** To forget what was never learned isn't refused. */
const REPEATABLE = ["DELETE /learned"];
