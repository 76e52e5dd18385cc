// Lessons for the selectors and stored decisions, on every store.
import { expect, test } from "bun:test";
import type { Store } from "../../../src/core/store.ts";
import { makeAccount, makeRecord, NOON, writeRecord } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeLessonRow } from "../../learning/lesson-samples.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

type Opened = () => TwoStores;

export const lessonsSuite = makeSuite({
  lessons: lessons,
  "the order of lessons": order,
  "deleted lessons": forgotten,
  "signals and judgments": signals,
  "an account's bound": bound,
  "pruned lessons": pruned,
  labels: labels,
  decisions: decisions,
});

async function idsIn(store: Store, fromMs = 0, most = 100): Promise<readonly string[]> {
  return (await store.lessons(fromMs, most)).map(({ id }) => id);
}

function lessons(opened: Opened): void {
  test("one is stored with every field, and the other node reads it", async () => {
    const { store, other } = opened();
    const lesson = makeLessonRow("1", { atMs: NOON + 7, score: 1 / 3, weight: 1 / 7, expected: 2 / 7 });
    expect(await store.teach(lesson)).toBe(1);
    expect(await other.lessons(0, 10)).toEqual([lesson]);
  });

  test.each([0, 1])("a score of %d is kept exactly", async (score) => {
    const { store } = opened();
    await store.teach(makeLessonRow("1", { score, expected: 1 - score }));
    expect(await store.lessons(0, 10)).toMatchObject([{ marks: [{ score, expected: 1 - score }] }]);
  });

  test("each is stored once: the first score wins, on every node", async () => {
    const { store, other } = opened();
    expect(await store.teach(makeLessonRow("1", { score: 0.25 }))).toBe(1);
    expect(await store.teach(makeLessonRow("1", { score: 1, model: "Sim#other" }))).toBe(0);
    expect(await other.teach(makeLessonRow("1", { score: 0, atMs: NOON + 1 }))).toBe(0);
    expect(await store.lessons(0, 10)).toEqual([makeLessonRow("1", { score: 0.25 })]);
  });

  test("of many concurrent duplicates, one wins", async () => {
    const { store, other } = opened();
    const scores = Array.from({ length: 20 }, (_, at) => at / 20);
    const taught = await Promise.all(
      scores.map((score, at) => (at % 2 ? store : other).teach(makeLessonRow("1", { score }))),
    );
    expect(taught.filter(Boolean)).toHaveLength(1);
    expect(await store.lessons(0, 10)).toMatchObject([{ marks: [{ score: scores[taught.indexOf(1)] }] }]);
  });

  test("the same id in another account is a separate lesson", async () => {
    const { store } = opened();
    await unrecorded(store).addAccount(makeAccount("acct"));
    expect(await store.teach(makeLessonRow("1"))).toBe(1);
    expect(await store.teach(makeLessonRow("1", { accountId: "acct" }))).toBe(1);
    expect(await store.lessons(0, 10)).toHaveLength(2);
  });
}

function order(opened: Opened): void {
  test("lessons are listed by time and id, from a given time, up to a limit", async () => {
    const { store } = opened();
    for (const [id, atMs] of [
      ["late", NOON + 2],
      ["b", NOON + 1],
      ["B", NOON + 1],
      ["a", NOON + 1],
      ["early", NOON],
    ] as const) {
      await store.teach(makeLessonRow(id, { atMs }));
    }
    expect(await idsIn(store)).toEqual(["early", "B", "a", "b", "late"]);
    expect(await idsIn(store, NOON + 1)).toEqual(["B", "a", "b", "late"]);
    expect(await idsIn(store, NOON + 1, 2)).toEqual(["B", "a"]);
    expect(await idsIn(store, NOON + 2)).toEqual(["late"]);
    expect(await idsIn(store, NOON + 3)).toEqual([]);
  });

  test("times are stored to the millisecond", async () => {
    const { store } = opened();
    await store.teach(makeLessonRow("1", { atMs: NOON + 0.6 }));
    expect(await store.lessons(NOON + 1, 10)).toMatchObject([{ atMs: NOON + 1 }]);
  });

  test("the features of a request are stored, however long", async () => {
    const { store } = opened();
    const request = JSON.stringify({ row: "é".repeat(20_000), categories: {} });
    await store.teach(makeLessonRow("1", { request }));
    expect((await store.lessons(0, 10))[0]?.request).toBe(request);
  });
}

