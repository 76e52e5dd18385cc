// A gateway learns each lesson in the store once, whichever node wrote it, until it is deleted.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createLearning, type LessonStore } from "../../src/app/models/learning.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import type { Lesson } from "../../src/core/models/learned/lesson.ts";
import type { Store } from "../../src/core/store.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { LearnedModels } from "../../src/learning/learned.ts";
import { computeRowWidth, packRow } from "../../src/selectors/row.ts";
import { readFeatures } from "../../src/selectors/text/features.ts";
import { predict } from "../../src/selectors/text/predictor.ts";
import { DAY, MINUTE, makeAccount, NOON, openMemoryStore, standingClock } from "../harness/samples.ts";
import { catchThrown } from "../harness/thrown.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { even, makeCard } from "../selectors/sample-cards.ts";
import { makeLessonRow } from "./lesson-samples.ts";

const MODEL = "Sim#echo";
const asked = { model: "Router#best", messages: [{ role: "user", content: "Who wrote Faust?" }] } as const;
const prediction = predict(readFeatures(asked));
const request = JSON.stringify({ row: packRow(prediction.row) });

let store: Store;
let clock: ReturnType<typeof standingClock>;
let learned: LearnedModels;
let learning: ReturnType<typeof createLearning>;
beforeEach(async () => {
  store = await openMemoryStore();
  clock = standingClock(NOON);
  learned = new LearnedModels();
  logged.length = 0;
  learning = learningOf(store, learned);
});
afterEach(() => store.close());

function lessonNamed(id: string, fields: Parameters<typeof makeLessonRow>[1] = {}): Lesson {
  return makeLessonRow(id, { score: 0, expected: 0.9, request, ...fields });
}

const logged: LogEvent[] = [];
const learningOf = (own: LessonStore, into: LearnedModels, choosable: readonly ModelCard[] = []) => {
  const log = (event: LogEvent) => void logged.push(event);
  return createLearning({
    store: own,
    learned: into,
    clock,
    cards: () => [],
    choosable: () => choosable,
    log,
  });
};

const labels = (model = MODEL) => learned.views().find((view) => view.model === model)?.labels ?? 0;
const shiftOf = (learned: LearnedModels) => {
  const shifts = learned.shiftsBy(new Map([[MODEL, 0]]), prediction);
  return {
    quality: shifts.quality(0),
    lift: shifts.lift(0),
    spread: shifts.spread(0),
    doubt: shifts.doubt(0),
  };
};
const shift = () => shiftOf(learned).quality;

test("each lesson counts once, however often they are read", async () => {
  await store.teach(lessonNamed("1"));
  for (let look = 0; look < 3; look++) await learning.refresh();
  expect(labels()).toBe(1);
  expect(shift()).toBeLessThan(0);
  await store.teach(lessonNamed("2"));
  clock.atMs += 3000;
  await learning.refresh();
  expect(labels()).toBe(2);
});

describe("an account whose scores alone decide which model is best", () => {
  const strong = makeCard("strong", 10, { skills: even(0.85) });
  const cards = [strong, makeCard("weak", 1, { skills: even(0.7) })];
  const scoreBy = async (name: string, accountId: string) => {
    for (let at = 0; at < 60; at++)
      await store.teach(lessonNamed(`${name} ${at}`, { accountId, model: strong.id, atMs: clock.atMs }));
  };
  const lines = () => logged.filter(({ event }) => event === "account_decides");

  test("is logged once, and another one not before ten minutes have passed", async () => {
    const own = learningOf(store, learned, cards);
    await unrecorded(store).addAccount(makeAccount("other"));
    await scoreBy("first", "default");
    for (let at = 0; at < 3; at++) await own.refresh();
    const line = { event: "account_decides", level: "warn", account: "default" } as const;
    expect(lines()).toEqual([{ ...line, best: "Acme#weak", otherwise: "Acme#strong" }]);
    await unrecorded(store).forgetLessons();
    await store.setSetting("lessons_forgotten", "1");
    await scoreBy("second", "other");
    await own.refresh();
    expect(lines().length).toBe(1);
    clock.atMs += 11 * MINUTE;
    await own.refresh();
    expect(lines().slice(1)).toMatchObject([{ account: "other" }]);
  });
});

