// The commands on the log: tables, JSON and CSV, with the filters of the admin API.
import { beforeEach, expect, test } from "bun:test";
import { topUpAccount } from "../../src/admin/money/topups.ts";
import { formatCsv } from "../../src/cli/log/csv.ts";
import { runExport } from "../../src/cli/log/export.ts";
import { runProviders, runRefusals, runRequests, runStatement, runUsage } from "../../src/cli/log/log.ts";
import { adminBench } from "../admin/admin-world.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { addKey, makeKey, makeRecord, NOON, writeRecord } from "../harness/samples.ts";
import { readSettings } from "../harness/settings.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { openPayments } from "../ledger/payments.ts";

const bench = adminBench();
const settings = readSettings("providers: { DeepSeek: { keys: [a] } }");
const run = (command: typeof runRequests, ...args: string[]) =>
  runPrinting((io) => command(args, io, bench().open, settings));

const REFUSAL = {
  id: "1",
  accountId: "default",
  keyId: "key_a",
  last4: null,
  shape: null,
  modelAsked: "Sim#echo",
  route: "POST /v1/chat/completions",
  address: null,
  code: "insufficient_balance",
  status: 402,
  limit: null,
  resetAtMs: null,
  atMs: NOON,
  count: 3,
};

beforeEach(async () => {
  const { store } = bench().world;
  const failed = { modelUsed: null, status: 502, faultCode: "upstream_error", usageSource: "none" } as const;
  await writeRecord(store, makeRecord("one", { address: "192.0.2.1" }));
  await writeRecord(store, makeRecord("two", { atMs: NOON + 1, keyId: "key_b", costNanoUsd: 0, ...failed }));
  const limit = { scope: "key", name: "b", kind: "budget", per: "month", limit: 0.5, used: 0.4 } as const;
  const row = { ...REFUSAL, keyId: "key_b", id: "2", code: "budget_exceeded", status: 429, limit };
  await store.refusals.add({ sums: [], counts: [REFUSAL, row] });
});

test("requests are listed newest first, narrowed by the flags", async () => {
  const { code, out } = await run(runRequests);
  expect(code).toBe(0);
  expect(out.split("\n").map((line) => line.split(/ +/).at(-1))).toEqual(["ID", "two", "one"]);
  const failed = JSON.parse((await run(runRequests, "--outcome", "failed", "--json")).out);
  expect(failed).toMatchObject([{ id: "two", provider: "Sim", error_code: "upstream_error" }]);
  const paged = await run(runRequests, "--limit", "1");
  expect(paged.err).toMatch(/^There are more; go on with --after \d+\.two$/);
  const json = await run(runRequests, "--limit", "1", "--json");
  expect([JSON.parse(json.out).length, json.err]).toEqual([1, paged.err]);
  expect((await run(runRequests, "--after", `${NOON + 1}.two`, "--key-id", "key_a")).out).toContain(
    "192.0.2.1",
  );
});

test("requests are found by the WebSocket on which they came", async () => {
  await writeRecord(bench().world.store, makeRecord("turn", { atMs: NOON + 2, socketId: "sock_1" }));
  const idsOf = async (...flags: readonly string[]) =>
    JSON.parse((await run(runRequests, ...flags, "--json")).out).map(({ id }: { id: string }) => id);
  expect(await idsOf("--transport", "ws", "--socket", "sock_1")).toEqual(["turn"]);
  expect(await idsOf("--transport", "http")).toEqual(["two", "one"]);
});

