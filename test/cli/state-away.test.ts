// State files at a gateway on another port, by its admin API: there is no store in reach.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT } from "../../src/app/terminal.ts";
import { runCommandLine } from "../../src/cli/commands.ts";
import { asArray, asObject, parseJson } from "../../src/core/json/json.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";

const STATE = `name: team
accounts:
  - { name: Search, budgets: [{ usd: 2000, per: month }] }
keys:
  - { name: app, account_id: Search, requests_per_minute: 60 }
  - { name: old, account_id: Search }
aliases:
  - { name: fast, target: Acme#cheap }
tokens:
  - { name: deploy, role: viewer, accounts: [Search] }
`;

let world: HttpWorld;
let operator: Operator;
beforeAll(async () => {
  world = await startHttpWorld();
  operator = createOperator(world);
});
afterAll(() => world.stop());

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "poundkey-state-away-"));
  process.env.POUNDKEY_TOKEN = world.adminToken;
});
afterEach(() => {
  delete process.env.POUNDKEY_TOKEN;
  rmSync(folder, { recursive: true });
});

const run = (...args: readonly string[]) =>
  runPrinting((io) => runCommandLine([...args, "--gateway", world.url], io));

async function apply(text: string, ...flags: readonly string[]) {
  const file = join(folder, "state.yaml");
  writeFileSync(file, text);
  return run("apply", file, ...flags);
}

async function readDone(text: string, ...flags: readonly string[]) {
  const { code, out, err } = await apply(text, ...flags);
  expect([code, code === EXIT.done ? "" : err]).toEqual([EXIT.done, ""]);
  return out;
}

const listLive = async (path: string) =>
  asArray((await operator.get(path)).body.data)
    .map(asObject)
    .filter(({ state = "active" }) => state === "active");

describe("a state file at a gateway", () => {
  test("is planned, applied with secrets that work, and applied again without a change", async () => {
    const plan = await readDone(STATE, "--plan");
    expect(plan).toContain("+ key app of Search\n    requests_per_minute: 60");
    expect(plan).toContain('    accounts: ["Search"]');
    expect(plan).toContain("5 to make, 0 to change, 0 to remove");
    expect(await listLive("/tokens")).toEqual([]);
    const file = join(folder, "secrets.jsonl");
    expect(await readDone(STATE, "--secrets", file)).toContain("5 made, 0 changed, 0 removed");
    const secrets = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => asObject(parseJson(line)));
    expect(secrets.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "key app",
      "key old",
      "token deploy",
    ]);
    const ask = async () => {
      const answer = await world.chat(asking("fast"), { secret: String(secrets[0]?.secret) });
      await answer.text();
      return answer.status === 200;
    };
    await until("the alias is known", ask);
    expect(await readDone(STATE)).toStartWith("0 made, 0 changed, 0 removed; 5 as in the file");
    expect((await apply(`${STATE}  - { name: more, role: viewer }`, "--secrets", file)).err).toContain(
      "exists, and is not overwritten; nothing was changed",
    );
  });

  test("shows drift, prunes what it made, and is exported as the gateway has it", async () => {
    const [app] = await listLive("/keys?q=app");
    await operator.patch(`/keys/${app?.id}`, { requests_per_minute: 500 });
    expect(await readDone(STATE, "--plan")).toContain(
      "~ key app of Search (changed here since the file was applied)\n    requests_per_minute: 500 → 60",
    );
    const fewer = STATE.replace(/^.*name: old.*\n/m, "");
    expect(await readDone(fewer)).toContain("= key old of Search: made by this file");
    expect(await readDone(fewer, "--prune")).toContain("0 made, 0 changed, 1 removed");
    expect(await listLive("/keys?q=old")).toEqual([]);
    const exported = await run("export", "state");
    expect(exported.code).toBe(EXIT.done);
    expect(exported.out).toContain("name: Search");
    expect(exported.out).not.toContain("old");
    expect(await readDone(exported.out, "--plan")).toStartWith("0 to make, 0 to change, 0 to remove");
  });

  test("each change is on record as the sender's", async () => {
    const made = ["account", "alias", "key", "token"].map((kind) => `${kind}.created`);
    const wanted = [...made, "key.changed", "key.revoked"].toSorted();
    const rows = await until("all are in the chain", async () => {
      const { data } = (await operator.get("/audit?limit=100")).body;
      const all = asArray(data).map(asObject);
      return all.some(({ action }) => action === "export.made") ? all : null;
    });
    const ours = rows.filter(({ route }) => route === "POST /admin/v1/state");
    expect([...new Set(ours.map(({ action }) => String(action)))].toSorted()).toEqual(wanted);
    for (const { actor } of ours) expect(actor).toMatchObject({ kind: "admin" });
  });

  test("is refused with the line of each mistake, also of those that only the gateway sees", async () => {
    const { code, err } = await apply("keys:\n  - name: lost\n    account_id: Nobody\n");
    expect(code).toBe(EXIT.failed);
    expect(err).toContain("state.yaml:3:17");
    expect(err).toContain("nothing was changed");
    expect((await apply("keys: [{ name: a, requests: 3 }]")).err).toContain("unknown field");
  });

  test("more than ten removals need their number, and a pruning of others than were seen is refused", async () => {
    const many = Array.from({ length: 12 }, (_, at) => `  - { name: many-${at} }`).join("\n");
    await readDone(`name: many\nkeys:\n${many}`, "--secrets", join(folder, "many.jsonl"));
    expect((await apply("name: many", "--prune")).err).toContain("--prune would remove 12");
    const seen = { file: "many", state: {}, apply: true, prune: true, removals: 11 };
    const refused = await operator.post("/state", seen);
    expect([refused.status, refused.error?.param]).toEqual([400, "removals"]);
    expect(await listLive("/keys?q=many-1")).toHaveLength(3);
    expect(await readDone("name: many", "--prune", "--yes", "12")).toContain("12 removed");
  });

  test("is for admins of the whole gateway alone", async () => {
    const { body } = await operator.post("/tokens", { name: "op", role: "operator" });
    process.env.POUNDKEY_TOKEN = String(body.secret);
    for (const { code, err } of [await apply(STATE, "--plan"), await run("export", "state")]) {
      expect(code).toBe(EXIT.failed);
      expect(err).toContain("state.apply");
    }
    expect(existsSync(join(folder, ".poundkey"))).toBe(false);
  });
});
