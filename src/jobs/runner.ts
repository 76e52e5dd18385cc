// Runs batches on this node: looks each second, or when it is woken, at all that haven't ended, and starts lines as there is
// room.

import type { Batch, BatchBlock } from "../core/batches/batch.ts";
import { toFault } from "../core/faults/fault.ts";
import { endLeft } from "./ends/ending.ts";
import { takeOverAnswers } from "./ends/kept-answers.ts";
import { watchKeys } from "./ends/key-watch.ts";
import { finalize } from "./finalizing.ts";
import { findRestEnd } from "./job.ts";
import { listAll, removeBatch } from "./kept-batches.ts";
import { takeBlock } from "./leases.ts";
import { LineRunner } from "./line-runner.ts";
import type { LineEnd } from "./lines.ts";
import { watchModels } from "./model-waits.ts";
import { NodeBusy } from "./node-busy.ts";
import { type ModelLook, Pacing } from "./pacing.ts";
import type { JobPorts } from "./ports.ts";
import { ResultRooms } from "./room/result-rooms.ts";
import { describeReady, type ReadyLine, RunningBatch } from "./running-batch.ts";
import type { RunningBlock } from "./running-block.ts";
import { Starting } from "./starting.ts";
import { StoreSpeed } from "./store-speed.ts";
import { Turns } from "./turns.ts";
import { validate } from "./validating.ts";
import { RESULT_CHARACTERS, releaseBlock, writeResults } from "./writing.ts";

const TICK_MS = 1000;
/** Batches past their keep are looked for this often. */
const SWEEP_MS = 60_000;
const RETRY_MS = 1000;

export class BatchRunner {
  readonly #ports: JobPorts;
  readonly #jobs = new Map<string, RunningBatch>();
  readonly #turns = new Turns();
  readonly #busy = new NodeBusy();
  readonly #pacing = new Pacing();
  readonly #lines: LineRunner;
  readonly #store: StoreSpeed;
  readonly #starting: Starting;
  readonly #rooms: ResultRooms;
  /** The work under way on whole batches, by its name. */
  readonly #tasks = new Map<string, Promise<void>>();
  #flying = 0;
  #isLooking = false;
  #isAwake = false;
  #isMakingWay = false;
  #isStopping = false;
  #callOff = () => {};
  #sweptMs = 0;

  constructor(ports: JobPorts) {
    this.#ports = ports;
    this.#store = new StoreSpeed(ports.clock);
    this.#starting = new Starting(ports.singles);
    this.#rooms = new ResultRooms(ports);
    this.#lines = new LineRunner(ports, this.#pacing, this.#advance);
  }

