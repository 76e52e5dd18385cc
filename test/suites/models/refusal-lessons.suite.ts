// Lessons on refusals, as nodes share them through the store, on every engine.
import { expect, test } from "bun:test";
import { SharedRefusals } from "../../../src/app/models/shared-refusals.ts";
import type { ModelCard } from "../../../src/core/models/card.ts";
import type { RefusalLesson } from "../../../src/core/models/learned/refusal-lesson.ts";
import type { Refusal } from "../../../src/core/models/refusals.ts";
import type { Store } from "../../../src/core/store.ts";
import type { LogEvent } from "../../../src/core/world/world.ts";
import { LearnedRefusals } from "../../../src/health/refusals.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { DAY, HOUR, NOON } from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

const CARD = makeModelCard("House#small", {});
const HOUSE = { name: "House", baseUrl: "http://192.0.2.7:8080/v1" };
const FIELD: readonly Refusal[] = ["temperature"];
/** All requests have the same. */
const REQUEST = { shape: new Set(["messages"]) };
const CONDITIONS = [{ all: ["messages"], some: ["messages"] }];
/** The most of one model. */
const MODEL_MAX = 32;

/** A node's requests and its regular task. */
class Node {
  readonly refusals = new LearnedRefusals();
  readonly events: LogEvent[] = [];
  readonly #shared: SharedRefusals;
  readonly #time: { nowMs: number };
  cards: readonly ModelCard[] = [CARD];

  /** Its monotonic clock began two hours after noon. */
  constructor(store: Pick<Store, "refusalLessons">, time: { nowMs: number }, baseUrl = HOUSE.baseUrl) {
    this.#time = time;
    this.refusals.configured([{ ...HOUSE, baseUrl }]);
    this.#shared = new SharedRefusals({
      store,
      refusals: this.refusals,
      cards: () => this.cards,
      clock: { nowMs: () => time.nowMs },
      deadlines: { nowMs: () => this.monotonicMs },
      log: (event) => void this.events.push(event),
    });
  }

  get monotonicMs(): number {
    return this.#time.nowMs - NOON - 2 * HOUR;
  }

  refresh(): Promise<void> {
    return this.#shared.refresh();
  }

  /** A payer's request is refused, and answered once it is mended. */
  async meet(payer: string, words = FIELD): Promise<void> {
    this.refusals.learn(CARD, words, this.monotonicMs, payer, REQUEST.shape);
    this.refusals.confirm(CARD, words, this.monotonicMs);
    await this.refresh();
  }

  /** Returns what a payer's request is sent without. */
  ask(payer: string, card = CARD): readonly string[] {
    return [...this.sent(payer, card)];
  }

  sent(payer: string, card = CARD): ReadonlySet<Refusal> {
    return this.refusals.list(card, this.monotonicMs, { payer }, REQUEST) ?? new Set();
  }
}

const beginAtNoon = () => ({ nowMs: NOON });

async function startNode(...parts: ConstructorParameters<typeof Node>): Promise<Node> {
  const node = new Node(...parts);
  await node.refresh();
  return node;
}

/** Two nodes on which two accounts have met it. */
async function shareOne(opened: () => TwoStores) {
  const { store, other } = opened();
  const time = beginAtNoon();
  const one = await startNode(store, time);
  const two = await startNode(other, time);
  await one.meet("ann");
  await two.meet("ben");
  await one.refresh();
  return { one, two, time, store, other };
}

/** A day passes, and a request on each node would be mended. */
async function passDay(nodes: readonly Node[], time: { nowMs: number }): Promise<void> {
  time.nowMs += DAY;
  for (const node of nodes) {
    await node.refresh();
    expect(node.ask("cat")).toEqual(["temperature"]);
  }
  for (const node of nodes) await node.refresh();
}

export const refusalLessonsSuite = makeSuite({ sharing, reach, trials, ends, failures });

function sharing(opened: () => TwoStores): void {
  test("two accounts on two nodes teach all of them, and one that starts", async () => {
    const { one, two, time, store } = await shareOne(opened);
    expect([one.ask("cat"), two.ask("cat")]).toEqual([["temperature"], ["temperature"]]);
    const later = await startNode(store, time);
    expect([later.refusals.isInUse, later.ask("dan")]).toEqual([true, ["temperature"]]);
    const [row] = await store.refusalLessons.list();
    expect(row).toEqual({
      model: CARD.id,
      host: "192.0.2.7:8080",
      word: "temperature",
      firstSeenAtMs: NOON,
      seenAtMs: NOON,
      triedAtMs: NOON,
      confirmedAtMs: NOON,
      sharedAtMs: NOON,
      payers: ["ann", "ben"],
      conditions: CONDITIONS,
    });
  });

  test("one payer's requests change nobody else's, on any node and after a restart", async () => {
    const { store, other } = opened();
    const time = beginAtNoon();
    const one = await startNode(store, time);
    for (let at = 0; at < 5; at++) await one.meet("ann anna");
    const two = await startNode(other, time);
    for (const node of [one, two])
      expect([node.ask("ann anna"), node.ask("ann"), node.ask("ben")]).toEqual([["temperature"], [], []]);
  });

  test("counts for nobody else before a mended call was answered", async () => {
    const { store, other } = opened();
    const one = await startNode(store, beginAtNoon());
    for (const payer of ["ann", "ben", "ann anna"]) one.refusals.learn(CARD, FIELD, 1, payer, REQUEST.shape);
    await one.refresh();
    const two = await startNode(other, beginAtNoon());
    expect([two.ask("ben"), two.ask("cat"), two.ask("ann alex")]).toEqual([["temperature"], [], []]);
    one.refusals.confirm(CARD, FIELD, 2);
    await one.refresh();
    await two.refresh();
    expect(two.ask("cat")).toEqual(["temperature"]);
  });
}

