// What the servers of models were found to refuse, beside what the operator set, for the requests of this process.

import { type ModelCard, readProvider } from "../core/models/card.ts";
import {
  isKnownTo,
  joinLesson,
  LESSONS_MAX,
  listBeyond,
  nameLesson,
  type RefusalLesson,
  TRIAL_MS,
  UNSEEN_MS,
  WORD_CHARACTERS_MAX,
} from "../core/models/refusal-lesson.ts";
import { isRefused, parseRefusal, type Refusal } from "../core/models/refusals.ts";
import type { ProviderSetup } from "../core/settings.ts";

interface LessonRecord {
  lesson: RefusalLesson;
  /** A trial is due once a request would be mended by it, and is granted to one request after the store's leave. */
  trial: "none" | "wanted" | "granted";
}

/** Times are on the monotonic clock, but for those of lessons. */
export class LearnedRefusals {
  /** False until a server refuses something: then only the operator's words count. */
  isInUse = false;
  /** Milliseconds by which Unix time is ahead of the monotonic clock. */
  aheadMs = 0;
  /** By the card's id, for the host that is called today. */
  readonly #learned = new Map<string, Map<Refusal, LessonRecord>>();
  #hosts: ReadonlyMap<string, string> = new Map();
  /** The store's, of every host. */
  #stored: readonly RefusalLesson[] = [];
  /** What the store doesn't have yet: what was learned, and what has ended. */
  readonly #unwritten = new Map<string, RefusalLesson>();
  readonly #ended = new Map<string, RefusalLesson>();
  /** The refusal that a request tries without, by the set that it got. */
  readonly #trials = new WeakMap<ReadonlySet<Refusal>, Refusal>();

  /** Returns everything that the model is known to refuse to a payer. Undefined if that is nothing. */
  list(card: ModelCard, nowMs: number, payer: string): ReadonlySet<Refusal> | undefined {
    const learned = this.#learned.get(card.id);
    if (learned === undefined) return card.refuses;
    const wallMs = nowMs + this.aheadMs;
    const all = new Set(card.refuses);
    let tried: Refusal | null = null;
    for (const [refusal, record] of learned) {
      const { lesson } = record;
      if (wallMs - lesson.seenAtMs >= UNSEEN_MS || !isKnownTo(payer, lesson)) continue;
      if (all.has(refusal) || !isRefused(card, refusal, true)) continue;
      if (record.trial === "granted" && tried === null) {
        record.trial = "none";
        tried = refusal;
        continue;
      }
      if (record.trial === "none" && wallMs - lesson.triedAtMs >= TRIAL_MS) record.trial = "wanted";
      all.add(refusal);
    }
    if (tried !== null) this.#trials.set(all, tried);
    return all;
  }