function forgotten(opened: Opened): void {
  const taught = async () => {
    const { store } = opened();
    await store.teach(makeLessonRow("1"));
    await store.teach(makeLessonRow("2", { model: "Sim#other" }));
    await store.teach(makeLessonRow("3"));
  };

  test("of every model", async () => {
    await taught();
    const { store, other } = opened();
    await unrecorded(store).forgetLessons();
    expect(await idsIn(other)).toEqual([]);
  });

  test("of one model and no other", async () => {
    await taught();
    const { store, other } = opened();
    await unrecorded(store).forgetLessons("Sim#echo");
    expect(await idsIn(other)).toEqual(["2"]);
    await unrecorded(store).forgetLessons("Sim#none");
    expect(await idsIn(other)).toEqual(["2"]);
  });

  test("can be taught again", async () => {
    await taught();
    const { store } = opened();
    await unrecorded(store).forgetLessons();
    expect(await store.teach(makeLessonRow("1", { score: 0 }))).toBe(1);
    expect(await store.lessons(0, 10)).toMatchObject([{ id: "1", marks: [{ score: 0 }] }]);
  });
}

function signals(opened: Opened): void {
  const signal = { source: "signal", score: 0, weight: 0.25 } as const;

  test("a judgment replaces a signal, with its own time", async () => {
    const { store, other } = opened();
    await store.teach(makeLessonRow("1", signal));
    const judgment = makeLessonRow("1", { atMs: NOON + 9, score: 1 });
    expect(await other.teach(judgment)).toBe(1);
    expect(await store.lessons(0, 10)).toEqual([judgment]);
  });

  test("a signal replaces neither a judgment nor another signal", async () => {
    const { store } = opened();
    await store.teach(makeLessonRow("1"));
    expect(await store.teach(makeLessonRow("1", signal))).toBe(0);
    await store.teach(makeLessonRow("2", signal));
    expect(await store.teach(makeLessonRow("2", { ...signal, score: 1 }))).toBe(0);
    expect(await store.lessons(0, 10)).toEqual([makeLessonRow("1"), makeLessonRow("2", signal)]);
  });
}

function bound(opened: Opened): void {
  const half = {
    sinceMs: NOON,
    keptMax: 100,
    shareAfter: (lessons: number) => (lessons > 2 ? 0 : 0.5 ** lessons),
  };

  test("each further lesson of an account weighs less, with any key, and finally nothing; other accounts' don't count", async () => {
    const { store, other } = opened();
    await unrecorded(store).addAccount(makeAccount("acct"));
    const told: number[] = [];
    for (const id of ["1", "2", "3", "4"]) {
      const lesson = makeLessonRow(id, { weight: 0.8, keyId: `key ${id}` });
      told.push(await (id === "2" ? other : store).teach(lesson, half));
    }
    expect(told).toEqual([1, 1, 1, 0]);
    await store.teach(makeLessonRow("5", { accountId: "acct" }), half);
    await store.teach(makeLessonRow("6", { model: "Sim#other" }), half);
    await store.teach(makeLessonRow("7", { source: "signal" }), half);
    await store.teach(makeLessonRow("8", { atMs: NOON + 5 }), { ...half, sinceMs: NOON + 1 });
    const weights = (await other.lessons(0, 10)).map(({ id, weight }) => [id, weight]);
    expect(Object.fromEntries(weights)).toEqual({
      "1": 0.8,
      "2": 0.4,
      "3": 0.2,
      "5": 1,
      "6": 1,
      "7": 1,
      "8": 1,
    });
  });

  test("is exact for concurrent lessons on every node", async () => {
    const { store, other } = opened();
    const told = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        (at % 2 ? store : other).teach(makeLessonRow(`${at}`, { keyId: `key ${at}` }), half),
      ),
    );
    expect(told.filter(Boolean)).toHaveLength(3);
    const weights = (await store.lessons(0, 10)).map(({ weight }) => weight);
    expect(weights.toSorted((a, b) => b - a)).toEqual([1, 0.5, 0.25]);
  });
}

