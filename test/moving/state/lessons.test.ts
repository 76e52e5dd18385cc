// Lessons on refusals in a state file: exported by one gateway, and known to another that applies it.
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { RefusalLesson } from "../../../src/core/models/learned/refusal-lesson.ts";
import type { Store } from "../../../src/core/store.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { NOON } from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { applyText, exportText, makeWorld, planText } from "./applying.ts";

const TIMES = { firstSeenAtMs: 1, seenAtMs: 2, triedAtMs: 1, confirmedAtMs: 2 };
const CONDITION = { all: ["seed", "top_p"], some: ["seed", "stop", "top_p"] };
const PLACE = { model: "House#m", host: "192.0.2.7:8080" };

let store: Store;
let other: Store;
beforeEach(async () => {
  store = await openSqliteStore({ path: ":memory:", decide });
  other = await openSqliteStore({ path: ":memory:", decide });
  const met = { word: "top_p", sharedAtMs: 2, payers: ["ann", "ben"], conditions: [CONDITION] };
  const shared: RefusalLesson = { ...PLACE, ...TIMES, ...met };
  await store.refusalLessons.add(shared);
  await store.refusalLessons.add({ ...shared, word: "top_k", sharedAtMs: null, payers: ["ann"] });
});
afterEach(async () => {
  await store.close();
  await other.close();
});

test("those of everybody go from one gateway to another, on record and without their payers", async () => {
  const text = await exportText(makeWorld(store));
  expect(text).toContain("lessons:\n  - model: House#m\n    host: 192.0.2.7:8080\n    refuses: top_p");
  expect(text).not.toMatch(/top_k|ann/);
  const world = makeWorld(other);
  const { made } = await applyText(world, text);
  expect(made.map(({ kind, name, action }) => [kind, name, action])).toContainEqual([
    "lesson",
    "House#m top_p",
    "model.changed",
  ]);
  const times = { seenAtMs: NOON, triedAtMs: NOON, sharedAtMs: NOON, confirmedAtMs: NOON };
  expect(await other.refusalLessons.list()).toMatchObject([
    { ...PLACE, ...times, word: "top_p", payers: [], conditions: [CONDITION] },
  ]);
  while ((await other.auditLog.chain(500)) !== null);
  const rows = await other.auditLog.rows({ accountIds: null }, { limit: 10, before: null });
  expect(rows).toContainEqual(expect.objectContaining({ action: "model.changed", targetId: "House#m" }));
  expect([await exportText(world), (await planText(world, text)).changes]).toEqual([text, []]);
});

test("one that is known for some counts for everybody then, and one that the file lacks stays", async () => {
  const world = makeWorld(store);
  const lessons = [{ ...PLACE, refuses: "top_k" }];
  await applyText(world, JSON.stringify({ lessons }));
  const known = await store.refusalLessons.list();
  expect(known.map(({ word, sharedAtMs, payers }) => [word, sharedAtMs, payers.length])).toEqual([
    ["top_k", NOON, 1],
    ["top_p", 2, 2],
  ]);
});

test("a word that there isn't is refused at its place", async () => {
  for (const refuses of ["temprature", "-top_p"]) {
    const lessons = [{ ...PLACE, refuses }];
    const thrown = await catchThrown(planText(makeWorld(other), JSON.stringify({ lessons })));
    expect(String(thrown)).toContain("expected a word for what a model refuses");
    expect(String(thrown)).toContain('["lessons",0,"refuses"]');
  }
});
