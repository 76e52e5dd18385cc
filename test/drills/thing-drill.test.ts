// Adding a plain thing takes its row and a step of the schema: a made-up one is there in every room without more.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { parse } from "yaml";
import { makeExportForm } from "../../src/admin/log/export-rows.ts";
import { makePlainExport, readExport } from "../../src/admin/log/exports.ts";
import { createAccount } from "../../src/admin/money/accounts.ts";
import { makePlainUses } from "../../src/admin/things/plain-uses.ts";
import { makePlainCommand } from "../../src/cli/things.ts";
import { listFieldColumns } from "../../src/console/things/shown.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import { asObject, type JsonObject } from "../../src/core/json/json.ts";
import { EVERYTHING } from "../../src/core/people/people.ts";
import type { Store } from "../../src/core/store.ts";
import { makePlainThing } from "../../src/core/things/plain.ts";
import { PLAIN_THINGS } from "../../src/core/things/plain-things.ts";
import { BodyMemory } from "../../src/http/body/body-memory.ts";
import { BodyTurns } from "../../src/http/body/body-turns.ts";
import { Cookies } from "../../src/http/people/cookies.ts";
import { makeAddressReader, makeOriginReader } from "../../src/http/serve/client-address.ts";
import { thingRoutes } from "../../src/http/things.ts";
import { decide } from "../../src/ledger/decide.ts";
import { readStateFile } from "../../src/moving/state/file.ts";
import type { StateWorld } from "../../src/moving/state/known.ts";
import { performPlan } from "../../src/moving/state/perform.ts";
import { planState } from "../../src/moving/state/plan.ts";
import { writeState, writeStateText } from "../../src/moving/state/write.ts";
import { ChangeRate } from "../../src/people/change-rate.ts";
import { renderStep as renderPostgres } from "../../src/store/postgres/render-step.ts";
import { declareThing } from "../../src/store/schema/field-columns.ts";
import { STEPS } from "../../src/store/schema/steps.ts";
import { makeSqliteSchema } from "../../src/store/sqlite/migrate.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { DeadlineSweep } from "../../src/transport/deadlines.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { readSettings } from "../harness/settings.ts";
import { makeWorld } from "../moving/state/applying.ts";
import { writeRecipe } from "../tidy/recipes.ts";
import { listLacking } from "./thing-places.ts";

const memo = makePlainThing({
  name: "memo",
  plural: "memos",
  idPrefix: "mem",
  about: "Memos tell the people of an account what is about to change.",
  ending: "Nobody sees it any more.",
  sees: "accounts.read",
  changes: "accounts.limit",
  mostPerAccount: 2,
  fields: {
    title: {
      kind: "name",
      property: "title",
      charactersMax: 100,
      manual: "1 to 100 characters",
      flag: { name: "title", value: "TITLE", help: "the memo's title" },
      control: { label: "Title" },
    },
    text: {
      kind: "text",
      property: "text",
      initial: null,
      charactersMax: 500,
      manual: "up to 500 characters; or null",
      flag: { name: "text", value: "TEXT", help: "what it says" },
      control: { label: "Text" },
    },
    until: {
      kind: "expiry",
      property: "untilMs",
      initial: null,
      manual: "ISO 8601, or null",
      flag: { name: "until", value: "TIME", help: "until when it is shown" },
      control: { label: "Until" },
    },
  },
});
const { title, text, until } = memo.fields;
const step = declareThing(
  "memo",
  [title, text, until].flatMap((field) => field ?? []),
);
const TOKEN = "admin-token-of-the-drill-of-things";

let store: Store;
let world: StateWorld;
let send: (method: string, path: string, body?: unknown, token?: string) => Promise<[number, JsonObject]>;