  /** The lines in flight, and of the batches that haven't ended their statuses and the reasons to wait. */
  get readings() {
    const batches = [...this.#jobs.values()].map(({ batch }) => batch);
    const waiting = batches.flatMap(({ detail }) => detail.waiting?.code ?? []);
    return { running: this.#flying, waiting, statuses: batches.map(({ status }) => status) };
  }

  /** Since when this node has been too busy to start a line. Null if it isn't. */
  readonly readBusySince = (): number | null => this.#busy.sinceMs;

  readonly countRunning = (id: string): number => this.#jobs.get(id)?.flying ?? 0;

  start(): void {
    this.#schedule(0);
  }

  /** There may be something to do: a new batch, or a cancelled one. */
  readonly wake = (): void => {
    this.#isAwake = true;
    if (!this.#isLooking) this.#schedule(0);
  };

  /** Starts nothing any more, lets lines in flight end within the time, and leaves the others to other nodes. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopping = true;
    this.#callOff();
    const { clock } = this.#ports;
    const endMs = clock.nowMs() + withinMs;
    while (this.#flying > 0 && clock.nowMs() < endMs) await this.#sleep(20);
    for (const job of this.#jobs.values()) job.abort();
    while (this.#flying > 0 && clock.nowMs() < endMs + RETRY_MS) await this.#sleep(20);
    await Promise.allSettled(this.#tasks.values());
    for (const job of this.#jobs.values()) await this.#release(job).catch(() => {});
  }

  async #release(job: RunningBatch): Promise<void> {
    for (const block of job.blocks.values()) {
      if (block.ended.length > 0) await this.#write(job, block);
      if (block.row.remaining > 0) await releaseBlock(this.#ports, job.batch, block.number);
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#ports.clock.after(ms, resolve));
  }

  #schedule(ms: number): void {
    this.#callOff();
    if (!this.#isStopping) this.#callOff = this.#ports.clock.after(ms, () => void this.#look());
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#isAwake = false;
    try {
      await this.#refresh();
      if (this.#jobs.size > 0) this.#run("watch keys", () => watchKeys(this.#ports, this.#jobs.values()));
      for (const job of this.#jobs.values()) await this.#care(job);
      this.#advance();
      await this.#busy.look(this.#ports, this.#jobs.values(), this.#isHeldBack, this.#starting.startedMs);
      await this.#sweep();
    } catch (error) {
      this.#note(error);
    } finally {
      this.#isLooking = false;
      this.#schedule(this.#isAwake ? 0 : TICK_MS);
    }
  }

  async #refresh(): Promise<void> {
    const seen = new Set<string>();
    this.#store.begin();
    for await (const batch of listAll(this.#ports, { isUnfinished: true })) {
      seen.add(batch.id);
      const job = this.#jobs.getOrInsertComputed(batch.id, () => new RunningBatch(batch));
      job.batch = batch;
      job.nextBlock = 0;
    }
    this.#store.end();
    for (const [id, job] of this.#jobs) if (!seen.has(id) && job.busy.size === 0) this.#jobs.delete(id);
    this.#turns.keep([...this.#jobs.values()]);
    this.#rooms.keep([...this.#jobs.values()]);
  }

  async #care(job: RunningBatch): Promise<void> {
    const { batch } = job;
    if (batch.status === "validating") this.#run(`validate ${batch.id}`, () => validate(this.#ports, batch));
    const nowMs = this.#ports.clock.nowMs();
    const isUnpaid = job.isUnpaid && job.flying === 0 && batch.status === "in_progress";
    const end = findRestEnd(batch, nowMs) ?? (isUnpaid ? "unpaid" : null);
    if (end !== null) await this.#end(job, end, nowMs);
    else if ((await this.#rooms.look(job, [...this.#jobs.values()])) && job.batch.status === "finalizing")
      this.#run(`finalize ${batch.id}`, () => finalize(this.#ports, batch));
    await watchModels(this.#ports, this.#pacing, job);
    for (const block of job.blocks.values()) this.#writeSoon(job, block);
  }

  /** Ends the lines that are left. Those in flight have a little time, unless money ends them. */
  async #end(job: RunningBatch, end: LineEnd, nowMs: number): Promise<void> {
    const graceMs = job.beginEnd(nowMs);
    if (graceMs !== null) this.#ports.clock.after(graceMs + 1, this.wake);
    if (nowMs >= job.endAtMs) job.abort();
    const { busy } = job;
    for (const number of job.blocks.keys()) if (!busy.has(number)) job.blocks.delete(number);
    const batch = await endLeft(this.#ports, job.batch, { end, busy });
    if (batch === null) return;
    job.batch = batch;
    if (job.isOver) this.#isAwake = true;
  }

  /** Runs a task unless it is under way. A batch that has gone on is looked at at once, and any other in a second. */
  #run(name: string, work: () => Promise<boolean>): void {
    if (this.#tasks.has(name)) return;
    const task = work()
      .catch((error) => {
        this.#note(error);
        return false;
      })
      .then((hasGoneOn) => {
        this.#tasks.delete(name);
        if (hasGoneOn) this.wake();
      });
    this.#tasks.set(name, task);
  }

  get #isHeldBack(): boolean {
    return this.#ports.isBusy() || this.#store.isSlow;
  }

  /** True if this node may start a line: one at a time even if it is always late, as where its CPU comes in slices. */
  #mayStart(): boolean {
    const { isOn, parallelMax } = this.#ports.rules();
    if (this.#isStopping || !isOn || this.#flying >= parallelMax) return false;
    return this.#flying === 0 || !this.#isHeldBack;
  }

  readonly #advance = (): void => {
    this.#startSome();
    for (const job of this.#jobs.values())
      for (const block of job.blocks.values()) this.#writeSoon(job, block);
  };

  /** Starts a few lines if there is room, and more in the next turn of the event loop. */
  #startSome(): void {
    if (this.#starting.isTaken || !this.#mayStart()) return;
    const { clock, nextTurn } = this.#ports;
    const nowMs = clock.nowMs();
    const monotonicMs = clock.monotonicMs();
    const waitMs = this.#starting.measureWait(monotonicMs);
    if (waitMs > 0) this.#makeWay(waitMs);
    const most = waitMs > 0 ? 0 : this.#starting.countMost(monotonicMs);
    const look = this.#pacing.look(monotonicMs);
    for (let left = most; left > 0 && this.#mayStart(); left--) {
      const chosen = this.#turns.next(this.#listReady(nowMs, look));
      if (chosen === null) return;
      if (this.#starting.begin(monotonicMs)) nextTurn(this.#endTurn);
      this.#start(chosen.job, chosen.block, chosen.at);
    }
  }

  readonly #endTurn = (): void => {
    this.#starting.endTurn(this.#ports.clock.monotonicMs());
    this.#startSome();
  };

  /** Lets single requests go first. */
  #makeWay(waitMs: number): void {
    if (this.#isMakingWay) return;
    this.#isMakingWay = true;
    this.#ports.clock.after(waitMs, () => {
      this.#isMakingWay = false;
      this.#advance();
    });
  }

