// The event of another best model on every store: each change once, however many nodes learn of it and start.
import { expect, test } from "bun:test";
import { createLearning } from "../../src/app/models/learning.ts";
import type { Store } from "../../src/core/store.ts";
import { LearnedModels } from "../../src/learning/learned.ts";
import { packRow } from "../../src/selectors/row.ts";
import { readFeatures } from "../../src/selectors/text/features.ts";
import { predict } from "../../src/selectors/text/predictor.ts";
import { listBestStates } from "../../src/webhooks/best-state.ts";
import { StateEvents } from "../../src/webhooks/state-events.ts";
import { NOON, standingClock } from "../harness/samples.ts";
import { makeLessonRow } from "../learning/lesson-samples.ts";
import { even, makeCard } from "../selectors/sample-cards.ts";
import { makeSuite, type TwoStores } from "../suites/two-stores.ts";

const strong = makeCard("strong", 10, { skills: even(0.85) });
const weak = makeCard("weak", 1, { skills: even(0.7) });
const asked = { model: "Router#best", messages: [{ role: "user", content: "Who wrote Faust?" }] } as const;
const request = JSON.stringify({ row: packRow(predict(readFeatures(asked)).row) });
const MINUTE = 60_000;

/** A gateway's learning and its events. At its start, it recalls the fit that was saved last. */
function startNode(store: Store, clock: ReturnType<typeof standingClock>, cards = [strong, weak]) {
  const choosable = () => cards;
  const learning = createLearning({
    store,
    clock,
    choosable,
    learned: new LearnedModels(),
    cards: () => [],
    log: () => {},
  });
  const events = new StateEvents({ store, clock, seen: () => listBestStates(learning.best()) });
  return {
    recall: () => learning.recall(),
    learn: () => learning.refresh(),
    tell: () => events.refresh(),
    async live() {
      await learning.refresh();
      await events.refresh();
    },
  };
}

/** Sixty scores by each of three keys. Returns the lessons' ids. */
async function score(store: Store, name: string, fields: Parameters<typeof makeLessonRow>[1]) {
  const ids = Array.from({ length: 180 }, (_, at) => `${name} ${at}`);
  for (const [at, id] of ids.entries())
    await store.teach(makeLessonRow(id, { keyId: `key ${at % 3}`, request, ...fields }));
  return ids;
}

const read = async (store: Store) =>
  (await store.takeEvents(NOON, 50)).map(({ type, data }) => ({ type, ...data }));

function changing(stores: () => TwoStores): void {
  test("users' scores make another model the best: one event, over all nodes", async () => {
    const { store, other } = stores();
    const clock = standingClock(NOON);
    const nodes = [store, other, store, other].map((one) => startNode(one, clock));
    await Promise.all(nodes.map((node) => node.live()));
    expect(await read(store)).toEqual([]);
    await score(other, "bad", { model: strong.id, score: 0, expected: 0.85, atMs: NOON });
    clock.atMs += MINUTE;
    await Promise.all(nodes.map((node) => node.live()));
    for (const node of nodes) await node.live();
    const event = { type: "router.best_changed", name: weak.id, model: weak.id, before: strong.id };
    expect(await read(store)).toEqual([event]);
    await startNode(store, clock).live();
    expect(await read(store)).toEqual([]);
  });

  test("a process that starts with a fit that is no longer true says nothing of it", async () => {
    const { store } = stores();
    const clock = standingClock(NOON);
    await startNode(store, clock).live();
    const ids = await score(store, "bad", { model: strong.id, score: 0, expected: 0.85, atMs: NOON });
    await startNode(store, clock).learn();
    await store.dropLessons(ids.map((id) => ({ accountId: "default", id })));
    const fresh = startNode(store, clock);
    expect(await fresh.recall()).not.toBeNull();
    await fresh.tell();
    await fresh.live();
    expect(await read(store)).toEqual([]);
  });
}

function differing(stores: () => TwoStores): void {
  test("another list of models may have another best, and nodes that differ don't argue", async () => {
    const { store, other } = stores();
    const clock = standingClock(NOON);
    const wide = startNode(store, clock);
    const narrow = startNode(other, clock, [weak]);
    await wide.live();
    await narrow.live();
    expect(await read(store)).toMatchObject([{ model: weak.id, before: strong.id }]);
    for (let minute = 0; minute < 12; minute++) {
      clock.atMs += MINUTE;
      await Promise.all([wide.live(), narrow.live()]);
    }
    expect(await read(store)).toEqual([]);
  });

  test("nothing is told while no model can be chosen", async () => {
    const { store } = stores();
    await startNode(store, standingClock(NOON), []).live();
    expect(await read(store)).toEqual([]);
  });
}

export const bestSuite = makeSuite({ "another best model": changing, "other models": differing });