function reach(opened: () => TwoStores): void {
  test("is about the host that was called", async () => {
    const { one, time, store } = await shareOne(opened);
    const elsewhere = await startNode(store, time, "http://192.0.2.8:8080/v1");
    expect(elsewhere.ask("ann")).toEqual([]);
    one.refusals.configured([{ ...HOUSE, baseUrl: "http://192.0.2.8:8080/v1" }]);
    expect(one.ask("ann")).toEqual([]);
    one.refusals.configured([HOUSE]);
    expect(one.ask("ann")).toEqual(["temperature"]);
  });

  test("writes nothing of a name that a client made up", async () => {
    const { store } = opened();
    const node = await startNode(store, beginAtNoon());
    for (const made of [{ isNamedByClient: true }, { pricedLike: CARD.id }] as const) {
      node.refusals.learn({ ...CARD, ...made }, FIELD, 1, "ann", REQUEST.shape);
      await node.refresh();
    }
    expect([node.refusals.report(), await store.refusalLessons.list()]).toEqual([[], []]);
  });
}

function trials(opened: () => TwoStores): void {
  test("once a day one request of all nodes is sent without the mend", async () => {
    const { one, two, time } = await shareOne(opened);
    time.nowMs += DAY - 1;
    expect([one.ask("cat"), one.refusals.listWanted()]).toEqual([["temperature"], []]);
    for (let day = 0; day < 3; day++) {
      await passDay([one, two], time);
      const sets = [one, two, one, two].map((node) => node.ask("cat").length);
      expect(sets.toSorted()).toEqual([0, 1, 1, 1]);
    }
  });

  test("ends if the trial is answered, on all nodes", async () => {
    const { one, two, time, store } = await shareOne(opened);
    await passDay([one, two], time);
    expect(one.refusals.isTrial(one.sent("cat"))).toBeTrue();
    one.refusals.settleTrial(CARD, REQUEST.shape, (word) => word === "temperature");
    expect(one.ask("ann")).toEqual([]);
    for (const node of [one, two]) await node.refresh();
    expect([two.ask("ann"), await store.refusalLessons.list()]).toEqual([[], []]);
    expect([...one.events, ...two.events]).toEqual([
      expect.objectContaining({ event: "refusal_ended", model: CARD.id, reason: "answered" }),
    ]);
  });

  test("stays if the trial is refused, and is then seen again", async () => {
    const { one, two, time, store } = await shareOne(opened);
    await passDay([one, two], time);
    expect(one.refusals.isTrial(one.sent("cat"))).toBeTrue();
    await one.meet("cat");
    expect([one.ask("dan"), two.ask("dan")]).toEqual([["temperature"], ["temperature"]]);
    expect(await store.refusalLessons.list()).toMatchObject([{ seenAtMs: NOON + DAY, firstSeenAtMs: NOON }]);
  });

  test("leaves out all lessons of a model at once, since mends overlap", async () => {
    const { one, two, time, store } = await shareOne(opened);
    time.nowMs += HOUR;
    for (const payer of ["ann", "ben"]) await one.meet(payer, ["top_p"]);
    time.nowMs += 23 * HOUR;
    expect(one.ask("cat").toSorted()).toEqual(["temperature", "top_p"]);
    await one.refresh();
    expect(one.ask("cat")).toEqual([]);
    one.refusals.settleTrial(CARD, REQUEST.shape, (word) => word === "top_p");
    for (const node of [one, two]) await node.refresh();
    expect([two.ask("cat"), (await store.refusalLessons.list()).length]).toEqual([["temperature"], 1]);
    time.nowMs += HOUR;
    for (let at = 0; at < 2; at++)
      expect([two.ask("cat"), await two.refresh()]).toEqual([["temperature"], undefined]);
  });

  test("goes to another request if the first one has nothing that is refused", async () => {
    const { one, two, time } = await shareOne(opened);
    await passDay([one, two], time);
    one.sent("cat");
    one.refusals.settleTrial(CARD, REQUEST.shape, () => false);
    expect([one.ask("cat"), one.ask("cat")]).toEqual([[], ["temperature"]]);
  });
}

