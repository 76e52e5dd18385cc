// The encoders made from tables write what each column's own function writes.
import { expect, test } from "bun:test";
import type { Entry } from "../../src/core/books/journal.ts";
import type { GatewayKey } from "../../src/core/keys/key.ts";
import type { KeptReply } from "../../src/core/log/kept.ts";
import type { CallSum } from "../../src/core/log/provider-call.ts";
import type { FirstTokenSum, UsageSum } from "../../src/core/log/usage-sum.ts";
import { NO_AMOUNTS } from "../../src/core/money/units.ts";
import { type Hold, makeOwnerState } from "../../src/core/rows.ts";
import { makeMeter } from "../../src/ledger/allowance.ts";
import type { Value } from "../../src/store/columns/found.ts";
import { CALL_SUM, FIRST_TOKEN, omitWork, REQUEST, USAGE } from "../../src/store/schema/log-tables.ts";
import {
  ACCOUNT,
  ACCOUNT_STATE,
  ENTRY,
  HOLD,
  KEY,
  METER,
  OWNER,
  REPLY,
  SPEND,
  type TablePart,
} from "../../src/store/schema/tables.ts";
import { makeAccount, makeKey, makePlace, makeRecord } from "../harness/samples.ts";
import { Dice } from "../sim/dice.ts";

const OF = { accountId: "acc", keyId: "key", operation: "chat", surface: "openai-chat" };
const AMOUNTS = { ...NO_AMOUNTS, prompt: 10, cached: 3, completion: 20, images: 2, pages: 1 };
const HEAD = {
  requestId: "req",
  modelAsked: "Sim#echo",
  modelPlanned: "Sim#echo",
  selector: "best",
  stream: true,
};
const HOUR = { ...OF, hourMs: 3_600_000, model: "Sim#echo", requests: 2 };
const BUDGET = {
  name: "month",
  rules: "UTC 0 monday",
  startMs: 5,
  endMs: 9,
  spentNanoUsd: 70,
  heldNanoUsd: 0,
  limitNanoUsd: 100,
  warned: [0.5],
  extraUsedNanoUsd: 0,
  extraUntilMs: null,
};
const MINUTE = { part: 7, requests: [1], tokens: [2], parallel: 1, tookMs: 4 };
const hold: Hold = {
  ...OF,
  ...HEAD,
  id: "chatcmpl-1",
  node: "node",
  atMs: 1.5,
  place: makePlace("allowance", { places: 1 }),
  nanoUsd: 7,
  replyId: "reply",
};
const entry: Entry = {
  accountId: "acc",
  seq: 3,
  atMs: 2.5,
  kind: "post",
  balanceNanoUsd: 1,
  heldNanoUsd: -3,
  fundingNanoUsd: 0,
  revenueNanoUsd: 2,
  overrunNanoUsd: 0,
  balanceAfterNanoUsd: 8,
  heldAfterNanoUsd: 9,
  requestId: "chatcmpl-1",
  usageSource: "provider",
  ended: "done",
  note: 'it\'s "quoted"',
};
const money = { costNanoUsd: 5, markupNanoUsd: 2, chargedNanoUsd: 4, savedNanoUsd: 3 };
const sums = { errors: 1, amounts: AMOUNTS, cached: 1, ...money };
const usage: UsageSum = {
  ...HOUR,
  ...sums,
  member: "m",
  provider: "Sim",
  outcome: "answered",
  tag: "team=a",
};
const counts = { calls: 1, amounts: AMOUNTS, costNanoUsd: 5, estimatedNanoUsd: 4, reportedNanoUsd: 3 };
const calls: CallSum = {
  accountId: "acc",
  dayMs: 1,
  model: "Sim#echo",
  credential: "…1",
  kind: "hedge",
  ...counts,
};
const first: FirstTokenSum = { ...HOUR, bucket: 4 };
const reply: KeptReply = {
  accountId: "acc",
  id: "reply",
  bodyDigest: "digest",
  requestId: "chatcmpl-1",
  atMs: 3.5,
  state: "kept",
  sealed: "sealed",
};
const key: GatewayKey = makeKey("key", {
  memberId: "m",
  expiresAtMs: 5,
  tags: { team: "a" },
  requestsPerMinute: 3,
});
const meter = makeMeter({ accountId: "acc", owner: "key", day: "2026-11-20", lastAtMs: 8.25 });

/** Returns rows that have some of the fields of each, and other numbers and flags. */
function vary<Row extends object>(dice: Dice, rows: readonly Row[]): readonly Row[] {
  return Array.from({ length: 200 }, () => {
    const row = { ...dice.pick(rows) };
    for (const field in row) {
      const other = dice.pick(rows);
      if (field in other) row[field] = other[field];
      const value: unknown = row[field];
      if (typeof value === "number") Reflect.set(row, field, value + dice.next() * 10);
      if (typeof value === "boolean") Reflect.set(row, field, dice.chance(0.5));
    }
    return row;
  });
}

function check<Row extends object>(table: TablePart<Row>, rows: readonly Row[]): void {
  const dice = new Dice(7);
  const varied = vary(dice, rows);
  const expected = varied.map((row) => table.writers.map((write) => write(row)));
  const appended: Value[] = [];
  const lists = table.columns.map((): Value[] => []);
  for (const row of varied) {
    table.append(row, appended);
    table.spread(row, lists);
  }
  expect(varied.map(table.valuesOf)).toEqual(expected);
  expect(appended).toEqual(expected.flat());
  expect(lists).toEqual(table.columns.map((_, column) => expected.map((values) => values[column] ?? null)));
}

test("each table's encoder writes a row as its columns do", () => {
  const record = makeRecord("chatcmpl-1", {
    amounts: AMOUNTS,
    tags: "team=a",
    selector: "best",
    trace: "{}",
  });
  const records = [record, makeRecord("chatcmpl-2", { firstTokenMs: null, modelUsed: null, status: 500 })];
  const plain = makeOwnerState("acc", "key");
  check(REQUEST, records);
  check(omitWork(REQUEST), records);
  check(USAGE, [usage, { ...usage, edge: { costNanoUsd: 1, chargedNanoUsd: 2 } }]);
  check(CALL_SUM, [calls]);
  check(FIRST_TOKEN, [first]);
  check(HOLD, [hold, { ...hold, modelPlanned: null, selector: null, replyId: null }]);
  check(ENTRY, [
    entry,
    { ...entry, heldAfterNanoUsd: null, requestId: null, usageSource: null, ended: null, note: null },
  ]);
  check(OWNER, [plain, { ...plain, taken: { atMs: 4, by: "c" }, minute: MINUTE, budgets: [BUDGET] }]);
  check(METER, [meter]);
  check(SPEND, [{ accountId: "acc", keyId: "key", spentNanoUsd: 3, heldNanoUsd: 4 }]);
  check(REPLY, [reply, { ...reply, sealed: null }]);
  check(KEY, [key, makeKey("key_2")]);
  check(ACCOUNT, [makeAccount("acc", { pausedBy: ["operator"], closingAtMs: 4 }), makeAccount("other")]);
  check(ACCOUNT_STATE, [makeAccount("acc"), makeAccount("other", { pausedBy: ["dispute"], closedAtMs: 3 })]);
});
