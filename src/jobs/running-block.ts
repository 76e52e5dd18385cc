// A block whose lines this node runs: which are left, which are in flight, and results that aren't written yet.
import type { BatchBlock, BatchSums, ResultPiece } from "../core/batches/batch.ts";
import type { Ending } from "../core/world/ending.ts";
import { addTry, countOpen, countTries, endLines, isOpen, type LineEnd, numberLine } from "./lines.ts";
import { numberPiece } from "./objects.ts";

/** A line that has ended, with its result's text. Empty if it has none. */
export interface EndedLine extends Pick<BatchSums, "costNanoUsd" | "chargedNanoUsd"> {
  readonly at: number;
  readonly end: LineEnd;
  readonly text: string;
  /** True for one that ended because no model answered it. */
  readonly isUnanswered?: boolean;
}

interface Queue {
  readonly model: string;
  /** In the order of the file. */
  readonly lines: number[];
}

export class RunningBlock {
  row: BatchBlock;
  /** True while results are on their way to the store. */
  isWriting = false;
  /** True once its results have waited for long enough. */
  isDue = false;
  /** True while a timer runs at whose end they have. */
  isTimed = false;
  /** True for a while after results couldn't be written. */
  isResting = false;
  readonly flying = new Map<number, Ending>();
  ended: EndedLine[] = [];
  endedCharacters = 0;
  /** Pieces that were written without it being known whether the row names them. */
  readonly unnamed: ResultPiece[] = [];
  /** The bytes of results that the store doesn't count yet. */
  unwrittenBytes = 0;
  /** Lines that wait, with the time until which they do. */
  readonly #waiting = new Map<number, number>();
  /** The times in a row that a line was tried again here. */
  readonly #waits = new Map<number, number>();
  /** The lines that haven't started, by their models. A list, since each line's start looks at all of them. */
  readonly #queues: Queue[] = [];
  #piecesMade = 0;

  constructor(row: BatchBlock) {
    this.row = row;
    for (let at = 0; at < row.states.length; at++)
      if (isOpen(row.states, at)) this.#queueOf(this.nameModel(at)).push(at);
  }

  get number(): number {
    return this.row.block;
  }

  /** A line's number in its batch, from 1. */
  countLine(at: number): number {
    return numberLine(this.row.block, at);
  }

  /** The model that a line asks for. Empty if it names none. */
  nameModel(at: number): string {
    return this.row.places[at]?.model ?? "";
  }

  #queueOf(model: string): number[] {
    for (const queue of this.#queues) if (queue.model === model) return queue.lines;
    const lines: number[] = [];
    this.#queues.push({ model, lines });
    return lines;
  }

  /** The lines that haven't started. */
  get queued(): number {
    let sum = 0;
    for (const { lines } of this.#queues) sum += lines.length;
    return sum;
  }

  /** Adds the lines that haven't started to the counts of their models. */
  countQueued(counts: Map<string, number>): void {
    for (const { model, lines } of this.#queues)
      if (lines.length > 0) counts.set(model, (counts.get(model) ?? 0) + lines.length);
  }

  /** True if nothing is left to run here, and all results are written. */
  get isOver(): boolean {
    return this.row.remaining === 0 && this.flying.size === 0 && this.ended.length === 0;
  }

  /** Returns the next line that may start, in the order of the file. Null if none may. */
  findNext(nowMs: number, may: (model: string) => boolean): number | null {
    let first: number | null = null;
    for (const { model, lines } of this.#queues) {
      if (lines.length === 0 || !may(model)) continue;
      for (const at of lines) {
        if ((this.#waiting.get(at) ?? 0) > nowMs) continue;
        if (first === null || at < first) first = at;
        break;
      }
    }
    return first;
  }

  /** Returns the first of a model's lines that have waited least often of those that may start. Null if none may. */
  findLeastTried(nowMs: number, model: string): number | null {
    let least: number | null = null;
    for (const at of this.#queueOf(model)) {
      if ((this.#waiting.get(at) ?? 0) > nowMs) continue;
      if (least === null || this.countWaits(at) < this.countWaits(least)) least = at;
    }
    return least;
  }

  begin(at: number, ending: Ending): void {
    const queue = this.#queueOf(this.nameModel(at));
    if (queue[0] === at) queue.shift();
    else queue.splice(queue.indexOf(at), 1);
    this.#waiting.delete(at);
    this.flying.set(at, ending);
  }

  /** The line goes back to its place, once: if that fails half-way, it is put back again. */
  putBack(at: number, untilMs: number, isCounted: boolean): void {
    this.flying.delete(at);
    if (isCounted) this.row = { ...this.row, states: addTry(this.row.states, at) };
    this.#waiting.set(at, untilMs);
    const queue = this.#queueOf(this.nameModel(at));
    if (queue.includes(at)) return;
    const behind = queue.findIndex((other) => other > at);
    queue.splice(behind === -1 ? queue.length : behind, 0, at);
  }

  countTries(at: number): number {
    return countTries(this.row.states, at);
  }

  /** Returns how often the line was put back to be tried again, here or on a node before. */
  countWaits(at: number): number {
    return Math.max(this.#waits.get(at) ?? 0, this.countTries(at));
  }

  addWait(at: number): void {
    this.#waits.set(at, this.countWaits(at) + 1);
  }

  end(line: EndedLine): void {
    this.flying.delete(line.at);
    this.ended.push(line);
    this.endedCharacters += line.text.length;
    this.unwrittenBytes += Buffer.byteLength(line.text);
  }

  /** The results of these lines are written. */
  settle(row: BatchBlock, ended: readonly EndedLine[]): void {
    this.row = row;
    for (const { text } of ended) this.unwrittenBytes -= Buffer.byteLength(text);
  }

  /**
   * Returns the number of a piece for results. It is never one that was used before: a write whose answer was lost may have
   * named it, and the block may be another node's since then.
   */
  takePiece(): number {
    for (;;) {
      const number = numberPiece(this.row, this.#piecesMade++);
      if (!this.row.pieces.some((piece) => piece.number === number)) return number;
    }
  }

  /** Returns the block's row with these lines ended. */
  describe(ended: readonly EndedLine[], pieces: readonly ResultPiece[]): BatchBlock {
    const { row } = this;
    const states = endLines(row.states, ended);
    const remaining = countOpen(states);
    const node = remaining === 0 ? null : row.node;
    return { ...row, node, states, remaining, pieces: [...row.pieces, ...pieces] };
  }
}
