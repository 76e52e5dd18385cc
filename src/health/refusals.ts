// Lessons on refusals: things that the servers of models were found to refuse, beside those that the operator set.

import { type ModelCard, readProvider } from "../core/models/card.ts";
import {
  isMetBy,
  type LessonCondition,
  learnCondition,
  type RequestShape,
} from "../core/models/learned/condition.ts";
import {
  isKnownTo,
  joinLesson,
  LESSONS_A_MODEL_MAX,
  LESSONS_MAX,
  listBeyond,
  nameLesson,
  type RefusalLesson,
  TRIAL_MS,
  UNSEEN_MS,
  WORD_CHARACTERS_MAX,
} from "../core/models/learned/refusal-lesson.ts";
import { isRefused, parseRefusal, type Refusal } from "../core/models/refusals.ts";
import type { ProviderSetup } from "../core/settings.ts";
import type { RequestRefusals } from "./credential.ts";

/** A request, by the object that is its own. */
type RefusedAsker = Pick<RequestRefusals, "payer">;

/** A request, whose shape is only found out for a model that has lessons. */
interface ShapedRequest {
  readonly shape: RequestShape;
}

/** Requests of a shape were answered: with or without each thing that the model was found to refuse. */
interface AnsweredShape {
  readonly shape: RequestShape;
  readonly sent: ReadonlyMap<Refusal, boolean>;
  readonly atMs: number;
}

/** A trial of a model is wanted once it is due and a request would be mended, and is granted to one request by the store. */
type TrialState = "wanted" | "granted";

/** Times are on the monotonic clock, but for those of lessons. */
export class LearnedRefusals {
  /** False until a server refuses something: then only the operator's words count. */
  isInUse = false;
  /** Milliseconds by which Unix time is ahead of the monotonic clock. */
  aheadMs = 0;
  /** By the card's id, for the host that is called today. */
  readonly #learned = new Map<string, Map<Refusal, RefusalLesson>>();
  #hosts: ReadonlyMap<string, string> = new Map();
  /** The store's, of every host. */
  #stored: readonly RefusalLesson[] = [];
  /**
   * By the names that clients made up: this process alone remembers these, for an hour. The names that learned last stand at
   * the end.
   */
  readonly #passing = new Map<string, Map<Refusal, RefusalLesson>>();
  /** Lessons that the store doesn't have yet. */
  readonly #unwritten = new Map<string, RefusalLesson>();
  /** Those that the store still has to forget. */
  readonly #ended = new Map<string, RefusalLesson>();
  /** By the card's id, and by the names of a request's shape. Those that were answered last stand at the end. */
  readonly #answered = new Map<string, Map<string, AnsweredShape>>();
  /** By the card's id. */
  readonly #trials = new Map<string, TrialState>();
  /** The refusals that a request met itself: its further calls know them, whatever is remembered. */
  readonly #taught = new WeakMap<
    RefusedAsker,
    { readonly id: string; readonly refuses: ReadonlySet<Refusal> }
  >();
  /** The sets that `list` returned for requests that are trials. */
  readonly #tried = new WeakSet<ReadonlySet<Refusal>>();

  /** Returns everything that the model is known to refuse to a request. Undefined if that is nothing. */
  list(
    card: ModelCard,
    nowMs: number,
    asker: RefusedAsker,
    request: ShapedRequest,
  ): ReadonlySet<Refusal> | undefined {
    const taught = this.#taught.get(asker);
    if (taught?.id === card.id) return taught.refuses;
    const learned = this.#learned.get(card.id) ?? this.#passing.get(card.id);
    if (learned === undefined) return card.refuses;
    const wallMs = nowMs + this.aheadMs;
    const all = new Set(card.refuses);
    const keptMs = isMadeUp(card) ? PASSING_MS : UNSEEN_MS;
    let isDue = false;
    let isMended = false;
    for (const [refusal, lesson] of learned) {
      if (wallMs - lesson.seenAtMs >= keptMs || !isKnownTo(asker.payer, lesson)) continue;
      if (all.has(refusal) || !isRefused(card, refusal, true) || !isAbout(lesson, request.shape)) continue;
      isDue ||= wallMs - lesson.triedAtMs >= TRIAL_MS;
      isMended = true;
      all.add(refusal);
    }
    if (isMended && this.#trials.get(card.id) === "granted") return this.#beginTrial(card);
    if (isDue) this.#trials.set(card.id, "wanted");
    return all;
  }

  #beginTrial({ id, refuses }: ModelCard): ReadonlySet<Refusal> {
    const own = new Set(refuses);
    this.#trials.delete(id);
    this.#tried.add(own);
    return own;
  }

  /** The model has refused something to the request, whose next call is sent without all of this. */
  teach(asker: RefusedAsker, { id }: ModelCard, refuses: ReadonlySet<Refusal>): void {
    this.isInUse = true;
    this.#taught.set(asker, { id, refuses });
  }

