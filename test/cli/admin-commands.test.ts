// The administrative commands beside a running gateway: their output and exit codes.
import { beforeEach, describe, expect, test } from "bun:test";
import { createKey } from "../../src/admin/keys/keys.ts";
import { proveToken } from "../../src/admin/people/session.ts";
import { ensureAdminToken } from "../../src/admin/people/token.ts";
import { runKeys } from "../../src/cli/keys/keys.ts";
import { runAccounts } from "../../src/cli/money/accounts.ts";
import { runAdmin } from "../../src/cli/people/admin.ts";
import { authenticate } from "../../src/keys/authenticate.ts";
import { adminBench, type TestWorld } from "../admin/admin-world.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { makeRecord, writeRecord } from "../harness/samples.ts";
import { readSettings } from "../harness/settings.ts";
import { catchThrown, readCode } from "../harness/thrown.ts";
import { unrecorded } from "../harness/unrecorded.ts";

const bench = adminBench();
let world: TestWorld;
beforeEach(() => {
  ({ world } = bench());
});

describe("the command line beside a running gateway on the same store", () => {
  const run = (command: typeof runKeys, ...args: string[]) =>
    runPrinting((io) => command(args, io, bench().open, readSettings("")));

  test("a key for a model that nobody serves is added with a warning", async () => {
    const providers = "providers: { DeepSeek: { keys: [a] } }";
    const settings = readSettings(providers);
    const add = (...args: string[]) =>
      runPrinting((io) => runKeys(["add", "--name", "app", ...args], io, bench().open, settings));
    const models = "deepseek#*,DeepSeek#deepseek-v4-pr,xAI#grok-none,Router#best,Sim#echo,*";
    const { code, out, err } = await add("--models", models);
    expect([code, out.slice(0, 3)]).toEqual([0, "sk-"]);
    const warnings = err.split("\n").filter((line) => line.startsWith("warning: "));
    expect(warnings).toEqual([
      expect.stringMatching(
        /^warning: No model here is called 'DeepSeek#deepseek-v4-pr'\. Did you mean 'DeepSeek#/,
      ),
      expect.stringMatching(/^warning: No model here is called 'xAI#grok-none'\./),
    ]);
    const { warnings: shown } = JSON.parse((await add("--models", "xAI#grok-none", "--json")).out);
    expect(shown).toEqual([expect.stringContaining("'xAI#grok-none'")]);
    expect(JSON.parse((await add("--json")).out)).not.toHaveProperty("warnings");
  });

  test("a key that nothing bounds is added with a warning", async () => {
    let keys = 0;
    const add = async (configuration: string, ...args: string[]) => {
      const settings = readSettings(configuration);
      const command = ["add", "--name", `app ${++keys}`, ...args];
      const { code, err } = await runPrinting((io) => runKeys(command, io, bench().open, settings));
      expect(code).toBe(0);
      return err.split("\n").filter((line) => line.startsWith("warning: "));
    };
    const unlimited = ["--requests-per-day", "unlimited"];
    const warned = [expect.stringMatching(/^warning: Nothing bounds .*budget\.$/)];
    expect(await add("", ...unlimited)).toEqual(warned);
    expect(await add("quota: { requests_per_day: null }")).toEqual(warned);
    expect(await add("")).toEqual([]);
    expect(await add("", ...unlimited, "--budget", "50/month")).toEqual([]);
    expect(await add("", ...unlimited, "--spend-limit", "5")).toEqual([]);
    expect(await add("billing: { charge: always }", ...unlimited)).toEqual([]);
    const defaults = (budget: string) => `key_defaults: { budgets: [{ usd: 5, per: day${budget} }] }`;
    expect(await add(defaults(""), ...unlimited)).toEqual([]);
    // A soft budget only warns.
    expect(await add(defaults(", hard: false"), ...unlimited)).toEqual(warned);
    const budgets = [
      { nanoUsd: 1, per: "total", models: null, warn: [], isHard: true, extra: null },
    ] as const;
    await unrecorded(world.store).changeAccount("default", { budgets });
    expect(await add("", ...unlimited)).toEqual([]);
  });

  test("keys are added, listed and revoked", async () => {
    const args = ["--name", "app", "--models", "Sim#echo, Router#fair", "--requests-per-day", "unlimited"];
    const added = await run(
      runKeys,
      "add",
      ...args,
      "--expires",
      "2027-01-31",
      "--spend-limit",
      "2.5",
      "--keep-responses",
      "no",
      "--json",
    );
    expect(added.code).toBe(0);
    const key = JSON.parse(added.out);
    expect(key).toMatchObject({
      name: "app",
      allowed_models: ["Sim#echo", "Router#fair"],
      requests_per_day: null,
      expires_at: "2027-01-31T00:00:00.000Z",
      spend_limit_usd: 2.5,
      keep_responses: false,
    });
    expect((await authenticate(world, key.secret)).key.id).toBe(key.id);
    const listed = await run(runKeys, "list");
    expect(listed.out).toContain(key.id);
    expect(listed.out).not.toContain(key.secret);
    expect(JSON.parse((await run(runKeys, "list", "--json")).out)).toMatchObject([{ id: key.id }]);
    expect(await run(runKeys, "revoke", key.id)).toMatchObject({
      code: 0,
      out: `Revoked ${key.id} (app).`,
      err: "",
    });
    expect(readCode(await catchThrown(authenticate(world, key.secret)))).toBe("invalid_api_key");
  });

  test("names stand where ids do, in a store too", async () => {
    await run(runAccounts, "add", "--name", "Search");
    const key = JSON.parse((await run(runKeys, "add", "--name", "web", "--account", "Search", "--json")).out);
    expect(key.account_id).toStartWith("acct_");
    expect((await run(runAccounts, "topup", "Search", "2")).code).toBe(0);
    expect(await run(runKeys, "revoke", "web")).toMatchObject({ out: `Revoked ${key.id} (web).` });
  });

  test("keys are made with addresses and notes, paused, resumed and rotated", async () => {
    const more = ["--addresses", "10.0.0.0/8, ::1", "--notes", "Ask Ann", "--json"];
    const key = JSON.parse((await run(runKeys, "add", "--name", "app", ...more)).out);
    expect(key).toMatchObject({ allowed_addresses: ["10.0.0.0/8", "::1"], notes: "Ask Ann" });
    expect(await run(runKeys, "pause", key.id)).toMatchObject({ code: 0, out: `Paused ${key.id} (app).` });
    expect((await run(runKeys, "list")).out).toMatch(/ paused$/);
    expect(await run(runKeys, "resume", key.id)).toMatchObject({ code: 0, out: `Resumed ${key.id} (app).` });
    expect((await run(runKeys, "list")).out).toMatch(/ active$/);
    const { out } = await run(runKeys, "rotate", key.id, "--grace", "24h");
    expect(out).toContain("The old one works until 2026-11-21T12:00:00.000Z.");
    const [second = ""] = out.split("\n");
    for (const secret of [key.secret, second])
      expect((await authenticate(world, secret)).key.id).toBe(key.id);
    const third = JSON.parse((await run(runKeys, "rotate", key.id, "--json")).out);
    expect(third).toMatchObject({ id: key.id, old_secret_expires_at: null });
    expect(readCode(await catchThrown(authenticate(world, second)))).toBe("invalid_api_key");
    expect((await run(runKeys, "rotate", key.id)).out).toContain("The old one no longer works.");
  });

  test("the list says what each key used, and when", async () => {
    const { id } = JSON.parse((await run(runKeys, "add", "--name", "app", "--json")).out);
    const cells = async () => (await run(runKeys, "list")).out.split("\n").map((line) => line.split(/ {2,}/));
    expect((await cells())[1]?.slice(4)).toEqual(["200 of 200", "0", "0", "never", "-", "active"]);
    await writeRecord(world.store, makeRecord("one", { keyId: id, costNanoUsd: 1_500_000 }));
    const [head, row] = await cells();
    expect(head?.slice(4, 8)).toEqual(["FREE LEFT", "REQUESTS", "COST USD", "LAST USED"]);
    expect(row?.slice(5)).toEqual(["1", "0.0015", expect.stringMatching(/^2026-11-20T12/), "-", "active"]);
    expect(JSON.parse((await run(runKeys, "list", "--json")).out)).toMatchObject([
      { id, allowance: { limit: 200 }, last_used_at: expect.any(String) },
    ]);
  });

  test("an action's help has its own flags and examples alone", async () => {
    const { out } = await run(runKeys, "rotate", "--help");
    for (const other of ["--name", "--account", "keys add", "pause"]) expect(out).not.toContain(other);
    expect((await run(runKeys, "add", "--help")).out).not.toContain("--grace");
    for (const shared of ["--json", "--config"]) expect(out).toContain(shared);
    expect((await run(runAccounts, "topup", "--help")).out).toMatch(/^ {2}AMOUNT {2,}/m);
  });

  test("a new key's secret is alone on the first line", async () => {
    const { out } = await run(runKeys, "add", "--name", "app");
    expect((await authenticate(world, out.split("\n")[0] ?? "")).key.name).toBe("app");
  });

  test("a long list is printed completely", async () => {
    for (let index = 0; index < 120; index++) await createKey(world, { name: `key ${index}` });
    expect((await run(runKeys, "list")).out.trim().split("\n").length).toBe(121);
  });

  test("an account is added with its id in another system", async () => {
    const { out } = await run(runAccounts, "add", "--name", "Search", "--external-id", "CRM-7", "--json");
    expect(JSON.parse(out)).toMatchObject({ name: "Search", external_id: "CRM-7" });
  });

  test("accounts are added, listed and shown", async () => {
    const account = JSON.parse((await run(runAccounts, "add", "--name", "Team", "--json")).out);
    expect((await run(runAccounts, "list")).out).toContain(account.id);
    expect(JSON.parse((await run(runAccounts, "show", account.id, "--json")).out)).toEqual({
      ...account,
      journal: [],
    });
    expect((await run(runKeys, "add", "--name", "a", "--account", account.id)).code).toBe(0);
    const again = await run(runAccounts, "add", "--name", "Team");
    expect([again.code, again.err]).toEqual([
      0,
      expect.stringContaining(`has this name, such as ${account.id};`),
    ]);
  });

  test("the admin token is replaced", async () => {
    const before = (await ensureAdminToken(world, null)) ?? "";
    const { code, out } = await run(runAdmin, "token", "--reset");
    expect(code).toBe(0);
    expect(await proveToken(world, null, out.trim())).not.toBeNull();
    expect(await proveToken(world, null, before)).toBeNull();
  });

  const ends: readonly [command: typeof runKeys, args: string, code: number, said: RegExp][] = [
    [runKeys, "--help", 0, /^usage: poundkey keys add/],
    [runKeys, "add --help", 0, /^usage: poundkey keys add/],
    [runAccounts, "-h", 0, /^usage: poundkey accounts/],
    [runAdmin, "token --help", 0, /^usage: poundkey admin/],
    [
      runKeys,
      "rotate --help",
      0,
      /^usage: poundkey keys rotate KEY [\s\S]*--grace DURATION[\s\S]*examples:\n.*keys rotate \S+ --grace 24h$/,
    ],
    [runKeys, "", 2, /expected one of: add, list, pause, resume, rotate, revoke/],
    [runKeys, "constructor", 2, /^poundkey keys: unknown action 'constructor'; expected one of: add, list/],
    [
      runKeys,
      "ad",
      2,
      /^poundkey keys: unknown action 'ad'; did you mean add\?\nSee poundkey keys --help\.$/,
    ],
    [runKeys, "add", 2, /^poundkey (keys|accounts): Missing required parameter: --name\.\n/],
    [runKeys, "add --name", 2, /--name/],
    [runKeys, "add --name a --requests-per-day many", 2, /--requests-per-day must be/],
    [runKeys, "add --name a --spend-limit x", 2, /--spend-limit must be/],
    [runKeys, "add --name a --keep-responses maybe", 2, /--keep-responses must be/],
    [runKeys, "add --name a --account none", 2, /account doesn't exist/],
    [runKeys, "add --nmae a", 2, /--nmae/],
    [runKeys, "list extra", 2, /extra/],
    [runKeys, "revoke", 2, /expected one key's id or name/],
    [runKeys, "revoke a b", 2, /unexpected argument "b"/],
    [runKeys, "revoke key_none", 1, /There is no key with that id/],
    [runKeys, "pause", 2, /expected one key's id or name/],
    [runKeys, "resume key_none", 1, /There is no key with that id/],
    [runKeys, "rotate key_none", 1, /There is no key with that id/],
    [
      runKeys,
      "rotate key_none --grace soon",
      2,
      /^poundkey (keys|accounts): Invalid --grace: expected a duration like 24h/,
    ],
    [runKeys, "rotate key_none --grace 31d", 2, /^poundkey (keys|accounts): Invalid --grace: .*up to 30d/],
    [
      runKeys,
      "add --name a --addresses here",
      2,
      /^poundkey (keys|accounts): Invalid --addresses: expected an IP address/,
    ],
    [runKeys, "add --name a --addresses ::1/999", 2, /^poundkey (keys|accounts): Invalid --addresses: /],
    [
      runKeys,
      "add --name a --models gpt",
      2,
      /^poundkey (keys|accounts): Invalid --models: expected a model id/,
    ],
    [
      runKeys,
      "add --name a --expires soon",
      2,
      /^poundkey (keys|accounts): Invalid --expires: expected an ISO 8601 time/,
    ],
    [
      runKeys,
      "add --name a --expires 2001-01-01",
      2,
      /^poundkey (keys|accounts): Invalid --expires: it is in the past/,
    ],
    [
      runKeys,
      "add --name a --spend-limit -1",
      2,
      /^poundkey (keys|accounts): Invalid --spend-limit: decimal below minimum/,
    ],
    [
      runKeys,
      "add --name a --requests-per-day 1.5",
      2,
      /^poundkey (keys|accounts): Invalid type for --requests-per-day: /,
    ],
    [runAccounts, "add", 2, /^poundkey (keys|accounts): Missing required parameter: --name\.\n/],
    [runAccounts, "topup default -5", 2, /^poundkey accounts: expected an amount .*, not '-5'\n/],
    [runAccounts, "topup default -.5", 2, /, not '-\.5'\n/],
    [runAccounts, "topup -5 default", 2, /, not 'default'\n/],
    [runAccounts, "topup default 0", 2, /^poundkey (keys|accounts): Invalid AMOUNT: expected a value > 0/],
    [
      runAccounts,
      "topup default 1 --idempotency-key é",
      2,
      /^poundkey (keys|accounts): Invalid --idempotency-key: /,
    ],
    [runAccounts, "", 2, /expected one of: add, list, topup, show/],
    [runAccounts, "show none", 1, /There is no account/],
    [runAdmin, "token", 2, /--reset/],
  ];
  for (const [command, args, code, said] of ends) {
    test(`${command.name} ${args} ends with ${code}`, async () => {
      const result = await run(command, ...args.split(" "));
      expect(result.code).toBe(code);
      expect(code === 0 ? result.out : result.err).toMatch(said);
      expect(code === 0 ? result.err : result.out).toBe("");
    });
  }

  test("a store that can't be opened gives exit code 1 and an explanation", async () => {
    const io = { out: () => {}, err: (text: string) => expect(text).toBe("poundkey: The store is away.") };
    const open = () => Promise.reject(new Error("The store is away."));
    expect(await runKeys(["list"], io, open, readSettings(""))).toBe(1);
  });
});
