// `poundkey apply` as its users see it: plans, refusals, secrets, and what stays paused or revoked.
import { beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createKey, revokeKey, updateKey } from "../../../src/admin/keys/keys.ts";
import { readStoredAliases } from "../../../src/admin/models/aliases.ts";
import { updateAccount } from "../../../src/admin/money/accounts.ts";
import { closeAccount } from "../../../src/admin/money/closing.ts";
import { revokeToken } from "../../../src/admin/people/named-tokens.ts";
import { runExport } from "../../../src/cli/log/export.ts";
import { runApply } from "../../../src/cli/state/apply.ts";
import { openAlias } from "../../../src/core/keys/key.ts";
import { authenticate } from "../../../src/keys/authenticate.ts";
import { performPlan } from "../../../src/moving/state/perform.ts";
import { NoStoreError } from "../../../src/store/engine/address.ts";
import type { TestWorld } from "../../admin/admin-world.ts";
import { runPrinting } from "../../harness/poundkey.ts";
import { NOON } from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";
import { exportText, makeWorld, planText } from "./applying.ts";
import { commandBench, STATE } from "./command.ts";

const { bench, path, apply, done, findKeys, findKey, readRecord } = commandBench();
let world: TestWorld;
beforeEach(() => {
  ({ world } = bench());
});

test("a plan names each change and makes none, and without a store it makes none", async () => {
  const plan = await done(STATE, "--plan");
  expect(plan).toBe(
    [
      "+ account Search",
      '    budgets: [{"usd":2000,"per":"month"}]',
      "+ alias fast",
      "    target: OpenAI#gpt-5.4",
      "+ key app of Search",
      "    requests_per_minute: 60",
      "+ token deploy",
      "    role: operator",
      '    accounts: ["Search"]',
      "4 to make, 0 to change, 0 to remove; 0 as in the file, 1 here that the file doesn't have.",
    ].join("\n"),
  );
  const { changes } = JSON.parse(await done(STATE, "--plan", "--json"));
  expect(changes.at(-2)).toMatchObject({ action: "key.created", id: null, after: { account_id: "Search" } });
  expect(await readRecord()).toEqual([]);
  let opened = "";
  const open = (opening: "find" | "make") => {
    if (opening === "find") throw new NoStoreError("here");
    opened = opening;
    return bench().open();
  };
  const without = async (text: string, ...flags: string[]) => {
    writeFileSync(path("state.yaml"), text);
    const args = [path("state.yaml"), ...flags];
    const { code, out } = await runPrinting((io) =>
      runApply(args, io, async (opening) => open(opening), readSettings("")),
    );
    return [code, out.split("\n").at(-1)?.split(";")[0], opened];
  };
  expect(await without(STATE, "--plan")).toEqual([0, "4 to make, 0 to change, 0 to remove", ""]);
  expect(await without("keys: [{ name: app, account_id: Serch }]")).toEqual([1, "", ""]);
  expect(await without(STATE)).toEqual([0, "4 made, 0 changed, 0 removed", "make"]);
});

test("a key and a budget may name an alias of the same file, which is exported as it was written", async () => {
  const text = [
    'aliases: [{ name: team/chat, target: "OpenAI#gpt-5-mini" }]',
    "accounts: [{ name: Search, budgets: [{ usd: 5, per: day, models: [team/chat] }] }]",
    "keys: [{ name: app, account_id: Search, allowed_models: [team/chat] }]",
  ].join("\n");
  await done(text);
  expect(await done(text)).toContain("0 made, 0 changed, 0 removed; 3 as in the file");
  const exported = await exportText(makeWorld(world.store));
  expect(exported).toMatch(/allowed_models:\n +- team\/chat/);
  expect(exported).toMatch(/models:\n +- team\/chat/);
  const [key] = await world.store.keys({ limit: 1, after: null }, { nowMs: 0, modelsText: "team/chat" });
  const { createdAtMs } = readStoredAliases(await world.store.setting("aliases"))[0] ?? {};
  expect(key && openAlias(key, "team/chat", createdAtMs ?? 0)).toMatchObject({ allowedModels: null });
});