test("lessons from before the start count, unless they belong to another generation", async () => {
  await store.teach(lessonNamed("89 days", { atMs: NOON - 89 * DAY }));
  await store.teach(lessonNamed("91 days", { atMs: NOON - 91 * DAY }));
  await learning.refresh();
  expect(labels()).toBe(1);
});

test("all lessons of one moment are learned, even if they exceed one read", async () => {
  const count = 1500;
  await Promise.all(Array.from({ length: count }, (_, at) => store.teach(lessonNamed(`${at}`))));
  await store.teach(lessonNamed("later", { atMs: NOON + 1 }));
  await learning.refresh();
  expect(labels()).toBe(count + 1);
  await learning.refresh();
  expect(labels()).toBe(count + 1);
});

test("lessons of a node whose clock is behind are learned", async () => {
  await store.teach(lessonNamed("1"));
  await learning.refresh();
  clock.atMs += MINUTE;
  await learning.refresh();
  await store.teach(lessonNamed("late", { atMs: clock.atMs - MINUTE }));
  await learning.refresh();
  expect(labels()).toBe(2);
});

test("deleted lessons are forgotten here too, and later ones count", async () => {
  await store.teach(lessonNamed("1"));
  await store.teach(lessonNamed("2", { model: "Sim#other" }));
  await learning.refresh();
  await unrecorded(store).forgetLessons(MODEL);
  await store.setSetting("lessons_forgotten", "1");
  await learning.refresh();
  expect([labels(), labels("Sim#other"), shift()]).toEqual([0, 1, 0]);
  await store.teach(lessonNamed("1"));
  await learning.refresh();
  expect(labels()).toBe(1);
});

test("two nodes that read the same lessons in different portions agree", async () => {
  const other = new LearnedModels();
  const late = learningOf(store, other);
  for (let at = 0; at < 5; at++) {
    await store.teach(lessonNamed(`${at}`, { atMs: NOON + at, score: at / 4 }));
    await learning.refresh();
  }
  await late.refresh();
  expect(shiftOf(other)).toEqual(shiftOf(learned));
  expect(other.views()).toEqual(learned.views());
});

test("a lesson of other parameters, or a damaged one, has no effect", async () => {
  const narrow = JSON.stringify({ row: packRow(new Float32Array(computeRowWidth() - 1)), categories: {} });
  const odd = ["", "no json", "[]", "{}", '{"row":7}', '{"row":"!!"}', narrow];
  for (const [at, text] of odd.entries()) await store.teach(lessonNamed(`odd ${at}`, { request: text }));
  await store.teach(lessonNamed("good", { atMs: NOON + 1 }));
  await learning.refresh();
  expect(labels()).toBe(1);
});

test("a store that fails midway loses nothing: the next read continues", async () => {
  await store.teach(lessonNamed("1"));
  let fails = true;
  const shaky = learningOf(
    {
      setting: (name) => store.setting(name),
      setSetting: (name, value) => store.setSetting(name, value),
      pruneLessons: (beforeMs, rowsMax) => store.pruneLessons(beforeMs, rowsMax),
      dropLessons: (lessons) => store.dropLessons(lessons),
      lessons: (fromMs, most) => (fails ? Promise.reject(new Error("away")) : store.lessons(fromMs, most)),
    },
    learned,
  );
  expect(String(await catchThrown(shaky.refresh()))).toContain("away");
  fails = false;
  await shaky.refresh();
  expect(labels()).toBe(1);
});

test("lessons count less over time, whether they were read then or now", async () => {
  await store.teach(lessonNamed("1", { source: "label" }));
  await learning.refresh();
  const fresh = shift();
  clock.atMs += 30 * DAY;
  await learning.refresh();
  const month = shift();
  const late = new LearnedModels();
  await learningOf(store, late).refresh();
  expect(shiftOf(late)).toEqual(shiftOf(learned));
  clock.atMs += 30 * DAY;
  await learning.refresh();
  expect(month / fresh).toBeWithin(0.45, 0.6);
  expect(shift() / fresh).toBeWithin(0.2, 0.35);
});

