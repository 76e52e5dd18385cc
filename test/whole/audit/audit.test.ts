// The audit log over HTTP: every changing route leaves exactly one entry, and so does every refused change.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openStore } from "../../../src/app/start/open-store.ts";
import type { StoredFile } from "../../../src/core/batches/file.ts";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { BINARY } from "../../harness/harness.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeMember } from "../../people/samples.ts";
import { makeDelivery } from "../../webhooks/samples.ts";
import { createOperator } from "../world/operator.ts";
import { REGISTERED } from "../world/registered.ts";
import { until } from "../world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../world/world.ts";
import { APART, CHANGES, findPath, remember } from "./changes.ts";

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
    expect(
      registered.toSorted(),
      "each route that changes something takes a row in CHANGES of changes.ts, or in APART there",
    ).toEqual(covered.toSorted());
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