  /** A payer's request met these refusals. The store learns nothing of a name that a client made up. */
  learn(
    card: ModelCard,
    refusals: readonly Refusal[],
    nowMs: number,
    payer: string,
    shape: RequestShape,
  ): void {
    const passing = isMadeUp(card) ? this.#keepPassing(card.id) : null;
    const atMs = Math.round(nowMs + this.aheadMs);
    const times = { firstSeenAtMs: atMs, seenAtMs: atMs, triedAtMs: atMs };
    for (const word of refusals) {
      if (word.length > WORD_CHARACTERS_MAX) continue;
      const place = { model: card.id, host: this.#findHost(card.id), word };
      const known = (passing ?? this.#learned.get(card.id))?.get(word)?.conditions;
      const conditions =
        known === null ? null : this.#learnCondition(card.id, word, known ?? [], shape, atMs);
      const met = { ...place, ...times, confirmedAtMs: null, sharedAtMs: null, payers: [payer], conditions };
      if (passing === null) this.#take(word, met);
      else if (passing.size < LESSONS_A_MODEL_MAX || passing.has(word)) joinInto(passing, word, met);
    }
    if (passing === null) this.#bound(card.id);
  }

  /** The model answered a call from which these had been left out after it refused them. */
  confirm({ id }: ModelCard, refusals: readonly Refusal[], nowMs: number): void {
    const confirmedAtMs = Math.round(nowMs + this.aheadMs);
    const passing = this.#passing.get(id);
    for (const word of refusals) {
      const lesson = (passing ?? this.#learned.get(id))?.get(word);
      if (lesson === undefined) continue;
      if (passing === undefined) this.#take(word, { ...lesson, confirmedAtMs });
      else joinInto(passing, word, { ...lesson, confirmedAtMs });
    }
  }

  /** True if the request of this set is a trial: it was sent as if nothing had been learned. */
  isTrial(refuses: ReadonlySet<Refusal> | undefined): boolean {
    return refuses !== undefined && this.#tried.has(refuses);
  }

  /**
   * A trial was answered. The conditions that its request met end for what was in it, and the lesson with the last one. If
   * there was nothing, another request tries.
   */
  settleTrial({ id }: ModelCard, shape: RequestShape, wasSent: (refusal: Refusal) => boolean): void {
    const proven = [...(this.#learned.get(id) ?? NONE)].filter(
      ([refusal, lesson]) => isAbout(lesson, shape) && wasSent(refusal),
    );
    for (const [refusal, lesson] of proven) {
      const conditions = lesson.conditions?.filter((one) => !isMetBy(shape, one)) ?? [];
      this.#end(lesson);
      if (conditions.length > 0) this.#take(refusal, { ...lesson, conditions });
    }
    if (proven.length === 0 && this.#learned.has(id)) this.#trials.set(id, "granted");
  }

  /** A call was answered that lacked only what is in `left`. No condition is widened to be met by its like for a day. */
  recordAnswered(
    { id }: ModelCard,
    request: ShapedRequest,
    left: ReadonlySet<Refusal> | undefined,
    nowMs: number,
    wasSent: (refusal: Refusal) => boolean,
  ): void {
    const learned = this.#learned.get(id) ?? this.#passing.get(id);
    if (learned === undefined) return;
    const answered = this.#answered.getOrInsertComputed(id, makeAnswered);
    const { shape } = request;
    const name = [...shape].toSorted().join(" ");
    const known = answered.get(name);
    const sent = new Map(known?.sent);
    for (const word of learned.keys())
      if (left?.has(word) !== true && !sent.has(word)) sent.set(word, wasSent(word));
    answered.delete(name);
    answered.set(name, { shape, sent, atMs: Math.round(nowMs + this.aheadMs) });
    const [first] = answered.keys();
    if (answered.size > ANSWERED_MAX && first !== undefined) answered.delete(first);
  }

  #learnCondition(
    id: string,
    word: Refusal,
    known: readonly LessonCondition[],
    shape: RequestShape,
    atMs: number,
  ) {
    const answered = [...(this.#answered.get(id)?.values() ?? [])].filter(
      ({ sent, atMs: answeredAtMs }) => sent.get(word) === true && atMs - answeredAtMs < TRIAL_MS,
    );
    return learnCondition(known, shape, (wide) => answered.some((one) => isMetBy(one.shape, wide)));
  }

  /** Returns the lessons on a model, or on all. */
  report(id?: string): readonly RefusalLesson[] {
    const models = id === undefined ? [...this.#learned.values()] : [this.#learned.get(id) ?? NONE];
    return models.flatMap((learned) => [...learned.values()]);
  }

  /** Applies the addresses of providers. Lessons about other hosts wait until these are called again. */
  configured(providers: readonly Pick<ProviderSetup, "name" | "baseUrl">[]): void {
    this.#hosts = new Map(providers.map(({ name, baseUrl }) => [name, readHost(baseUrl)]));
    this.put(this.#stored);
  }

  /** Takes over what the store has, with what this process hasn't written yet. */
  put(stored: readonly RefusalLesson[]): void {
    this.#stored = stored;
    this.#learned.clear();
    const all = new Map(stored.map((lesson) => [nameLesson(lesson), lesson]));
    for (const name of this.#ended.keys()) all.delete(name);
    for (const [name, lesson] of this.#unwritten) all.set(name, joinLesson(all.get(name) ?? null, lesson));
    const beyond = new Set(listBeyond([...all.values()]));
    for (const lesson of all.values()) {
      const parsed = parseRefusal(lesson.word);
      if (parsed === null || parsed.isTaken || beyond.has(lesson)) continue;
      if (lesson.host !== this.#findHost(lesson.model)) continue;
      this.#learned.getOrInsertComputed(lesson.model, makeMap).set(parsed.word, lesson);
    }
    for (const model of this.#trials.keys()) if (!this.#learned.has(model)) this.#trials.delete(model);
    this.isInUse ||= this.#learned.size > 0;
  }

  listUnwritten(): readonly RefusalLesson[] {
    return [...this.#unwritten.values()];
  }

  listEnded(): readonly RefusalLesson[] {
    return [...this.#ended.values()];
  }

  /** Returns the models that wait for a trial, each by one of its lessons. */
  listWanted(): readonly RefusalLesson[] {
    const wanted = [...this.#trials].filter(([, trial]) => trial === "wanted");
    return wanted.flatMap(([model]) => this.report(model).slice(0, 1));
  }

  /** The store has this. If more was learned meanwhile, that is still to be written. */
  markWritten(lesson: RefusalLesson): void {
    const name = nameLesson(lesson);
    if (this.#unwritten.get(name) === lesson) this.#unwritten.delete(name);
    if (this.#ended.get(name) === lesson) this.#ended.delete(name);
  }

  /** The store was asked for a trial that was wanted. If it is granted, the next request is sent as it came. */
  answerWanted({ model }: RefusalLesson, isGranted: boolean, triedAtMs: number): void {
    if (isGranted) this.#trials.set(model, "granted");
    else this.#trials.delete(model);
    const own = this.#learned.get(model);
    for (const [refusal, lesson] of own ?? []) own?.set(refusal, { ...lesson, triedAtMs });
  }

  #take(word: Refusal, met: RefusalLesson): void {
    const name = nameLesson(met);
    joinInto(this.#learned.getOrInsertComputed(met.model, makeMap), word, met);
    this.isInUse = true;
    this.#unwritten.set(name, joinLesson(this.#unwritten.get(name) ?? null, met));
  }

  #keepPassing(id: string): Map<Refusal, RefusalLesson> {
    const own = this.#passing.get(id) ?? makeMap();
    this.#passing.delete(id);
    this.#passing.set(id, own);
    const [first] = this.#passing.keys();
    if (this.#passing.size > LESSONS_MAX && first !== undefined) this.#passing.delete(first);
    this.isInUse = true;
    return own;
  }

  #end(lesson: RefusalLesson): void {
    const name = nameLesson(lesson);
    this.#unwritten.delete(name);
    this.#ended.set(name, lesson);
    this.#forget(lesson);
  }

  #forget({ model, word }: RefusalLesson): void {
    const own = this.#learned.get(model);
    for (const refusal of own?.keys() ?? []) if (refusal === word) own?.delete(refusal);
    if (own?.size !== 0) return;
    this.#learned.delete(model);
    this.#answered.delete(model);
  }

  /** Forgets what is beyond the bounds of a model and of all. */
  #bound(model: string): void {
    const count = [...this.#learned.values()].reduce((sum, own) => sum + own.size, 0);
    const beyond = listBeyond(count > LESSONS_MAX ? this.report() : this.report(model));
    for (const lesson of beyond) {
      this.#unwritten.delete(nameLesson(lesson));
      this.#forget(lesson);
    }
  }

  #findHost(model: string): string {
    return this.#hosts.get(readProvider(model)) ?? "";
  }
}

/** The model behind a name that a client made up may change at any time. */
const PASSING_MS = 3_600_000;

/** The most shapes of answered requests that are remembered of a model. */
const ANSWERED_MAX = 64;

const makeAnswered = () => new Map<string, AnsweredShape>();

function isAbout({ conditions }: RefusalLesson, shape: RequestShape): boolean {
  return conditions === null || conditions.some((one) => isMetBy(shape, one));
}

const NONE: ReadonlyMap<Refusal, RefusalLesson> = new Map();
const makeMap = () => new Map<Refusal, RefusalLesson>();

function joinInto(own: Map<Refusal, RefusalLesson>, word: Refusal, met: RefusalLesson): void {
  own.set(word, joinLesson(own.get(word) ?? null, met));
}

function isMadeUp({ isNamedByClient, pricedLike }: ModelCard): boolean {
  return isNamedByClient === true || pricedLike !== undefined;
}

function readHost(baseUrl: string): string {
  return URL.parse(baseUrl)?.host ?? baseUrl;
}