test("refusals have their limit and the way out", async () => {
  const { out } = await run(runRefusals, "--key", "key_a");
  expect(out).toMatch(/key_a +Sim#echo +insufficient_balance +402 +- +3 +- +Top up the account\.$/);
  const capped = await run(runRefusals, "--code", "budget_exceeded");
  expect(capped.out).toMatch(/ 429 +budget per month of the key: 0\.4 of 0\.5 +3 +- +Raise the budget/);
  expect(JSON.parse((await run(runRefusals, "--code", "model_not_found", "--json")).out)).toEqual([]);
});

test("usage and providers are sums by outcome", async () => {
  const range = ["--from", "2026-11-20", "--to", "2026-11-20"];
  const { out } = await run(runProviders, ...range);
  expect(out.split("\n").map((line) => line.split(/ {2,}/).slice(0, 4).join(" "))).toEqual([
    "PROVIDER OUTCOME REQUESTS ERRORS",
    "Sim answered 1 0",
    "Sim failed 1 1",
  ]);
  const csv = (await run(runUsage, ...range, "--group-by", "model,outcome", "--csv")).out;
  expect(csv.split("\r\n")[0]).toStartWith("model,outcome,requests,errors,tokens_prompt,");
});

test("usage by selector says how far its rows reach, on the screen and in a file", async () => {
  const remark = "nothing before 2026-10-21T12:00:00.000Z is in them";
  const table = await run(runUsage, "--group-by", "selector,member", "--status", "502");
  expect(table.out.split("\n").map((line) => line.split(/ {2,}/).slice(0, 4).join(" "))).toEqual([
    "SELECTOR MEMBER REQUESTS ERRORS",
    "- - 1 1",
  ]);
  expect(table.err).toContain(remark);
  const file = await run(runExport, "usage", "--group-by", "selector", "--selector", "fair");
  expect([file.code, file.err]).toEqual([0, expect.stringContaining(remark)]);
  expect((await run(runUsage, "--group-by", "model")).err).toBe("");
});

test("a wrong filter is refused by its flag", async () => {
  const { code, err } = await run(runRequests, "--outcome", "lost");
  expect([code, err.split("\n")[0]]).toEqual([2, expect.stringContaining("--outcome")]);
  expect(err).toEndWith("\nSee poundkey requests --help.");
  const wrongGroup = await run(runUsage, "--group-by", "week");
  expect([wrongGroup.code, wrongGroup.err]).toEqual([
    2,
    expect.stringContaining("Invalid --group-by: expected"),
  ]);
});

test("a provider is found in any case, a key by its name, and what nothing has is refused", async () => {
  const { store } = bench().world;
  await unrecorded(store).addKey(makeKey("key_c", { name: "first" }), "digest of key_c");
  await writeRecord(store, makeRecord("three", { keyId: "key_c" }));
  for (const command of [runRequests, runUsage]) {
    const found = await run(command, "--provider", "sim", "--key", "first", "--from", "2026-11-20", "--json");
    expect([found.code, JSON.parse(found.out).length]).toEqual([0, 1]);
    const wrong = await run(command, "--provider", "DepSeek");
    expect([wrong.code, wrong.err.split("\n")[0]]).toEqual([
      2,
      expect.stringMatching(
        /: Invalid --provider: there is no provider of this name; the nearest name is DeepSeek\.$/,
      ),
    ]);
  }
  expect((await run(runRequests, "--key", "nobody")).err).toContain(
    "Invalid --key: expected the id of a key",
  );
  expect((await run(runExport, "requests", "--key", "second")).code).toBe(2);
  expect((await run(runExport, "requests", "--key", "first", "--csv")).out.split("\r\n")).toHaveLength(2);
});

test("tables name keys, and are no wider than the terminal", async () => {
  const { store } = bench().world;
  const name = "the key of the assistant in the web shop";
  await unrecorded(store).addKey(makeKey("key_z", { name }), "digest of key_z");
  await writeRecord(store, makeRecord("three", { keyId: "key_z", atMs: NOON + 3 }));
  expect((await run(runUsage, "--group-by", "key", "--from", "2026-11-20")).out).toContain(name);
  expect((await run(runRequests)).out).toContain(name);
  for (const width of [80, 120]) {
    const { out } = await runPrinting((io) => runRequests([], { ...io, width }, bench().open, settings));
    const widths = out.split("\n").map((line) => line.length);
    expect([width, Math.max(...widths) <= width]).toEqual([width, true]);
    expect(out).toContain(name);
    // No digit of an amount is missing: a column of numbers is whole, or left out.
    expect(out).not.toMatch(/ \d[\d.]*…/);
  }
});

test("tables have colours on a terminal alone", async () => {
  const show = (isColored: boolean) =>
    runPrinting((io) => runRequests([], { ...io, width: 200, isColored }, bench().open, settings));
  const { out } = await show(true);
  expect(out).toStartWith("\x1b[1mAT\x1b[0m");
  expect(out).toContain(" \x1b[31mfailed\x1b[0m");
  expect((await show(false)).out).not.toContain("\x1b");
});

test("words for times are whole days, weeks and months of the gateway's time zone", async () => {
  const { store } = bench().world;
  await writeRecord(store, makeRecord("october", { atMs: Date.parse("2026-10-31T22:30:00Z") }));
  const idsIn = async (yaml: string, ...flags: readonly string[]) => {
    const given = readSettings(yaml);
    const { out } = await runPrinting((io) => runRequests([...flags, "--json"], io, bench().open, given));
    return JSON.parse(out).map(({ id }: { id: string }) => id);
  };
  expect(await idsIn("", "--from", "today")).toEqual(["two", "one"]);
  expect(await idsIn("", "--from", "yesterday", "--to", "yesterday")).toEqual([]);
  expect(await idsIn("", "--from", "-7d")).toEqual(["two", "one"]);
  expect(await idsIn("", "--from=-3w")).toEqual(["two", "one", "october"]);
  expect(await idsIn("", "--to", "last-month")).toEqual(["october"]);
  // In Kolkata it is November by then.
  expect(await idsIn("quota: { time_zone: Asia/Kolkata }", "--to", "last-month")).toEqual([]);
  const wrong = await run(runRequests, "--from", "tomorrow");
  expect([wrong.code, wrong.err]).toEqual([
    2,
    expect.stringMatching(/--from must be .*yesterday.*'tomorrow'/),
  ]);
  expect((await run(runStatement)).out).toContain("\nKIND");
});

test("CSV quotes cells, and no text is a formula", () => {
  const rows = [
    { name: '=1+"a"', cost: -2, none: null, at: { x: "a,b" } },
    { name: "plain", cost: 0 },
  ];
  expect(formatCsv(rows)).toBe(`name,cost,none,at_x\r\n"'=1+""a""",-2,,"a,b"\r\nplain,0,,`);
});

test("a statement has the sums and lines of a month", async () => {
  const { world } = bench();
  await topUpAccount(world, "default", { amount_usd: 2 }, null);
  const payments = openPayments(world.store);
  const key = await addKey(world.store, "key_paying");
  await payments.post(await payments.hold("done", key, 500_000_000), 200_000_000);
  await payments.hold("running", key, 250_000_000);
  const month = ["--account", "default", "--month", "2026-11"];
  const { code, out, err } = await run(runStatement, ...month);
  expect({ code, err }).toEqual({ code: 0, err: "The month isn't closed yet." });
  const lines = out.split("\n").map((line) => line.replace(/ +/g, " ").trim());
  expect(lines.slice(0, 6)).toEqual([
    "default (default), 2026-11",
    "KIND NAME COST USD AMOUNT USD",
    "opening_balance - - 0",
    "topups - - 2",
    "charges - 0.2000015 0.2",
    "adjustments - - 0",
  ]);
  expect(lines).toContain("closing_balance - - 1.8");
  expect(lines).toContain("model Sim#echo 0.2000015 0.2");
  const csv = await run(runStatement, ...month, "--csv");
  expect(csv.out.split("\r\n")[3]).toBe("charges,,,0.2000015,0.2");
});

test("whole lists are exported, on record, with the filters of the admin API", async () => {
  const { store } = bench().world;
  const { code, out } = await run(runExport, "requests");
  expect([code, out.split("\r\n").map((line) => line.split(",")[0])]).toEqual([0, ["id", "two", "one"]]);
  const lines = (await run(runExport, "requests", "--outcome", "failed", "--json")).out.split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ id: "two", account_name: "default" }]);
  expect((await run(runExport, "journal", "--to", "2020-01-01")).out).toStartWith("id,at,kind,");
  const usage = (await run(runExport, "usage", "--from", "2026-11-01", "--to", "2026-11-30")).out;
  expect(usage.split("\r\n").map((line) => line.split(",")[0])).toEqual(["day", "2026-11-20"]);
  const sums = (await run(runExport, "usage", "--from", "2026-11-01", "--to", "2026-11-30", "--json")).out;
  expect(sums.split("\n").map((line) => JSON.parse(line))).toMatchObject([{ day: "2026-11-20" }]);
  expect((await run(runExport, "prompts")).code).toBe(2);
  expect((await run(runExport, "requests", "--csv")).out).toBe(out);
  for (const wrong of [
    ["--group-by", "moon"],
    ["--month", "2026-11"],
  ]) {
    const { code, err } = await run(runExport, "usage", ...wrong);
    expect([code, err]).toEqual([2, expect.stringMatching(/^poundkey export: .*--(group-by|month)/)]);
    expect(err).toEndWith("\nSee poundkey export --help.");
  }
  const help = (await run(runExport, "usage", "--help")).out.split("\n");
  expect(help[0]).toBe("usage: poundkey export usage [filters] [--csv | --json]");
  expect(help).toContainEqual(expect.stringMatching(/^ {2}usage +--group-by --key /));
  const exported = ((await store.auditLog.chain(10)) ?? []).map(({ targetId }) => targetId);
  expect(exported.toSorted()).toEqual([
    "journal.csv",
    "requests.csv",
    "requests.csv",
    "requests.jsonl",
    "usage.csv",
    "usage.jsonl",
  ]);
});

test("CSV is a form like any other, and excludes JSON", async () => {
  for (const args of [["requests"], ["journal"]])
    expect((await run(runExport, ...args, "--csv", "--json")).err).toStartWith(
      "poundkey export: --json and --csv exclude each other",
    );
  expect((await run(runUsage, "--csv", "--json")).code).toBe(2);
});