  /** A payer's request met these refusals. Nothing is kept of a name that a client made up. */
  learn(card: ModelCard, refusals: readonly Refusal[], nowMs: number, payer: string): void {
    if (isMadeUp(card)) return;
    const atMs = Math.round(nowMs + this.aheadMs);
    const times = { firstSeenAtMs: atMs, seenAtMs: atMs, triedAtMs: atMs };
    for (const word of refusals) {
      if (word.length > WORD_CHARACTERS_MAX) continue;
      const place = { model: card.id, host: this.#findHost(card.id), word };
      this.#take(word, { ...place, ...times, confirmedAtMs: null, sharedAtMs: null, payers: [payer] });
    }
    this.#bound(card.id);
  }

  /** The model answered a call from which these had been left out after it refused them. */
  confirm({ id }: ModelCard, refusals: readonly Refusal[], nowMs: number): void {
    const confirmedAtMs = Math.round(nowMs + this.aheadMs);
    for (const word of refusals) {
      const record = this.#learned.get(id)?.get(word);
      if (record !== undefined) this.#take(word, { ...record.lesson, confirmedAtMs });
    }
  }

  /** Returns the refusal that a request with this set was sent without. Null if it was no trial. */
  readTrial(refuses: ReadonlySet<Refusal> | undefined): Refusal | null {
    return (refuses && this.#trials.get(refuses)) ?? null;
  }

  /** A trial was answered. If its request had what is refused in it, the lesson ends, else another one tries. */
  settleTrial({ id }: ModelCard, refusal: Refusal, isProof: boolean): void {
    const own = this.#learned.get(id);
    const record = own?.get(refusal);
    if (own === undefined || record === undefined) return;
    if (isProof) {
      this.#end(record.lesson);
      return;
    }
    record.trial = "granted";
    // Behind the others, which have their turn before it.
    own.delete(refusal);
    own.set(refusal, record);
  }

  /** Returns the lessons on a model, or on all. */
  report(id?: string): readonly RefusalLesson[] {
    const models = id === undefined ? [...this.#learned.values()] : [this.#learned.get(id) ?? NONE];
    return models.flatMap((learned) => [...learned.values()].map(({ lesson }) => lesson));
  }

  /** Applies the addresses of providers. Lessons about other hosts wait until these are called again. */
  configured(providers: readonly Pick<ProviderSetup, "name" | "baseUrl">[]): void {
    this.#hosts = new Map(providers.map(({ name, baseUrl }) => [name, readHost(baseUrl)]));
    this.put(this.#stored);
  }

  /** Takes over what the store has, with what this process hasn't written yet. */
  put(stored: readonly RefusalLesson[]): void {
    this.#stored = stored;
    const before = new Map(this.#learned);
    this.#learned.clear();
    const all = new Map(stored.map((lesson) => [nameLesson(lesson), lesson]));
    for (const [name, lesson] of this.#unwritten) all.set(name, joinLesson(all.get(name) ?? null, lesson));
    const beyond = new Set(listBeyond([...all.values()]));
    for (const [name, lesson] of all) {
      const parsed = parseRefusal(lesson.word);
      if (parsed === null || parsed.isTaken || this.#ended.has(name) || beyond.has(lesson)) continue;
      if (lesson.host !== this.#findHost(lesson.model)) continue;
      const own = this.#learned.getOrInsertComputed(lesson.model, () => new Map());
      const trial = before.get(lesson.model)?.get(parsed.word)?.trial ?? "none";
      own.set(parsed.word, { lesson, trial });
    }
    this.isInUse = this.#learned.size > 0;
  }

  listUnwritten(): readonly RefusalLesson[] {
    return [...this.#unwritten.values()];
  }

  listEnded(): readonly RefusalLesson[] {
    return [...this.#ended.values()];
  }

  listWanted(): readonly RefusalLesson[] {
    const records = [...this.#learned.values()].flatMap((own) => [...own.values()]);
    return records.filter(({ trial }) => trial === "wanted").map(({ lesson }) => lesson);
  }

  /** The store has this. If more was learned meanwhile, that is still to be written. */
  markWritten(lesson: RefusalLesson): void {
    const name = nameLesson(lesson);
    if (this.#unwritten.get(name) === lesson) this.#unwritten.delete(name);
    if (this.#ended.get(name) === lesson) this.#ended.delete(name);
  }

  /** The store was asked for a trial that was wanted. If it is granted, the next request is sent without the mend. */
  answerWanted({ model, word }: RefusalLesson, isGranted: boolean, atMs: number): void {
    const parsed = parseRefusal(word);
    const record = parsed && this.#learned.get(model)?.get(parsed.word);
    if (!record) return;
    record.trial = isGranted ? "granted" : "none";
    record.lesson = { ...record.lesson, triedAtMs: atMs };
  }

  #take(word: Refusal, met: RefusalLesson): void {
    const name = nameLesson(met);
    const own = this.#learned.getOrInsertComputed(met.model, () => new Map());
    const record = own.get(word);
    const lesson = joinLesson(record?.lesson ?? null, met);
    if (record === undefined) own.set(word, { lesson, trial: "none" });
    else record.lesson = lesson;
    this.#unwritten.set(name, joinLesson(this.#unwritten.get(name) ?? null, met));
    this.#ended.delete(name);
    this.isInUse = true;
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
    if (own?.size === 0) this.#learned.delete(model);
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

const NONE: ReadonlyMap<Refusal, LessonRecord> = new Map();

function isMadeUp({ isNamedByClient, pricedLike }: ModelCard): boolean {
  return isNamedByClient === true || pricedLike !== undefined;
}

function readHost(baseUrl: string): string {
  return URL.parse(baseUrl)?.host ?? baseUrl;
}