function ends(opened: () => TwoStores): void {
  test("ends if nobody has met it for 30 days", async () => {
    const { one, two, time, store } = await shareOne(opened);
    time.nowMs += 30 * DAY - 1;
    await one.refresh();
    expect(one.ask("cat")).toEqual(["temperature"]);
    time.nowMs += 1;
    expect(one.ask("cat")).toEqual([]);
    await one.refresh();
    await two.refresh();
    expect(await store.refusalLessons.list()).toEqual([]);
    expect(one.events).toMatchObject([{ event: "refusal_ended", reason: "unseen" }]);
  });

  test.each([
    ["takes it after all", { accepts: new Set(FIELD) }],
    ["refuses it by itself", { refuses: new Set(FIELD) }],
  ] as const)("ends once the model's card %s", async (_says, rules) => {
    const { one, two, store } = await shareOne(opened);
    one.cards = [{ ...CARD, ...rules }];
    await one.refresh();
    await two.refresh();
    expect([await store.refusalLessons.list(), two.ask("cat")]).toEqual([[], []]);
    expect(one.events).toMatchObject([{ event: "refusal_ended", reason: "card" }]);
  });

  test("keeps the 32 of a model that were met last, those of everybody first", async () => {
    const { store } = opened();
    const time = beginAtNoon();
    const node = await startNode(store, time);
    for (let most = 1; most <= MODEL_MAX + 8; most++) {
      time.nowMs += 1;
      node.refusals.aheadMs += 1;
      await store.refusalLessons.add({ ...makeLesson(`tools>${most}`), seenAtMs: time.nowMs });
    }
    await node.refresh();
    await node.refresh();
    const kept = await store.refusalLessons.list();
    expect([kept.length, kept.at(-1)?.word]).toEqual([MODEL_MAX, "tools>9"]);
    await node.meet("ann", ["temperature"]);
    expect(node.ask("ann").length).toBe(MODEL_MAX);
    expect(node.ask("ann")).not.toContain("temperature");
  });
}

function makeLesson(word: string): RefusalLesson {
  const times = { firstSeenAtMs: NOON, seenAtMs: NOON, triedAtMs: NOON };
  const place = { model: CARD.id, host: "192.0.2.7:8080", word };
  return {
    ...place,
    ...times,
    confirmedAtMs: NOON,
    sharedAtMs: NOON,
    payers: ["ann", "ben"],
    conditions: null,
  };
}

function failures(opened: () => TwoStores): void {
  test("what a failing store didn't take is written later, and requests don't notice", async () => {
    const { store, other } = opened();
    const state = { isDown: true };
    const fail = () => Promise.reject(new Error("The store is down."));
    const { refusalLessons: real } = store;
    const broken: Store["refusalLessons"] = {
      ...real,
      add: (lesson) => (state.isDown ? fail() : real.add(lesson)),
      end: (place) => (state.isDown ? fail() : real.end(place)),
    };
    const time = beginAtNoon();
    state.isDown = false;
    const node = await startNode({ refusalLessons: broken }, time);
    state.isDown = true;
    for (const payer of ["ann", "ben"]) expect(await catchThrown(node.meet(payer))).toBeInstanceOf(Error);
    expect([node.ask("cat"), await other.refusalLessons.list()]).toEqual([["temperature"], []]);
    state.isDown = false;
    await node.refresh();
    expect(await other.refusalLessons.list()).toMatchObject([{ payers: ["ann", "ben"], sharedAtMs: NOON }]);
    state.isDown = true;
    node.refusals.settleTrial(CARD, REQUEST.shape, () => true);
    expect(await catchThrown(node.refresh())).toBeInstanceOf(Error);
    expect(node.ask("ann")).toEqual([]);
    state.isDown = false;
    await node.refresh();
    expect(await other.refusalLessons.list()).toEqual([]);
  });

  test("two processes that add at once lose nothing", async () => {
    const { store, other } = opened();
    const met = (payer: string) => ({ ...makeLesson("top_p"), sharedAtMs: null, payers: [payer] });
    const adding = Array.from({ length: 12 }, (_, at) =>
      (at % 2 ? store : other).refusalLessons.add(met(`payer${at}`)),
    );
    await Promise.all(adding);
    const [row] = await store.refusalLessons.list();
    expect([row?.payers.length, row?.sharedAtMs]).toEqual([12, NOON]);
  });

  test("a word of another version is left alone", async () => {
    const { store } = opened();
    await store.refusalLessons.add(makeLesson("a word of next year"));
    const node = await startNode(store, beginAtNoon());
    await node.refresh();
    expect([node.refusals.isInUse, (await store.refusalLessons.list()).length]).toEqual([false, 1]);
  });
}
