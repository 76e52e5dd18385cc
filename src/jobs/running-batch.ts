// A batch whose lines this node runs: its blocks here, and why no line of it starts.
import { type Batch, type BatchBlock, hasEnded } from "../core/batches/batch.ts";
import { nameAsker } from "../core/keys/payer.ts";
import { NODE_BUSY, WAITS_FOR_MODELS } from "./job.ts";
import type { ModelLook } from "./pacing.ts";
import { AccountRoom } from "./room/account-room.ts";
import { RunningBlock } from "./running-block.ts";

/** No further block is taken while this many lines here wait for their turn or their next try, though their models take some. */
const QUEUED_MAX = 1024;
/** Nor while this node remembers so many lines of a batch. */
const HELD_MAX = 131_072;
/** Where other nodes share the blocks, none is taken before no line here could start for this long: they may have room for it. */
const STUCK_MS = 3000;
/** Lines in flight have this long once their batch was cancelled or its window has ended. */
const GRACE_MS = 3000;
/** They have at least this long once this node knows, which may be late or go by another clock. */
const GRACE_LEAST_MS = 1000;

interface NextLine {
  readonly block: RunningBlock;
  readonly at: number;
}

/** A line that may start, with those whose turn it takes. */
export interface ReadyLine {
  readonly accountId: string;
  readonly payer: string;
  readonly id: string;
  readonly job: RunningBatch;
  readonly block: RunningBlock;
  readonly at: number;
}

export class RunningBatch {
  batch: Batch;
  readonly blocks = new Map<number, RunningBlock>();
  /** No line starts before. */
  pausedUntilMs = 0;
  /** The same, until another line of the account ends. */
  crowdedUntilMs = 0;
  /** True while only one line at a time asks whether the batch may go on. */
  isProbing = false;
  /** True once the ceiling leaves nothing for the next line. */
  isUnpaid = false;
  /** True while a block is asked for. No other is asked for before `nextBlockMs`. */
  isTaking = false;
  nextBlockMs = 0;
  /** The first block that is looked at for the next one. Those before it are looked at again each second. */
  nextBlock = 0;
  /** The time at which the first block was taken: nodes that share the batch have taken theirs soon after. */
  #firstMs = Number.POSITIVE_INFINITY;
  /** The last block that was taken. */
  #lastBlock = -1;
  /** True while other nodes take blocks in between. */
  #isShared = false;
  /** True if there was no other block when one was last asked for. */
  hasAll = false;
  /** The time from which the next block is offered to other nodes, and the number of offers in a row. */
  nextOfferMs = Number.POSITIVE_INFINITY;
  offers = 0;
  /** The last time that another node was seen to have an answer of a model that gives none here. */
  elsewhereMs = Number.NEGATIVE_INFINITY;
  /** The silences of models as the batch's row last had them. */
  noted: Readonly<Record<string, number>> = {};
  /** Models that lines wait for, since this node noticed. */
  readonly silent = new Map<string, number>();
  /** Those that have been silent for so long that lines end that nothing else takes. */
  overdue: ReadonlySet<string> = new Set();
  /** The time at which the number of lines that are left last changed, as far as this node has seen. */
  #changed = { left: -1, atMs: 0 };
  /** Since when no line of its blocks could start. Null while one can. */
  #stuckSinceMs: number | null = null;
  /** The name of the model of the last line: most lines ask for the same one. */
  #named = { model: "", name: "" };
  /** The models of which it is known whether their lines may start, while the next line is looked for. */
  readonly #known = new Map<string, boolean>();
  /** Shared with the other batches of its account. There is none before it was looked at. */
  room = new AccountRoom();
  /** The time at which lines in flight are ended. Infinity while the batch may run. */
  endAtMs = Number.POSITIVE_INFINITY;

  constructor(batch: Batch) {
    this.batch = batch;
    const { waiting } = batch.detail;
    this.isProbing = waiting !== null && waiting.code !== WAITS_FOR_MODELS && waiting.code !== NODE_BUSY;
    this.#named = { model: "", name: `${batch.id} ` };
  }

  get accountId(): string {
    return this.batch.accountId;
  }

  get payer(): string {
    return nameAsker(this.batch);
  }

  get id(): string {
    return this.batch.id;
  }

  get flying(): number {
    let sum = 0;
    for (const { flying } of this.blocks.values()) sum += flying.size;
    return sum;
  }

  /** The models of the lines in flight. */
  listFlying(): readonly string[] {
    return [...this.blocks.values()].flatMap((block) =>
      [...block.flying.keys()].map((at) => block.nameModel(at)),
    );
  }

  /** The bytes of results that the store doesn't count yet. */
  get unwrittenBytes(): number {
    let sum = 0;
    for (const { unwrittenBytes } of this.blocks.values()) sum += unwrittenBytes;
    return sum;
  }

  /** The blocks with lines in flight, or results that aren't written. */
  get busy(): ReadonlySet<number> {
    return new Set(
      [...this.blocks.values()]
        .filter(({ flying, ended, isWriting }) => flying.size > 0 || ended.length > 0 || isWriting)
        .map(({ number }) => number),
    );
  }

