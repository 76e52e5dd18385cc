// The sums by tag as the ledger decides them, and tags as text.
import { expect, test } from "bun:test";
import { formatTags, parseTags, readTagsText } from "../../src/core/fields/tags-text.ts";
import type { RequestRecord } from "../../src/core/log/record.ts";
import { addOwners, findTagDay } from "../../src/core/log/tags.ts";
import { makeTagDayId } from "../../src/core/rows.ts";
import { UsageSums } from "../../src/ledger/usage-sums.ts";
import { makeRecord, NOON } from "../harness/samples.ts";
import { Dice } from "../sim/dice.ts";

const MONTH = "2026-11";
const DAY_MS = findTagDay(NOON);

function openSums(stored: readonly string[]) {
  const sums = new UsageSums();
  return { sums, stored: new Map([[makeTagDayId("default", DAY_MS), new Set(stored)]]) };
}

function add(
  { sums, stored }: ReturnType<typeof openSums>,
  tags: string | null,
  fields: Partial<RequestRecord> = {},
  times: 1 | -1 = 1,
): void {
  sums.add(makeRecord("any", { tags, ...fields }), MONTH, times, stored);
}

const list = (rows: readonly { readonly tag: string; readonly requests: number }[]) =>
  rows.map(({ tag, requests }) => `${tag} ${requests}`.trim());

test("the day's first 500 tags are summed alone, and a request with several others once", () => {
  const sums = openSums(Array.from({ length: 499 }, (_, at) => `user=${at}`));
  add(sums, "new=a,new=b,new=c,user=7");
  add(sums, "new=a");
  add(sums, "new=c", { atMs: NOON + 86_400_000 });
  const { tagUsage, tagsOfDays, usage } = sums.sums;
  expect(list(tagUsage)).toEqual(["new=a 2", "other 1", "user=7 1", "new=c 1"]);
  expect(tagsOfDays.map(({ tag, dayMs }) => [tag, (dayMs - DAY_MS) / 86_400_000])).toEqual([
    ["new=a", 0],
    ["new=c", 1],
  ]);
  expect(list(usage)).toEqual(["tagged 2", "tagged 1"]);
});

test("what is taken back is what was counted, and requests without tags have none", () => {
  const sums = openSums(["team=a"]);
  add(sums, "team=a,team=b", { ended: "lost" });
  add(sums, null);
  add(sums, "team=a,team=b", { ended: "lost" }, -1);
  const { tagUsage, usage, tagsOfDays } = sums.sums;
  expect(list(tagUsage)).toEqual(["team=a 0", "team=b 0"]);
  expect(list(usage)).toEqual(["tagged 0", "1"]);
  expect(tagsOfDays.map(({ tag }) => tag)).toEqual(["team=b"]);
});

test("tags are read from the text that they are written as", () => {
  const dice = new Dice(8);
  const pick = (letters: string, most: number) =>
    Array.from({ length: dice.int(1, most) }, () => letters[dice.int(0, letters.length - 1)]).join("");
  for (let times = 0; times < 500; times++) {
    const names = new Set(Array.from({ length: dice.int(1, 8) }, () => pick("abXY09_.:/-".slice(0, 6), 20)));
    const tags = Object.fromEntries([...names].map((name) => [name, pick("abz09=\"';&%+~!@", 40)]));
    const text = formatTags(tags);
    expect([readTagsText(text), parseTags(text)]).toEqual([tags, tags]);
    expect(formatTags(Object.fromEntries(Object.entries(tags).reverse()))).toBe(text);
  }
  expect(addOwners("env=prod,team=mine", { team: "a" })).toBe("env=prod,team=a");
  expect([addOwners(null, { team: "a" }), addOwners("team=mine", undefined)]).toEqual([
    "team=a",
    "team=mine",
  ]);
});