test("a judgment replaces an earlier signal", async () => {
  await store.teach(lessonNamed("0"));
  await store.teach(lessonNamed("1", { source: "signal", weight: 0.5 }));
  await learning.refresh();
  const signalled = shift();
  expect(signalled).toBeLessThan(0);
  clock.atMs += MINUTE;
  await store.teach(lessonNamed("1", { atMs: clock.atMs, score: 1 }));
  await learning.refresh();
  expect(shift()).toBeGreaterThan(signalled);
  clock.atMs += 10 * MINUTE;
  await learning.refresh();
  const alone = new LearnedModels();
  await learningOf(store, alone).refresh();
  expect([labels(), shift()]).toEqual([2, shiftOf(alone).quality]);
});

test("old lessons are deleted from the store", async () => {
  for (let at = 0; at < 150; at++) await store.teach(lessonNamed(`${at}`, { atMs: NOON - 91 * DAY + at }));
  await store.teach(lessonNamed("new"));
  await learning.refresh();
  expect((await store.lessons(0, 1000)).map(({ id }) => id)).toEqual(["new"]);
});

test("labels are counted by prompt", async () => {
  for (const [at, score] of [0, 0, 1].entries())
    await store.teach(lessonNamed(`${at}`, { source: "label", score }));
  await learning.refresh();
  expect(learned.views()).toMatchObject([{ labels: 3 }]);
  expect(learned.promptsKnown).toBe(1);
});

describe("the stored fit", () => {
  const next = () => {
    const other = new LearnedModels();
    return { other, late: learningOf(store, other) };
  };
  const taught = async () => {
    for (let at = 0; at < 40; at++)
      await store.teach(lessonNamed(`${at}`, { score: at % 2, source: at % 2 === 0 ? "score" : "label" }));
    await learning.refresh();
  };

  test("is what the next process starts with, before it has read any lesson", async () => {
    await taught();
    const { other, late } = next();
    expect(await late.recall()).toBe(NOON);
    expect(late.whenKnown()).toBeNull();
    expect(shiftOf(other)).toEqual(shiftOf(learned));
    expect(other.likenessOf(prediction)).toEqual(learned.likenessOf(prediction));
    expect(other.views()).toEqual(learned.views());
    await store.teach(lessonNamed("later", { atMs: NOON + 1 }));
    await late.refresh();
    expect(other.views()).toMatchObject([{ model: MODEL, labels: 41 }]);
  });

  test("is ignored if lessons were deleted since or it is damaged: requests wait for a new one", async () => {
    await taught();
    const kept = (await store.setting("lessons_fitted")) ?? "";
    const damaged = [
      kept.replace(/"parameters":"[^"]+"/, '"parameters":"other"'),
      kept.replace('"form":5', '"form":4'),
      kept.replace(/"common":"[^"]{8}/, '"common":"'),
      kept.replace(/"common":"[^"]{8}/, '"common":"AADAfwAA'),
      kept.replace(/"width":\d+/, '"width":7'),
      "no json",
    ];
    for (const text of damaged) {
      await store.setSetting("lessons_fitted", text);
      const { other, late } = next();
      expect([text !== kept, await late.recall(), other.views()]).toEqual([true, null, []]);
    }
    await store.setSetting("lessons_fitted", kept);
    await store.setSetting("lessons_forgotten", "1");
    const { other, late } = next();
    expect(await late.recall()).toBeNull();
    const waiting = late.whenKnown();
    expect(waiting).not.toBeNull();
    // Requests wait for the fit, but not forever: on a busy machine it may take longer.
    await Promise.all([late.refresh(), waiting]);
    expect(other.views()).toMatchObject([{ model: MODEL, labels: 40 }]);
  });
});

test("keeps lengths measured here while everything else is read again", async () => {
  learned.foldLength(prediction, MODEL, prediction.outputTokens * 4);
  const length = learned.lengthOf(MODEL);
  await store.teach(lessonNamed("1"));
  await learning.refresh();
  await store.setSetting("lessons_forgotten", "1");
  await learning.refresh();
  expect([labels(), learned.lengthOf(MODEL)]).toEqual([1, length]);
});

test("rejects a row of other parameters, even of the same width", async () => {
  const foreign = request.replace(/"row":"[^:]+:/, '"row":"foreign:');
  await store.teach(lessonNamed("1", { request: foreign }));
  await learning.refresh();
  expect(labels()).toBe(0);
});