beforeAll(async () => {
  store = await openSqliteStore({ path: ":memory:", decide, schema: makeSqliteSchema([...STEPS, step]) });
  world = makeWorld(store);
  const clock = new ManualClock();
  const deadlines = new DeadlineSweep(clock);
  const operator = {
    world,
    adminToken: TOKEN,
    adminTokenFrom: [],
    readAddress: makeAddressReader([]),
    readOrigin: makeOriginReader([]),
    wrongTokens: { refuse: (message: string) => new Fault("invalid_api_key", message), note: () => {} },
    findPerson: async () => null,
    changeRate: new ChangeRate(),
    cookies: new Cookies({ publicUrl: null, basePath: "", clock: world.clock }),
    publicUrl: null,
    bodies: new BodyMemory(1_000_000, deadlines),
    turns: new BodyTurns(clock),
    deadlines,
  };
  const routes = thingRoutes(operator, { thing: memo, uses: makePlainUses(world, memo) });
  const app = new Elysia()
    .onError(({ error }) => Response.json({ error: String(error) }, { status: 400 }))
    .use(routes);
  send = async (method, path, body) => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await app.handle(new Request(`http://localhost/admin/v1${path}`, init));
    return [response.status, asObject(await response.json())];
  };
});
afterAll(() => store.close());

async function readRecord(): Promise<readonly string[]> {
  while ((await store.auditLog.chain(100)) !== null);
  const rows = await store.auditLog.rowsFrom(0, 100);
  return rows
    .filter(({ targetType }) => targetType === "memo")
    .map(({ action, targetName, accountId }) => `${action} ${targetName} ${accountId}`)
    .sort();
}

const run = (...args: readonly string[]) => {
  const command = makePlainCommand(memo);
  // The command closes what it opens.
  const opened = { ...world, store: { ...store, close: async () => {} } };
  return runPrinting((io) => command(args, io, async () => opened, readSettings("")));
};

async function apply(file: unknown, isPruning = false): Promise<readonly string[]> {
  const { state, issues } = readStateFile(file, [memo]);
  const plan = await planState(world, state, { file: "drill", isPruning, things: [memo] });
  const told = [...issues, ...plan.issues].map(({ path, message }) => `${path.join(".")}: ${message}`);
  if (told.length > 0) return told;
  const made: string[] = [];
  await performPlan(world, plan, {
    keep: () => {},
    onChange: ({ action, name }) => made.push(`${action} ${name}`),
  });
  return made;
}

test("the admin routes list, make, change and end it, each on record", async () => {
  const fields = { title: "Maintenance", text: "On Sunday", until: "2099-01-01T00:00:00.000Z" };
  const [status, made] = await send("POST", "/memos", { ...fields, account_id: "default" });
  expect(made).toMatchObject({ ...fields, account_id: "default", state: "active", ended_at: null });
  const path = `/memos/${made.id}`;
  expect([status, String(made.id).slice(0, 4)]).toEqual([201, "mem_"]);
  expect(await send("PATCH", path, { text: null })).toMatchObject([
    200,
    { title: "Maintenance", text: null },
  ]);
  expect((await send("PATCH", path, { heading: "x" }))[1].error).toContain("heading");
  expect((await send("POST", "/memos", { title: "x", account_id: "none" }))[1].error).toContain("no account");
  expect(await send("GET", path)).toMatchObject([200, { title: "Maintenance" }]);
  expect((await send("GET", "/memos?state=active"))[1].data).toHaveLength(1);
  expect(await send("DELETE", path)).toMatchObject([200, { state: "ended" }]);
  expect((await send("PATCH", path, { text: "On Monday" }))[1].error).toContain("the memo has ended");
  expect((await send("GET", "/memos?state=active"))[1].data).toEqual([]);
  expect(await readRecord()).toEqual(
    ["changed", "created", "ended"].map((verb) => `memo.${verb} Maintenance default`),
  );
});

test("the command makes, changes, shows and ends it, up to an account's most", async () => {
  const added = await run("add", "--title", "Prices", "--json");
  expect(added).toMatchObject({ code: 0, err: "" });
  const { id } = JSON.parse(added.out);
  expect((await run("change", id, "--text", "Lower")).out).toBe(`Changed ${id} (Prices).`);
  expect(JSON.parse((await run("show", id)).out)).toMatchObject({ title: "Prices", text: "Lower" });
  await run("add", "--title", "Another");
  expect((await run("add", "--title", "A third")).err).toContain("it has 2 memos already");
  expect((await run("list", "--state", "active")).out.split("\n")).toHaveLength(3);
  expect((await run("end", id)).out).toBe(`Ended ${id} (Prices).`);
  expect((await run("--help")).out).toContain("  --title TITLE             the memo's title");
});

