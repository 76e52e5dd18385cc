// The operator's use-cases on keys, on a real store: views, bad input, changes and paging, without storing secrets.
import { beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CONSOLE_KEY, revokeKey } from "../../../src/admin/keys/keys.ts";
import { getKey } from "../../../src/admin/keys/keys-in-use.ts";
import { getRequest } from "../../../src/admin/log/requests.ts";
import { getAccount } from "../../../src/admin/money/accounts.ts";
import { ensureAdminToken } from "../../../src/admin/people/token.ts";
import { authenticate } from "../../../src/keys/authenticate.ts";
import { HOUR, makeKey, makeRecord, NOON, QUOTA, writeRecord } from "../../harness/samples.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import {
  createAccount,
  createKey,
  listKeys,
  listKeysInUse,
  rotateKey,
  updateAccount,
  updateKey,
} from "../admin-asked.ts";
import { adminBench, type TestWorld, wrongWith } from "../admin-world.ts";

const bench = adminBench();
let world: TestWorld;
beforeEach(() => {
  ({ world } = bench());
});

const parts = () => ({ ...world, ledger: bench().ledger, dayRules: () => QUOTA });

/** The use of a new key. */
const unused = {
  allowance: {
    limit: 200,
    used: 0,
    remaining: 200,
    resets_at: "2026-11-21T00:00:00.000Z",
    next_slot_at: null,
    paid_by_balance: false,
  },
  spent_usd: { today: 0, month: 0, total: 0 },
  last_used_at: null,
};