  /** True once its lines in flight have only a little time left. */
  get isEnding(): boolean {
    return this.endAtMs !== Number.POSITIVE_INFINITY;
  }

  /** Returns how long lines in flight may still run. Null if that was known before. */
  beginEnd(nowMs: number): number | null {
    if (this.isEnding) return null;
    const { detail, expiresAtMs } = this.batch;
    const sinceMs = Math.min(nowMs, detail.times.cancellingMs ?? expiresAtMs);
    this.endAtMs = Math.max(sinceMs + GRACE_MS, nowMs + GRACE_LEAST_MS);
    return this.endAtMs - nowMs;
  }

  get isOver(): boolean {
    return hasEnded(this.batch) || this.batch.status === "finalizing";
  }

  /** True if another block may be taken, now that no line can start: lines that wait for their models don't keep others back. */
  mayTake(nowMs: number, look: ModelLook): boolean {
    if (this.isTaking) return false;
    this.#stuckSinceMs ??= nowMs;
    let held = 0;
    let queued = 0;
    for (const [model, lines] of this.countQueued()) {
      const name = this.nameModel(model);
      held += lines;
      if (this.#may(model, name, look) || !look.isAway(name)) queued += lines;
    }
    if (queued >= QUEUED_MAX || held >= HELD_MAX) return false;
    const isAlone = !this.#isShared && nowMs - this.#firstMs >= STUCK_MS;
    return queued === 0 || isAlone || nowMs - this.#stuckSinceMs >= STUCK_MS;
  }

  /** Takes note of the block that was asked for. Blocks that this node took none of in between are other nodes'. */
  take(row: BatchBlock | null, nowMs: number): void {
    this.hasAll = row === null;
    if (row === null) return;
    this.#firstMs = Math.min(this.#firstMs, nowMs);
    if (row.block > this.#lastBlock) {
      this.#isShared = row.block > this.#lastBlock + 1;
      this.#lastBlock = row.block;
    }
    this.nextBlock = row.block + 1;
    this.blocks.set(row.block, new RunningBlock(row));
  }

  /** The lines here that haven't started, by their models. */
  countQueued(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const block of this.blocks.values()) block.countQueued(counts);
    return counts;
  }

  /** Returns for how long the number of lines that are left has been the same. */
  measureStill(left: number, nowMs: number): number {
    if (left !== this.#changed.left) this.#changed = { left, atMs: nowMs };
    return nowMs - this.#changed.atMs;
  }

  /** True if a line may start now, as far as the batch is concerned. */
  mayStart(nowMs: number): boolean {
    if (this.batch.status !== "in_progress" || this.isUnpaid || nowMs >= this.batch.expiresAtMs) return false;
    if (!this.room.hasRoomFor(this.batch)) return false;
    return (
      nowMs >= this.pausedUntilMs && nowMs >= this.crowdedUntilMs && !(this.isProbing && this.flying > 0)
    );
  }

  /** Returns the name of a model in the batch: the same headers and the same key go with it. */
  nameModel(model: string): string {
    if (this.#named.model !== model) this.#named = { model, name: `${this.id} ${model}` };
    return this.#named.name;
  }

  /** Lines that have waited for too long may all start, so that they end unless something takes them. */
  #may(model: string, name: string, look: ModelLook): boolean {
    return look.may(name) || (this.overdue.has(model) && look.isShut(name));
  }

  #mayNow(model: string, look: ModelLook): boolean {
    const known = this.#known.get(model);
    if (known !== undefined) return known;
    const may = this.#may(model, this.nameModel(model), look);
    this.#known.set(model, may);
    return may;
  }

  /** Returns the next line in the order of the file. Null if there is none here. Those of a shut model try it in turn. */
  findNext(nowMs: number, look: ModelLook): NextLine | null {
    let first: NextLine | null = null;
    this.#known.clear();
    const may = (model: string) => this.#mayNow(model, look);
    for (const block of this.blocks.values()) {
      if (first !== null && first.block.number < block.number) continue;
      const at = block.findNext(nowMs, may);
      if (at !== null) first = { block, at };
    }
    if (first === null) return null;
    this.#stuckSinceMs = null;
    const model = first.block.nameModel(first.at);
    return look.isShut(this.nameModel(model)) ? this.#findLeastTried(first, model, nowMs) : first;
  }

  #findLeastTried(first: NextLine, model: string, nowMs: number): NextLine {
    let least = first;
    for (const block of this.blocks.values()) {
      const at = block.findLeastTried(nowMs, model);
      if (at === null) continue;
      const waits = block.countWaits(at) - least.block.countWaits(least.at);
      if (waits < 0 || (waits === 0 && block.number < least.block.number)) least = { block, at };
    }
    return least;
  }

  /** Ends all calls in flight. */
  abort(): void {
    for (const { flying } of this.blocks.values()) for (const ending of flying.values()) ending.end();
  }
}

export function describeReady(job: RunningBatch, { block, at }: NextLine): ReadyLine {
  const { accountId, payer, id } = job;
  return { accountId, payer, id, job, block, at };
}
