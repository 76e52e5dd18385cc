// A batch whose lines this node runs: its blocks here, and why no line of it starts.
import { type Batch, hasEnded } from "../core/batches/batch.ts";
import { AccountRoom } from "./account-room.ts";
import type { RunningBlock } from "./running-block.ts";

/** Blocks aren't taken from other nodes beyond this many lines that can't start here. */
const QUEUED_MAX = 1024;
/** Nor before no line of the blocks here could start for this long: other nodes may have room for the next block. */
const STUCK_MS = 3000;
/** Lines in flight have this long once their batch was cancelled or its window has ended. */
const GRACE_MS = 3000;
/** They have at least this long once this node knows, which may be late or go by another clock. */
const GRACE_LEAST_MS = 1000;

interface NextLine {
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
  /** Since when no line of its blocks could start. Null while one can. */
  #stuckSinceMs: number | null = null;
  /** The name of the model of the last line: most lines ask for the same one. */
  #named = { model: "", name: "" };
  /** Shared with the other batches of its account. There is none before it was looked at. */
  room = new AccountRoom();
  /** The time at which lines in flight are ended. Infinity while the batch may run. */
  endAtMs = Number.POSITIVE_INFINITY;

  constructor(batch: Batch) {
    this.batch = batch;
    this.isProbing = batch.detail.waiting !== null;
    this.#named = { model: "", name: `${batch.id} ` };
  }

  get accountId(): string {
    return this.batch.accountId;
  }

  get id(): string {
    return this.batch.id;
  }

  get flying(): number {
    let sum = 0;
    for (const { flying } of this.blocks.values()) sum += flying.size;
    return sum;
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

  /** True if another block may be taken, now that no line can start: lines that wait for their provider don't keep others back. */
  mayTake(nowMs: number): boolean {
    let queued = 0;
    for (const block of this.blocks.values()) queued += block.queued;
    this.#stuckSinceMs ??= nowMs;
    const isStuck = queued === 0 || nowMs - this.#stuckSinceMs >= STUCK_MS;
    return !this.isTaking && isStuck && queued < QUEUED_MAX;
  }

  /** True if a line may start now, as far as the batch is concerned. */
  mayStart(nowMs: number): boolean {
    if (this.batch.status !== "in_progress" || this.isUnpaid || nowMs >= this.batch.expiresAtMs) return false;
    if (!this.room.hasRoomFor(this.batch)) return false;
    return (
      nowMs >= this.pausedUntilMs && nowMs >= this.crowdedUntilMs && !(this.isProbing && this.flying > 0)
    );
  }

  /** Returns the name of the model that a line asks for: the same headers and the same key go with it. */
  nameModel(block: RunningBlock, at: number): string {
    const model = block.row.places[at]?.model ?? "";
    if (this.#named.model !== model) this.#named = { model, name: `${this.id} ${model}` };
    return this.#named.name;
  }

  /** Returns the next line in the order of the file. Null if there is none here. */
  findNext(nowMs: number, may: (model: string) => boolean): NextLine | null {
    let first: NextLine | null = null;
    const known = new Map<string, boolean>();
    for (const block of this.blocks.values()) {
      if (first !== null && first.block.number < block.number) continue;
      const at = block.findNext(nowMs, (line) => known.getOrInsertComputed(this.nameModel(block, line), may));
      if (at !== null) first = { block, at };
    }
    if (first !== null) this.#stuckSinceMs = null;
    return first;
  }

  /** Ends all calls in flight. */
  abort(): void {
    for (const { flying } of this.blocks.values())
      for (const controller of flying.values()) controller.abort();
  }
}