describe("keys", () => {
  test("a new key with only a name gets every default, and its secret works", async () => {
    const { secret, ...view } = await createKey(world, { name: "  app  " });
    expect(view.id).toMatch(/^key_/);
    expect(view).toEqual({
      id: view.id,
      name: "app",
      account_id: "default",
      last4: secret.slice(-4),
      created_at: "2026-11-20T12:00:00.000Z",
      expires_at: null,
      revoked_at: null,
      allowed_models: null,
      allowed_tools: null,
      requests_per_day: "default",
      requests_per_minute: "default",
      tokens_per_minute: "default",
      parallel: "default",
      model_limits: "default",
      budgets: "default",
      spend_limit_usd: null,
      hooks: null,
      guard: null,
      keep_responses: true,
      cache: null,
      tags: null,
      paused: false,
      notes: null,
      contact: null,
      kind: "service",
      member_id: null,
      paused_by: [],
      allowed_addresses: null,
      old_secret_expires_at: null,
      state: "active",
    });
    expect((await authenticate(world, secret)).key.id).toBe(view.id);
    expect(await getKey(parts(), view.id)).toEqual({ ...view, ...unused, limits: [] });
  });

  test("a new key accepts every field", async () => {
    const account = await createAccount(world, { name: "Team" });
    const body = {
      name: "app",
      account_id: account.id,
      expires_at: "2027-01-31T12:00:00+02:00",
      allowed_models: ["OpenAI#gpt-5.4", "OpenRouter#openai/gpt-5.4", "Router#fair", "Router#fair"],
      spend_limit_usd: 12.345678901,
      requests_per_day: 5,
      allowed_addresses: ["203.0.113.7", "10.0.0.0/8", "2001:db8::/32", "10.0.0.0/8"],
      paused: true,
      notes: " Ask Ann\n\tbefore a change ",
    };
    const { id } = await createKey(world, body);
    expect(await getKey(parts(), id)).toMatchObject({
      ...body,
      expires_at: "2027-01-31T10:00:00.000Z",
      allowed_models: body.allowed_models.slice(0, 3),
      allowed_addresses: body.allowed_addresses.slice(0, 3),
      notes: "Ask Ann\n\tbefore a change",
      state: "paused",
    });
  });

  const wrong: readonly [body: unknown, fault: string][] = [
    [null, "invalid_type"],
    [[], "invalid_type"],
    [{}, "missing_required_parameter name"],
    [{ name: 1 }, "invalid_type name"],
    [{ name: "   " }, "empty_string name"],
    [{ name: "x".repeat(101) }, "string_above_max_length name"],
    [{ name: "a\nb" }, "invalid_value name"],
    [{ name: "a", role: "admin" }, "unknown_parameter role"],
    [{ name: "a", secret: "sk-mine" }, "unknown_parameter secret"],
    [JSON.parse('{"name":"a","__proto__":{"x":1}}'), "unknown_parameter __proto__"],
    [{ name: "a", account_id: "none" }, "invalid_value account_id"],
    [{ name: "a", account_id: null }, "invalid_type account_id"],
    [{ name: "a", expires_at: 1_800_000_000 }, "invalid_type expires_at"],
    [{ name: "a", expires_at: "tomorrow" }, "invalid_value expires_at"],
    [{ name: "a", expires_at: "2027-02-30" }, "invalid_value expires_at"],
    [{ name: "a", expires_at: "2027-01-01T25:00:00Z" }, "invalid_value expires_at"],
    [{ name: "a", expires_at: "2027-01-01T12:00:00" }, "invalid_value expires_at"],
    [{ name: "a", expires_at: "2026-11-20T12:00:00Z" }, "invalid_value expires_at"],
    [{ name: "a", allowed_models: "OpenAI#gpt-5.4" }, "invalid_type allowed_models"],
    [{ name: "a", allowed_models: ["Sim#echo", "gpt"] }, "invalid_value allowed_models[1]"],
    [{ name: "a", allowed_models: [7] }, "invalid_type allowed_models[0]"],
    [{ name: "a", spend_limit_usd: "5" }, "invalid_type spend_limit_usd"],
    [{ name: "a", spend_limit_usd: -1 }, "decimal_below_min_value spend_limit_usd"],
    [{ name: "a", spend_limit_usd: 1e300 }, "invalid_value spend_limit_usd"],
    [{ name: "a", keep_responses: "no" }, "invalid_type keep_responses"],
    [{ name: "a", paused: "yes" }, "invalid_type paused"],
    [{ name: "a", paused: null }, "invalid_type paused"],
    [{ name: "a", notes: 7 }, "invalid_type notes"],
    [{ name: "a", notes: "x".repeat(2001) }, "string_above_max_length notes"],
    [{ name: "a", notes: "a\u0000b" }, "invalid_value notes"],
    [{ name: "a", notes: "\ud800" }, "invalid_value notes"],
    [{ name: "a", allowed_addresses: "10.0.0.1" }, "invalid_type allowed_addresses"],
    [{ name: "a", allowed_addresses: Array(101).fill("::1") }, "array_above_max_length allowed_addresses"],
    [{ name: "a", allowed_addresses: ["::1", "10.0.0.256"] }, "invalid_value allowed_addresses[1]"],
    [{ name: "a", allowed_addresses: ["::1", "10.0.0.0/33"] }, "invalid_value allowed_addresses[1]"],
    [{ name: "a", allowed_addresses: ["::1", "localhost"] }, "invalid_value allowed_addresses[1]"],
    [{ name: "a", allowed_addresses: ["::1", 7] }, "invalid_type allowed_addresses[1]"],
    [{ name: "a", requests_per_day: "10" }, "invalid_type requests_per_day"],
    [{ name: "a", requests_per_day: 1.5 }, "invalid_type requests_per_day"],
    [{ name: "a", requests_per_day: -1 }, "integer_below_min_value requests_per_day"],
    [{ name: "a", requests_per_day: 1e12 }, "integer_above_max_value requests_per_day"],
  ];
  for (const [body, fault] of wrong) {
    test(`${JSON.stringify(body).slice(0, 70)} is refused: ${fault}`, async () => {
      expect(await wrongWith(() => createKey(world, body))).toBe(fault);
      expect((await listKeys(world, {})).data).toEqual([]);
    });
  }

  test("a change affects only the given fields, and null removes a limit", async () => {
    const { secret, ...key } = await createKey(world, { name: "a", requests_per_day: 5, spend_limit_usd: 1 });
    expect(await updateKey(world, key.id, {})).toEqual(key);
    expect(await updateKey(world, key.id, { name: "b" })).toEqual({ ...key, name: "b" });
    const open = { requests_per_day: null, spend_limit_usd: null };
    expect(await updateKey(world, key.id, open)).toEqual({ ...key, name: "b", ...open });
    const back = await updateKey(world, key.id, { requests_per_day: "default" });
    expect(back.requests_per_day).toBe("default");
    const kept = { ...back, keep_responses: false };
    expect(await updateKey(world, key.id, { keep_responses: false })).toEqual(kept);
    expect(await wrongWith(() => updateKey(world, key.id, { keep_responses: null }))).toBe(
      "invalid_type keep_responses",
    );
    expect(await wrongWith(() => updateKey(world, key.id, { name: null }))).toBe("invalid_type name");
    expect(await wrongWith(() => updateKey(world, key.id, { account_id: "none" }))).toBe(
      "invalid_value account_id",
    );
    expect(await wrongWith(() => updateKey(world, key.id, { name: "c", revoked_at: null }))).toBe(
      "unknown_parameter revoked_at",
    );
    expect(await getKey(parts(), key.id)).toMatchObject(kept);
    expect((await authenticate(world, secret)).key.name).toBe("b");
  });

  test("a revoked key is refused immediately and stays listed", async () => {
    const { secret, id } = await createKey(world, { name: "a" });
    expect(await revokeKey(world, id)).toMatchObject({ id, revoked_at: "2026-11-20T12:00:00.000Z" });
    bench().clock.atMs += HOUR;
    expect(await revokeKey(world, id)).toMatchObject({ revoked_at: "2026-11-20T12:00:00.000Z" });
    expect(readCode(await catchThrown(authenticate(world, secret)))).toBe("invalid_api_key");
    expect((await listKeys(world, {})).data.map((key) => key.id)).toEqual([id]);
  });

  test("the list shows the remaining allowance, the spending and the last use", async () => {
    const account = await createAccount(world, { name: "Team" });
    const { id } = await createKey(world, { name: "busy", account_id: account.id, requests_per_day: null });
    const idle = await createKey(world, { name: "idle" });
    const used = (requestId: string, hoursAgo: number, chargedNanoUsd: number) =>
      writeRecord(
        world.store,
        makeRecord(requestId, {
          keyId: id,
          accountId: account.id,
          atMs: NOON - hoursAgo * HOUR,
          chargedNanoUsd,
        }),
      );
    await used("1", 24 * 40, 1_000_000_000);
    await used("2", 24, 2_000_000_000);
    await used("3", 1, 4_000_000_000);
    const { data } = await listKeysInUse(parts(), {});
    expect(data.find((key) => key.id === idle.id)).toMatchObject(unused);
    expect(data.find((key) => key.id === id)).toMatchObject({
      allowance: { limit: null, remaining: null },
      spent_usd: { today: 4, month: 6, total: 7 },
      last_used_at: "2026-11-20T11:00:00.000Z",
    });
  });

  test("lists can be filtered by account, state and part of the name", async () => {
    const account = await createAccount(world, { name: "Team" });
    const made = (name: string, more = {}) => createKey(world, { name, ...more });
    await made("Alpha one", { account_id: account.id });
    await made("50% alpha");
    await made("beta", { expires_at: "2026-11-20T12:30:00Z" });
    const { id } = await made("gamma_1");
    await revokeKey(world, id);
    await made("delta", { paused: true });
    await made("epsilon", { paused: true, expires_at: "2026-11-20T12:30:00Z" });
    bench().clock.atMs += HOUR;
    const names = async (query: object) =>
      (await listKeys(world, query)).data.map(({ name, state }) => `${name} ${state}`).sort();
    expect(await names({ account_id: account.id })).toEqual(["Alpha one active"]);
    expect(await names({ state: "active" })).toEqual(["50% alpha active", "Alpha one active"]);
    expect(await names({ state: "expired" })).toEqual(["beta expired", "epsilon expired"]);
    expect(await names({ state: "paused" })).toEqual(["delta paused"]);
    expect(await names({ state: "revoked" })).toEqual(["gamma_1 revoked"]);
    expect(await names({ q: " ALPHA " })).toEqual(["50% alpha active", "Alpha one active"]);
    expect(await names({ q: "%" })).toEqual(["50% alpha active"]);
    expect(await names({ q: "a_1" })).toEqual(["gamma_1 revoked"]);
    expect((await names({ q: "key_" })).length).toBe(6);
    expect(await wrongWith(() => listKeys(world, { state: "gone" }))).toBe("invalid_value state");
  });

  test("the console's own key is never listed and can't be changed", async () => {
    await unrecorded(world.store).addKey(makeKey(CONSOLE_KEY), "no digest");
    expect((await listKeys(world, {})).data).toEqual([]);
    const uses = [
      () => getKey(parts(), CONSOLE_KEY),
      () => updateKey(world, CONSOLE_KEY, { name: "a" }),
      () => revokeKey(world, CONSOLE_KEY),
      () => rotateKey(world, CONSOLE_KEY, {}),
    ];
    expect(await Promise.all(uses.map(wrongWith))).toEqual(Array(4).fill("not_found"));
    expect((await world.store.key(CONSOLE_KEY))?.revokedAtMs).toBeNull();
  });

  test("unknown ids give 404", async () => {
    const uses = [
      () => getKey(parts(), "x"),
      () => updateKey(world, "x", { name: "a" }),
      () => revokeKey(world, "x"),
      () => getAccount(world, "x"),
      () => updateAccount(world, "x", { name: "a" }),
      () => getRequest(world, "x"),
    ];
    expect(await Promise.all(uses.map(wrongWith))).toEqual(Array(6).fill("not_found"));
  });

  test("paging through a list returns each key exactly once", async () => {
    const made: string[] = [];
    for (let index = 0; index < 7; index++) {
      bench().clock.atMs += index % 2;
      made.push((await createKey(world, { name: `key ${index}` })).id);
    }
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof listKeys>> = await listKeys(world, {
        limit: "3",
        ...(after === null ? {} : { after }),
      });
      expect(page.data.length).toBeLessThanOrEqual(3);
      seen.push(...page.data.map((key) => key.id));
      after = page.next;
    } while (after !== null);
    expect(seen.toSorted()).toEqual(made.toSorted());
    const whole = await listKeys(world, { limit: 7 });
    expect(whole.data.map((key) => key.id)).toEqual(seen);
    expect(whole.next).toBeNull();
    const queries = [{ limit: "0" }, { limit: "201" }, { limit: "x" }, { after: "x" }, { page: "2" }];
    expect(await Promise.all(queries.map((query) => wrongWith(() => listKeys(world, query))))).toEqual([
      "invalid_value limit",
      "invalid_value limit",
      "invalid_value limit",
      "invalid_value after",
      "unknown_parameter page",
    ]);
  });

  test("no secret or token appears in the store's files or in an error", async () => {
    const { secret } = await createKey(world, { name: "a" });
    const token = (await ensureAdminToken(world, null)) ?? "none";
    const bytes = readdirSync(bench().folder)
      .map((file) => readFileSync(join(bench().folder, file), "latin1"))
      .join();
    expect(bytes).toContain("gateway_key");
    for (const text of [secret, secret.slice(3, 40), token, token.slice(-40)])
      expect(bytes).not.toContain(text);
    const thrown = await catchThrown(authenticate(world, `${secret.slice(0, -1)}!`));
    expect(`${thrown}`).not.toContain(secret.slice(3, 12));
  });
});