test("a state file makes it, brings it back, ends it, and is what is exported", async () => {
  const file = { memos: [{ account_id: "default", title: "State", text: "Sold out" }] };
  expect(await apply({ memos: [{ account_id: "default", titel: "State" }] })).toEqual([
    "memos.0.titel: unknown field; did you mean title?",
  ]);
  expect(await apply(file)).toEqual(["memo.created State"]);
  expect(await apply(file)).toEqual([]);
  expect(await apply({ memos: [{ account_id: "default", title: "State" }] })).toEqual(["memo.changed State"]);
  const { memos } = parse(writeStateText(await writeState(world, [memo])));
  expect(memos.map(({ title: one }: JsonObject) => one).sort()).toEqual(["Another", "State"]);
  expect(await apply({}, true)).toEqual(["memo.ended State"]);
});

test("a time that has passed comes over with an export, and is refused where a person writes it", async () => {
  const past = { account_id: "default", title: "Old", until: "2020-01-01T00:00:00.000Z" };
  expect(await apply({ memos: [past] })).toEqual(["memos.0.until: it is in the past"]);
  const exported = { memos: [{ id: "mem_exported", ...past }] };
  expect(await apply(exported)).toEqual(["memo.created Old"]);
  expect(await apply(exported)).toEqual([]);
  expect((await writeState(world, [memo])).memos).toContainEqual(exported.memos[0]);
  expect(await apply({}, true)).toEqual(["memo.ended Old"]);
});

test("its list is exported, and shown in the console", async () => {
  const list = makePlainExport(memo);
  const form = makeExportForm("csv", list.row, []);
  expect(form.head).toBe("id,account_id,account_name,title,text,until,state,created_at,ended_at\r\n");
  const parts = {
    ...world,
    dayRules: () => readSettings("").quota,
    keepMs: () => 1,
    providerNames: () => [],
    keysExpireMs: () => null,
  };
  const pages = await Array.fromAsync(readExport(parts, list, {}, EVERYTHING));
  expect(
    pages
      .flat()
      .map((row) => String(row.title))
      .sort(),
  ).toEqual(["Another", "Maintenance", "Old", "Prices", "State"]);
  expect(listFieldColumns(memo).map(({ label }) => label)).toEqual(["Text", "Until"]);
});

test("the other engine gets the same table", () => {
  const [table = "", , index = ""] = renderPostgres(step);
  expect(table).toContain('CREATE TABLE IF NOT EXISTS memo (account_id TEXT COLLATE "C" NOT NULL');
  expect(table).toContain("until_ms BIGINT, PRIMARY KEY (account_id, id)");
  expect(index).toContain("memo_created ON memo (created_at_ms, id)");
});

test("as many at once as an account may have are made, and no more", async () => {
  const { id } = await createAccount(world, { name: "rush" });
  const make = (title: string) => send("POST", "/memos", { title, account_id: id });
  const made = await Promise.all(["a", "b", "c", "d"].map(make));
  expect(made.map(([status]) => status).sort()).toEqual([201, 201, 400, 400]);
});

test("every plain thing of the gateway stands in all of its places", () => {
  expect(PLAIN_THINGS.flatMap(listLacking), writeRecipe("A thing")).toEqual([]);
});

test("the made-up one stands in none of these places", () => {
  expect(listLacking(memo)).toEqual([
    "src/store/schema/steps.ts: memo",
    "src/docs/admin-….md: fields of memos",
    'test/people/matrix.ts: "GET /memos"',
    'test/people/matrix.ts: "GET /memos/:id"',
    'test/people/matrix.ts: "POST /memos"',
    'test/people/matrix.ts: "PATCH /memos/:id"',
    'test/people/matrix.ts: "DELETE /memos/:id"',
    'test/people/matrix.ts: "GET /export/memos.csv"',
    'test/people/matrix.ts: "GET /export/memos.jsonl"',
    'test/http/route-schemas.test.ts: "/memos"',
    'test/http/route-schemas.test.ts: "/memos/{id}"',
    'test/http/routes-apart.ts: "memos"',
    'test/whole/audit/changes.ts: "POST /memos"',
    'test/whole/audit/changes.ts: "PATCH /memos/:id"',
    'test/whole/audit/changes.ts: "DELETE /memos/:id"',
    'test/console/views.ts: "/settings/memos"',
    "src/docs/admin-api.md: /export/memos.",
    "src/docs/command-line.md: poundkey memos",
    "src/docs/state.md: memos",
    "src/docs/console.md: memos",
  ]);
});