function pruned(opened: Opened): void {
  test("drops the oldest of an account's lessons on one model, and no others", async () => {
    const { store, other } = opened();
    for (const id of ["a", "b"]) await unrecorded(store).addAccount(makeAccount(id));
    const two = { sinceMs: NOON, keptMax: 2, shareAfter: () => 1 };
    const rows: readonly (readonly [id: string, accountId: string, atMs: number, model?: string])[] = [
      ["elsewhere", "a", NOON, "Sim#other"],
      ["b1", "b", NOON + 1],
      ["a1", "a", NOON + 2],
      ["a2", "a", NOON + 3],
      ["a3", "a", NOON + 4],
    ];
    await store.teach(makeLessonRow("label", { source: "label", atMs: NOON }));
    for (const [id, accountId, atMs, model = "Sim#echo"] of rows)
      await store.teach(makeLessonRow(id, { accountId, keyId: `key of ${id}`, atMs, model }), two);
    expect(await idsIn(other)).toEqual(["elsewhere", "label", "b1", "a2", "a3"]);
  });

  test("drops thousands beyond the bound a hundred at a time", async () => {
    const { store, other } = opened();
    for (let at = 0; at < 150; at++) await store.teach(makeLessonRow(`${at}`, { atMs: NOON + at }));
    const two = { sinceMs: NOON + 1000, keptMax: 2, shareAfter: () => 1 };
    await store.teach(makeLessonRow("x", { atMs: NOON + 150 }), two);
    expect((await idsIn(other))[0]).toBe("100");
    await store.teach(makeLessonRow("y", { atMs: NOON + 151 }), two);
    expect(await idsIn(other)).toEqual(["x", "y"]);
  });

  test("those older than a time are deleted in batches", async () => {
    const { store, other } = opened();
    for (let at = 0; at < 5; at++) await store.teach(makeLessonRow(`${at}`, { atMs: NOON + at }));
    let gone = 0;
    for (let some = 1; some > 0; gone += some) some = await other.pruneLessons(NOON + 3, 2);
    expect([gone, await idsIn(store)]).toEqual([3, ["3", "4"]]);
  });

  test("named ones are deleted", async () => {
    const { store, other } = opened();
    await unrecorded(store).addAccount(makeAccount("acct"));
    for (const id of ["1", "2", "3"]) await store.teach(makeLessonRow(id));
    await store.teach(makeLessonRow("1", { accountId: "acct" }));
    await other.dropLessons([makeLessonRow("1"), makeLessonRow("3"), makeLessonRow("none")]);
    expect((await store.lessons(0, 10)).map(({ accountId, id }) => [accountId, id])).toEqual([
      ["acct", "1"],
      ["default", "2"],
    ]);
  });
}

function labels(opened: Opened): void {
  const label = (score: number, model = "Sim#echo", atMs = NOON) =>
    makeLessonRow("prompt", { source: "label", score, model, atMs });

  test("of one request are one row, with one score per model", async () => {
    const { store, other } = opened();
    expect(await store.teach(label(0.25))).toBe(1);
    const one = label(0.25).marks;
    const two = label(0.5, "Sim#other").marks;
    expect(await other.teach({ ...label(0, "", NOON + 5), marks: [...one, ...two, ...two] })).toBe(1);
    expect(await store.teach(label(0.5, "Sim#other", NOON + 9))).toBe(0);
    expect(await store.lessons(0, 10)).toEqual([{ ...label(0, "", NOON + 5), marks: [...one, ...two] }]);
  });

  test("that arrive on several nodes at once are all stored", async () => {
    const { store, other } = opened();
    const added = await Promise.all(
      Array.from({ length: 10 }, (_, at) => (at % 2 ? store : other).teach(label(at / 10))),
    );
    expect(added).toEqual(added.map(() => 1));
    expect((await store.lessons(0, 10))[0]?.marks.length).toBe(10);
  });

  test("are deleted by model, and the row with the last of them", async () => {
    const { store, other } = opened();
    await store.teach({ ...label(1), marks: [...label(1).marks, ...label(0, 'Sim#"odd"').marks] });
    await store.teach({ ...label(1), id: "another" });
    await unrecorded(store).forgetLessons("Sim#echo");
    expect(await other.lessons(0, 10)).toEqual([label(0, 'Sim#"odd"')]);
  });
}

function decisions(opened: Opened): void {
  const decision = JSON.stringify({
    selector: "fair",
    choice: "Sim#écho",
    candidates: [],
    row: "A".repeat(2000),
  });

  test("a request's decision is stored and can be read alone and in lists", async () => {
    const { store, other } = opened();
    await writeRecord(store, makeRecord("chosen", { decision, selector: "Router#fair", atMs: NOON + 1 }));
    await writeRecord(store, makeRecord("named"));
    expect((await other.request("chosen"))?.decision).toBe(decision);
    expect((await other.request("named"))?.decision).toBeNull();
    const listed = await other.requests({}, { limit: 10, after: null });
    expect(listed.map((record) => record.decision)).toEqual([decision, null]);
  });
}
