// The operator's use-cases on a real store: accounts, the request log, the admin token, and the key holder's view.
import { beforeEach, describe, expect, test } from "bun:test";
import { holderView } from "../../src/admin/keys/holder.ts";
import { getRequest } from "../../src/admin/log/requests.ts";
import { proveToken } from "../../src/admin/people/session.ts";
import { ensureAdminToken, resetAdminToken } from "../../src/admin/people/token.ts";
import { TOOL_RIGHTS } from "../../src/core/tools/rights.ts";
import { authenticate } from "../../src/keys/authenticate.ts";
import { HOUR, makeAsk, makeRecord, NOON, QUOTA, writeRecord } from "../harness/samples.ts";
import { createAccount, createKey, listAccounts, listRequests, updateAccount } from "./admin-asked.ts";
import { adminBench, type TestWorld, wrongWith } from "./admin-world.ts";

const bench = adminBench();
let world: TestWorld;
beforeEach(() => {
  ({ world } = bench());
});

test("accounts can be created, renamed and listed beside the default one", async () => {
  bench().clock.atMs = Date.now() + HOUR;
  const account = await createAccount(world, { name: "Team" });
  expect(account.id).toMatch(/^acct_/);
  expect(account).toMatchObject({ name: "Team", balance_usd: 0, held_usd: 0 });
  expect(await updateAccount(world, account.id, { name: "Crew" })).toEqual({ ...account, name: "Crew" });
  expect(await updateAccount(world, account.id, {})).toEqual({ ...account, name: "Crew" });
  expect((await listAccounts(world, {})).data.map((one) => one.name)).toEqual(["Crew", "default"]);
  expect(await wrongWith(() => createAccount(world, { name: "x", balance_usd: 5 }))).toBe(
    "unknown_parameter balance_usd",
  );
});

test("the request log can be listed, filtered and paged", async () => {
  for (let index = 0; index < 3; index++) {
    await writeRecord(
      world.store,
      makeRecord(`chatcmpl-${index}`, { atMs: NOON + index, status: 200 + index }),
    );
  }
  const asking = { ...world, dayRules: () => QUOTA };
  const first = await listRequests(asking, { limit: "2" });
  expect(first.data.map((request) => request.id)).toEqual(["chatcmpl-2", "chatcmpl-1"]);
  const rest = await listRequests(asking, { after: first.next ?? "" });
  expect(rest).toMatchObject({ data: [{ id: "chatcmpl-0" }], next: null });
  expect((await listRequests(asking, { status: "201", key_id: "key_a" })).data.length).toBe(1);
  expect((await listRequests(asking, { model: "Sim#none" })).data).toEqual([]);
  expect(await getRequest(world, "chatcmpl-0")).toEqual({
    id: "chatcmpl-0",
    request_id: "req-chatcmpl-0",
    key_id: "key_a",
    account_id: "default",
    at: "2026-11-20T12:00:00.000Z",
    operation: "chat",
    surface: "openai-chat",
    model_asked: "Sim#echo",
    model_tried: "Sim#echo",
    model_used: "Sim#echo",
    selector: null,
    decision: null,
    attempts: 1,
    stream: false,
    status: 200,
    error_code: null,
    tokens: { prompt: 10, completion: 20, cached: 3, cache_write: 0, reasoning: 5, searches: 0 },
    units: { images: 0, seconds: 0, characters: 0, search_units: 0, pages: 0 },
    cost_usd: 0.0000015,
    provider_cost_usd: 0.0000015,
    claimed_cost_usd: null,
    mended: [],
    reasoning_removed: [],
    cache_marked: null,
    moved: null,
    charged_usd: 0,
    hold_usd: 0,
    usage_source: "provider",
    ended: "done",
    late: false,
    total_ms: 12,
    first_token_ms: 7,
    outcome: "answered",
    provider: "Sim",
    address: null,
    session: null,
    trace_id: null,
    parent_trace_id: null,
    member_id: null,
    cached_from: null,
    transport: "http",
    socket_id: null,
    compaction: false,
    server: null,
    tool: null,
    tool_error: null,
    argument_bytes: null,
    result_bytes: null,
    response_id: null,
    constraints: [],
    guard: [],
    price_source: null,
    like: null,
    saved_usd: 0,
    tags: null,
    batch_id: null,
    batch_line: null,
    custom_id: null,
    timeline: null,
    cost: null,
    hook_cost_usd: 0,
    usage_implausible: null,
    unpriced: [],
    served: [],
    unknown_finish_reasons: [],
    mends: [],
    price_id: null,
    price: null,
    error: null,
    content: null,
  });
});