  /** Returns the next line of each batch that may start one. */
  #listReady(nowMs: number, look: ModelLook): readonly ReadyLine[] {
    const ready: ReadyLine[] = [];
    for (const job of this.#jobs.values()) {
      if (!job.mayStart(nowMs)) continue;
      const next = job.findNext(nowMs, look);
      if (next === null) this.#takeBlock(job, nowMs, look);
      else ready.push(describeReady(job, next));
    }
    return ready;
  }

  #start(job: RunningBatch, block: RunningBlock, at: number): void {
    this.#flying++;
    void this.#lines.run(job, block, at).then((hasRun) => {
      this.#flying--;
      if (hasRun) this.#makeRoom(job.accountId);
      if (job.isOver || job.isUnpaid) this.wake();
      this.#startSome();
      // No other block has anything to write because of it: a walk through all of them would be half of the runner's work.
      this.#writeSoon(job, block);
    });
  }

  /** Lines that waited for one of the account's to end need wait no longer. */
  #makeRoom(accountId: string): void {
    for (const job of this.#jobs.values()) if (job.accountId === accountId) job.crowdedUntilMs = 0;
  }

  #takeBlock(job: RunningBatch, nowMs: number, look: ModelLook): void {
    if (nowMs < job.nextBlockMs || !job.mayTake(nowMs, look)) return;
    job.isTaking = true;
    const take = async () => {
      const own = { numbers: [...job.blocks.keys()], from: job.nextBlock };
      const row = await takeBlock(this.#ports, job.batch, own);
      const open = row && (await this.#open(job, row));
      if (row !== null && open === null) return;
      job.take(open, this.#ports.clock.nowMs());
      if (row === null) job.nextBlockMs = this.#ports.clock.nowMs() + TICK_MS;
    };
    void take()
      .catch((error) => {
        job.nextBlockMs = this.#ports.clock.nowMs() + RETRY_MS;
        this.#note(error);
      })
      .finally(() => {
        job.isTaking = false;
        this.#advance();
      });
  }

  /** A block's lines may run once what was answered of them before stands in the results. Null if none is left. */
  async #open(job: RunningBatch, row: BatchBlock): Promise<BatchBlock | null> {
    const own = await takeOverAnswers(this.#ports, { batch: job.batch, row });
    job.batch = own?.batch ?? job.batch;
    if (job.isOver) this.wake();
    return own === null || own.row.remaining === 0 ? null : own.row;
  }

  /** Writes results that have waited for long enough, or that nothing else will join. */
  #writeSoon(job: RunningBatch, block: RunningBlock): void {
    if (block.ended.length === 0 || block.isWriting || block.isResting) return;
    const isLast = block.flying.size === 0 && (block.queued === 0 || job.isEnding);
    if (isLast || block.isDue || block.endedCharacters >= RESULT_CHARACTERS) void this.#write(job, block);
  }

  async #write(job: RunningBatch, block: RunningBlock): Promise<void> {
    const { ended } = block;
    block.isWriting = true;
    block.ended = [];
    block.endedCharacters = 0;
    block.isDue = false;
    try {
      const batch = await writeResults(this.#ports, job.batch, block, ended);
      if (batch === null) job.blocks.delete(block.number);
      else job.batch = batch;
      if (block.isOver) job.blocks.delete(block.number);
      if (job.isOver || job.isEnding) this.wake();
    } catch (error) {
      block.ended = [...ended, ...block.ended];
      block.isDue = true;
      block.isResting = true;
      // The answers of further lines would stay in memory meanwhile.
      job.pausedUntilMs = Math.max(job.pausedUntilMs, this.#ports.clock.nowMs() + RETRY_MS);
      this.#note(error);
      this.#ports.clock.after(RETRY_MS, () => {
        block.isResting = false;
        this.#writeSoon(job, block);
      });
    } finally {
      block.isWriting = false;
    }
    this.#advance();
  }

  async #sweep(): Promise<void> {
    const { clock, rules } = this.#ports;
    const nowMs = clock.nowMs();
    if (nowMs - this.#sweptMs < SWEEP_MS) return;
    this.#sweptMs = nowMs;
    const gone: Batch[] = [];
    for await (const batch of listAll(this.#ports, { endedBeforeMs: nowMs - rules().keepMs }))
      gone.push(batch);
    for (const batch of gone) await removeBatch(this.#ports, batch);
  }

  #note(error: unknown): void {
    const { code, details } = toFault(error);
    const isExpected = code === "store_unavailable";
    this.#ports.log({
      event: "batches_failed",
      level: isExpected ? "warn" : "error",
      cause: details.reason ?? (error instanceof Error ? (error.stack ?? error.message) : String(error)),
    });
  }
}