test("a file is applied once, on record as the command line's", async () => {
  const first = await done(STATE);
  const [secret = ""] = /sk-\w+/.exec(first) ?? [];
  expect((await authenticate(world, secret)).key).toMatchObject({ name: "app", requestsPerMinute: 60 });
  expect(first).toMatch(/pk-\w+\n\ntok_\w+ \(deploy\)\. The secret won't be shown again\./);
  expect(await done(STATE)).toBe(
    "0 made, 0 changed, 0 removed; 4 as in the file, 1 here that the file doesn't have.",
  );
  expect(await readRecord()).toEqual(
    ["account", "alias", "key", "token"].map((kind) => `${kind}.created cli poundkey apply`),
  );
});

test("empty lists of a key are as good as null, and no drift", async () => {
  const lists = "allowed_models: [], allowed_addresses: [], hooks: [], budgets: []";
  const text = `keys: [{ name: app, ${lists} }]`;
  await done(text);
  expect(await done(text)).toStartWith("0 made, 0 changed, 0 removed; 1 as in the file");
});

test("a mistake refuses all of the file, with its line, its field and what may have been meant", async () => {
  const { code, err } = await apply(`accounts:
  - name: Search
  - { name: Search, budget: 3 }
keys:
  - name: app
    account_id: Serch
  - { nam: b }
  - { name: c, budgets: [{ us: 3, per: day }] }
  - { name: d, requests_per_minute: many }
  - { name: e, secret: sk-Yc2dCbg0vUxQH7Yb2dCbg0vUxQH7Yb2dCbg0vUxQH7Yb }
token: []
`);
  expect(code).toBe(1);
  const refused = err.replaceAll(`${bench().folder}/`, "").split("\n");
  expect(refused).toEqual([
    "poundkey: the file is refused, and nothing was changed:",
    "state.yaml:11:1: token: unknown field; did you mean tokens?",
    "state.yaml:3:21: accounts[1].budget: unknown field; did you mean budgets?",
    "state.yaml:7:7: keys[1].nam: unknown field; did you mean name?",
    "state.yaml:8:28: keys[2].budgets[0].us: unknown field; did you mean usd?",
    expect.stringContaining("state.yaml:9:37: keys[3].requests_per_minute: expected an integer, null"),
    expect.stringContaining("state.yaml:10:16: keys[4].secret: unknown field"),
  ]);
  const later = await apply(`accounts: [{ name: Search }, { name: Search }]
keys:
  - { name: app, account_id: Serch }
  - { name: old, expires_at: 2020-01-01 }
  - { name: two, budgets: [{ usd: 1, per: day }, { usd: 2, per: day }] }
aliases: [{ name: fast, target: OpenAI#gpt-5.44 }]
`);
  expect(later.err.replaceAll(`${bench().folder}/`, "").split("\n").slice(1)).toEqual([
    expect.stringContaining("state.yaml:1:38: accounts[1].name: another account of the file has this name"),
    expect.stringContaining("state.yaml:6:33: aliases[0].target: this model doesn't exist"),
    "state.yaml:3:30: keys[0].account_id: there is no account with this name or id; did you mean Search?",
    "state.yaml:4:30: keys[1].expires_at: it is in the past",
    "state.yaml:5:50: keys[2].budgets[1]: there is another budget per day",
  ]);
  expect((await apply("keys: [")).err).toContain("state.yaml:1:");
  expect(await readRecord()).toEqual([]);
});

describe("secrets", () => {
  test("are written to a new file of their own, which is never overwritten", async () => {
    const file = path("secrets.jsonl");
    const out = await done(STATE, "--secrets", file);
    expect(out).not.toMatch(/[sp]k-\w{40}/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [key, token] = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(key).toMatchObject({ kind: "key", name: "app", account_id: (await findKey("app")).accountId });
    expect((await authenticate(world, key.secret)).key.id).toBe(key.id);
    expect(token).toMatchObject({ kind: "token", name: "deploy", secret: expect.stringMatching(/^pk-/) });
    const before = readFileSync(file, "utf8");
    await done(STATE, "--secrets", file);
    const { code, err } = await apply(`${STATE}  - { name: more, role: viewer }`, "--secrets", file);
    expect([code, err]).toEqual([1, `poundkey: ${file} exists, and is not overwritten; nothing was changed`]);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("stand in the JSON otherwise, and never in an export", async () => {
    const { secrets, changes } = JSON.parse(await done(STATE, "--json"));
    expect(secrets.map(({ name }: { name: string }) => name)).toEqual(["app", "deploy"]);
    expect(changes.map(({ action }: { action: string }) => action)).toHaveLength(4);
    const { out } = await runPrinting((io) => runExport(["state"], io, bench().open, readSettings("")));
    expect(out).toContain("name: app");
    expect(out).not.toMatch(/[sp]k-\w{40}/);
  });

  test("a key isn't made before its secret is kept, and a repeat goes on where it stopped", async () => {
    const text = "accounts: [{ name: Ads }]\nkeys: [{ name: one }]";
    const { code } = await apply(text, "--secrets", path("nowhere/secrets"));
    expect([code, await findKeys("one"), await world.store.accountsNamed("Ads")]).toEqual([1, [], []]);
    expect(await done(text, "--secrets", path("secrets"))).toContain("2 made");
    const state = makeWorld(world.store);
    const plan = await planText(state, "keys: [{ name: two }]");
    const keep = () => {
      throw new Error("the disk is full");
    };
    await expect(performPlan(state, plan, { keep, onChange: () => {} })).rejects.toThrow("full");
    expect(await findKeys("two")).toEqual([]);
  });
});

describe("what was stopped", () => {
  test("stays paused or revoked, and extra amounts stay", async () => {
    await done(STATE);
    const key = await findKey("app");
    const account = { id: key.accountId };
    await updateKey(world, key.id, { paused: true });
    await updateAccount(world, account.id, { paused: true });
    const extra = { per: "month", extra_usd: 50, extra_until: "2027-01-01" } as const;
    await updateAccount(world, account.id, { budgets: [extra] });
    const again = await done(STATE);
    expect(again).toContain("= account Search: paused (admin), and stays paused\n");
    expect(again).toContain("= key app of Search: paused (admin), and stays paused\n0 made, 0 changed");
    expect((await world.store.account(account.id))?.budgets).toMatchObject([{ extra: { nanoUsd: 50e9 } }]);
    await revokeKey(world, key.id);
    const [token] = await world.store.people.tokens(1);
    await revokeToken(world, token?.id ?? "");
    const revoked = await done(STATE);
    expect(revoked).toContain("= key app of Search: revoked, and stays revoked");
    expect(revoked).toContain("= token deploy: revoked, and stays revoked");
    const withId = STATE.replace("name: app", `id: ${key.id}, name: app`);
    expect(await done(withId)).toContain("= key app of Search: revoked, and stays revoked\n");
    expect((await findKey("app")).revokedAtMs).not.toBeNull();
    await closeAccount(world, account.id, {});
    expect(await done(STATE)).toContain("= account Search: closed, and stays closed");
  });

  test("extra amounts of a key's budgets stay", async () => {
    const text = "keys: [{ name: app, budgets: [{ usd: 5, per: day }] }]";
    await done(text);
    const { id } = await findKey("app");
    const extra = { per: "day", extra_usd: 50, extra_until: "2027-01-01" } as const;
    await updateKey(world, id, { budgets: [extra] });
    expect(await done(text)).toContain("0 made, 0 changed");
    expect(await done(text.replace("usd: 5", "usd: 6"))).toContain("1 changed");
    expect((await findKey("app")).budgets).toMatchObject([{ nanoUsd: 6e9, extra: { nanoUsd: 50e9 } }]);
  });

  test("is not made anew by a file that never had it", async () => {
    const { id } = await createKey(world, { name: "leaked" });
    await revokeKey(world, id);
    expect(await done("keys: [{ name: leaked }]")).toContain("stays revoked; make one of this name by");
    await createKey(world, { name: "leaked" });
    expect(await done("keys: [{ name: leaked, parallel: 3 }]")).toContain("0 made, 1 changed");
  });

  test("a key that has expired stays in the file", async () => {
    const text = "keys: [{ name: short, expires_at: 2026-12-01 }]";
    await done(text);
    bench().clock.atMs = NOON + 30 * 86_400_000;
    expect(await done(text)).toContain("0 made, 0 changed, 0 removed; 1 as in the file");
    expect(await done(text.replace("2026-12", "2027-03"))).toContain("→ 2027-03-01T00:00:00.000Z");
  });
});

test("a change that somebody made since is told as such, and undone", async () => {
  await done(STATE);
  const { id } = await findKey("app");
  await updateKey(world, id, { requests_per_minute: 600, name: "renamed" });
  expect(await done(STATE)).toContain(
    "~ key app of Search (changed here since the file was applied)\n    name: renamed → app\n    requests_per_minute: 600 → 60\n",
  );
  expect(await done(STATE.replace("minute: 60", "minute: 70"))).toContain(
    "~ key app of Search\n    requests_per_minute: 60 → 70\n",
  );
});

test("an id keeps a key through another name and another account", async () => {
  await done(STATE);
  const { id, accountId } = await findKey("app");
  const kept = { keyId: id, id: "resp_a", atMs: NOON, bytes: 10, items: "[]", sealed: "" };
  await world.store.responses.add({ ...kept, accountId }, 1000);
  const moved = STATE.replace(
    "name: app, account_id: Search",
    `id: ${id}, name: next, account_id: Ads, keep_responses: false`,
  );
  const out = await done(moved.replace("accounts:", "accounts:\n  - name: Ads"));
  expect(out).toContain("~ key next of Ads\n    name: app → next\n    account_id: Search → Ads\n");
  expect((await world.store.key(id))?.name).toBe("next");
  expect(await world.store.responses.find({ accountId, memberId: null }, "resp_a")).toBeNull();
  const taken = await apply("keys: [{ id: key_other, name: next, account_id: Ads }]", "other.yaml");
  expect(taken.err).toContain("keys[0].id: there is no key with this id, but another one has its name");
});

test("an account's id in another system is applied, stays, and is exported", async () => {
  const text = "accounts: [{ name: Search, external_id: CRM-7 }]";
  expect(await done(text, "--plan")).toContain("+ account Search\n    external_id: CRM-7\n");
  await done(text);
  expect(await done(text, "--plan")).toStartWith("0 to make, 0 to change");
  const { code, out } = await runPrinting((io) => runExport(["state"], io, bench().open, readSettings("")));
  expect([code, out]).toEqual([0, expect.stringMatching(/name: Search\n +external_id: CRM-7\n/)]);
});

test("a token stays as it was made", async () => {
  await done(STATE);
  const { code, err } = await apply(STATE.replace("operator", "admin"));
  expect([code, err]).toEqual([1, expect.stringContaining("tokens[0].role: a token stays as it was made")]);
});