test("key holders see their allowance, limits and spending", async () => {
  const { secret } = await createKey(world, { name: "a", spend_limit_usd: 9, allowed_models: ["Sim#echo"] });
  const { key } = await authenticate(world, secret);
  const { ledger } = bench();
  await ledger.admit(ledger.ticket(makeAsk("1", key)));
  const spent = { keyId: key.id, chargedNanoUsd: 2_000_000_000 };
  await writeRecord(world.store, makeRecord("old", { ...spent, atMs: NOON - 24 * HOUR }));
  await writeRecord(world.store, makeRecord("older", { ...spent, atMs: NOON - 30 * 24 * HOUR }));
  await writeRecord(world.store, makeRecord("now", spent));
  expect(
    await holderView({ ...bench(), store: world.store, quota: () => QUOTA, tools: () => TOOL_RIGHTS }, key),
  ).toEqual({
    id: key.id,
    name: "a",
    account_id: "default",
    last4: secret.slice(-4),
    allowance: {
      limit: 200,
      used: 1,
      remaining: 199,
      resets_at: "2026-11-21T00:00:00.000Z",
      next_slot_at: null,
      paid_by_balance: false,
    },
    balance_usd: 0,
    spend_limit_usd: 9,
    spent_usd: { today: 2, month: 4, total: 6 },
    cost_usd: { today: 2, month: 4, total: 6 },
    limits: [
      {
        scope: "key",
        kind: "budget",
        per: "total",
        limit: 9,
        used: 6,
        reserved: 0,
        remaining: 3,
        resets_at: null,
      },
    ],
    allowed_models: ["Sim#echo"],
    allowed_tools: null,
    expires_at: null,
    paused: false,
  });
});

describe("the admin token", () => {
  test("is generated if none is configured, and a reset invalidates the previous one", async () => {
    const made = await ensureAdminToken(world, null);
    const none = await ensureAdminToken(world, null);
    if (made === null) throw new Error("no token");
    expect(none).toBeNull();
    expect(await proveToken(world, null, made)).not.toBeNull();
    for (const wrong of ["", `${made} `, made.slice(0, -1)]) {
      expect(await proveToken(world, null, wrong)).toBeNull();
    }
    const next = await resetAdminToken(world);
    expect(await proveToken(world, null, made)).toBeNull();
    expect(await proveToken(world, null, next)).not.toBeNull();
  });

  test("from the configuration is the only valid one", async () => {
    expect(await ensureAdminToken(world, "configured")).toBeNull();
    const made = await resetAdminToken(world);
    expect(await proveToken(world, "configured", "configured")).not.toBeNull();
    expect(await proveToken(world, "configured", made)).toBeNull();
  });

  test("matches nothing until it exists", async () => {
    expect(await proveToken(world, null, "")).toBeNull();
  });

  test("is printed by one of several processes starting at once, and that one works", async () => {
    const other = await bench().open();
    const tokens = await Promise.all([ensureAdminToken(world, null), ensureAdminToken(other, null)]);
    const shown = tokens.filter((token) => token !== null);
    expect(shown.length).toBe(1);
    expect(await proveToken(world, null, shown[0] ?? "")).not.toBeNull();
    await other.store.close();
  });
});
