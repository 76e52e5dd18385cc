// Tables of commands on narrow terminals: columns give way in a stated order, names and amounts stay whole, and what is empty says so.
import { expect, test } from "bun:test";
import { runKeys } from "../../../src/cli/keys/keys.ts";
import { runRequests, runStatement, runUsage } from "../../../src/cli/log/log.ts";
import { runBatches } from "../../../src/cli/models/batches.ts";
import { runFiles } from "../../../src/cli/models/files.ts";
import { runAccounts } from "../../../src/cli/money/accounts.ts";
import { runMembers } from "../../../src/cli/people/members.ts";
import { runTokens } from "../../../src/cli/people/tokens.ts";
import { roundUsd } from "../../../src/cli/round-usd.ts";
import { formatTable } from "../../../src/cli/table.ts";
import { adminBench } from "../../admin/admin-world.ts";
import { runPrinting } from "../../harness/poundkey.ts";
import { makeKey, makeRecord, writeRecord } from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";
import { unrecorded } from "../../harness/unrecorded.ts";

const bench = adminBench();
const settings = readSettings("providers: { DeepSeek: { keys: [a] } }");
type Command = typeof runKeys;
const run = (command: Command, args: readonly string[], width?: number) =>
  runPrinting((io) => command(args, { ...io, width }, bench().open, settings));

const headOf = (text: string) => (text.split("\n")[0] ?? "").trim().split(/ {2,}/);
const widest = (text: string) => Math.max(...text.split("\n").map((line) => Bun.stringWidth(line)));

const NAME = "evaluation-of-models-nightly-63";

test("a key's name stays whole, columns give way in their order, and --wide shows all with exact amounts", async () => {
  const { store } = bench().world;
  await unrecorded(store).addKey(makeKey("key_long", { name: NAME }), "digest of key_long");
  await writeRecord(store, makeRecord("one", { keyId: "key_long", costNanoUsd: 54_322_448_546 }));
  const whole = headOf((await run(runKeys, ["list"], 200)).out);
  expect(whole).toEqual(expect.arrayContaining(["NAME", "ENDS IN", "FREE LEFT", "COST USD", "EXPIRES"]));
  const left: (readonly string[])[] = [];
  for (const width of [130, 100, 80, 60, 44]) {
    const { out } = await run(runKeys, ["list"], width);
    expect([width, widest(out) <= width, out.includes(NAME)]).toEqual([width, true, true]);
    left.push(whole.filter((head) => !headOf(out).includes(head)));
  }
  const order = ["EXPIRES", "ENDS IN", "REQUESTS", "FREE LEFT", "ACCOUNT", "LAST USED", "COST USD", "ID"];
  expect(left.map((heads) => heads.length)).toEqual(
    [...left.map((heads) => heads.length)].sort((a, b) => a - b),
  );
  for (const heads of left) expect(heads.toSorted()).toEqual(order.slice(0, heads.length).toSorted());
  expect((await run(runKeys, ["list"], 100)).out).toMatch(/ 54\.32 /);
  const wide = await run(runKeys, ["list", "--wide"], 60);
  expect([headOf(wide.out), wide.out]).toEqual([whole, expect.stringMatching(/ 54\.322448546 /)]);
});

test("times lose their fractions, then their seconds, before a column gives way", () => {
  const rows = [
    ["NAME", "AT", "STATE"],
    ["one", "2026-11-28T10:15:30.000Z", "active"],
  ];
  const show = (width: number) => formatTable(rows, { width }, { giveWay: ["AT"] }).split("\n")[1];
  expect([38, 33, 30, 29].map(show)).toEqual([
    "one   2026-11-28T10:15:30.000Z  active",
    "one   2026-11-28 10:15:30  active",
    "one   2026-11-28 10:15  active",
    "one   active",
  ]);
});

test("amounts are rounded to what people read, and stand to the right", () => {
  const amounts = ["54.322448546", "0.000012", "-3.5", "0", "0.0042", "1234567.891", "-"];
  expect(amounts.map(roundUsd)).toEqual(["54.32", "0.000012", "-3.50", "0.00", "0.0042", "1234567.89", "-"]);
  const rows = [
    ["NAME", "COST USD", "MS"],
    ...amounts.map((amount, at) => [`n${at}`, amount, String(10 ** at)]),
  ];
  const shown = formatTable(rows, { width: 80 }).split("\n");
  const ends = shown.map((line) => line.length);
  expect(new Set(ends).size).toBe(1);
  const cents = shown.slice(1).map((line) => line.slice(0, -"MS".length - 2 - 5).length);
  expect(new Set(cents).size).toBe(1);
  // A program that reads the output gets every digit.
  expect(formatTable(rows)).toContain("54.322448546");
});

test("columns stand below each other behind Chinese names, and a name that is cut keeps whole letters", () => {
  const rows = [
    ["NAME", "STATE"],
    ["数据平台团队的密钥", "active"],
    ["plain", "active"],
  ];
  const starts = formatTable(rows, { width: 80 })
    .split("\n")
    .map((line) => Bun.stringWidth(line.slice(0, Math.max(line.indexOf("active"), line.indexOf("STATE")))));
  expect(new Set(starts)).toEqual(new Set([20]));
  const cut = formatTable(rows, { width: 19 });
  expect(widest(cut)).toBeLessThanOrEqual(19);
  expect(cut).toMatch(/^数据…/m);
});

test("an empty list says so instead of printing a bare head", async () => {
  const lists: readonly (readonly [Command, readonly string[], RegExp])[] = [
    [runKeys, ["list"], /no keys/],
    [runTokens, ["list"], /no named tokens/],
    [runMembers, ["list"], /Nobody/],
    [runBatches, ["list"], /no batches/],
    [runFiles, ["list"], /no files/],
    [runRequests, [], /No requests/],
    [runUsage, [], /No requests/],
  ];
  for (const [command, args, says] of lists) {
    const { code, out, err } = await run(command, args, 80);
    expect([args, code, out, err]).toEqual([args, 0, "", expect.stringMatching(says)]);
    expect(JSON.parse((await run(command, [...args, "--json"])).out)).toEqual([]);
  }
  expect((await run(runAccounts, ["list"], 80)).out).toContain("default");
});

test("a statement says whose it is and of which month", async () => {
  expect((await run(runStatement, [])).out).toStartWith("default (default), 2026-10\nKIND");
  expect(JSON.parse((await run(runStatement, ["--json"])).out)[0]).toMatchObject({ kind: "opening_balance" });
});
