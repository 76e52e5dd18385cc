// One try of a line, and what follows from it.
import type { LinePlacing } from "../core/batches/line-pace.ts";
import { type Fault, toFault } from "../core/faults/fault.ts";
import { Ending } from "../core/world/ending.ts";
import { FileMissing } from "../files/port.ts";
import { cancelForKey, cancelForMove, goOn, PROBE_MS, stopBatch } from "./ends/stopping.ts";
import { InputPieces } from "./input-pieces.ts";
import { changeDetail, fail } from "./job.ts";
import { answerLine, endOneLine } from "./line-results.ts";
import type { LineEnd } from "./lines.ts";
import { isUnanswered, noteEnd, noteFailure } from "./model-outcomes.ts";
import type { Pacing } from "./pacing.ts";
import type { JobPorts, LineResult } from "./ports.ts";
import type { RunningBatch } from "./running-batch.ts";
import type { RunningBlock } from "./running-block.ts";
import { isHealable, isUnsent, judgeFailure, type Verdict } from "./trying.ts";
import { makeMissing, moveOn, noteMissing } from "./validating.ts";

/** Results are written this long after the first of them, unless a block has ended before. */
const WRITE_MS = 1000;

interface PlacedLine {
  readonly job: RunningBatch;
  readonly block: RunningBlock;
  readonly at: number;
  readonly placing: LinePlacing;
  /** True for the only line of a batch that waits: it asks whether the reason is over. */
  readonly isProbe: boolean;
}

export class LineRunner {
  readonly #ports: JobPorts;
  readonly #pacing: Pacing;
  readonly #pieces: InputPieces;
  readonly #advance: () => void;

  constructor(ports: JobPorts, pacing: Pacing, advance: () => void) {
    this.#ports = ports;
    this.#pacing = pacing;
    this.#pieces = new InputPieces(ports.files);
    this.#advance = advance;
  }

  /** Never rejects. Returns true unless the line was let in by nobody, so that others may find room now. */
  async run(job: RunningBatch, block: RunningBlock, at: number): Promise<boolean> {
    const { clock } = this.#ports;
    const ending = new Ending();
    const placing = this.#pacing.begin(
      job.nameModel(block.nameModel(at)),
      clock.monotonicMs(),
      this.#advance,
    );
    block.begin(at, ending);
    const line = { job, block, at, placing, isProbe: job.isProbing };
    let hasRun = true;
    try {
      const result = await this.#call(line, ending);
      if (result.fault === null) this.#answer(line, result);
      else {
        hasRun = !isHealable(result.fault);
        await this.#follow(line, result, result.fault);
      }
    } catch (thrown) {
      hasRun = false;
      await this.#fail(line, thrown);
    }
    placing.end();
    this.#writeSoon(block);
    return hasRun;
  }

  /** One timer for all results that are written together. */
  #writeSoon(block: RunningBlock): void {
    if (block.isTimed || block.ended.length === 0) return;
    block.isTimed = true;
    this.#ports.clock.after(WRITE_MS, () => {
      block.isTimed = false;
      block.isDue = true;
      this.#advance();
    });
  }

  async #call({ job, block, at, placing }: PlacedLine, ending: Ending): Promise<LineResult> {
    const { rules, findKey, call } = this.#ports;
    const { batch } = job;
    const { endpoint, headers, maxCostNanoUsd } = batch.detail;
    const place = block.row.places[at];
    if (place === undefined) throw new Error(`Line ${at} of a block has no place.`);
    const key = await findKey(batch.keyId);
    if (key.accountId !== batch.accountId) throw new KeyMoved();
    const terms = {
      batchId: batch.id,
      parallelMax: rules().perAccountMax,
      ceilingNanoUsd: maxCostNanoUsd,
    };
    const read = this.#pieces.read(batch, place);
    const body = read instanceof Promise ? await read : read;
    const { customId } = place;
    const isOver = job.overdue.has(block.nameModel(at));
    const waitsFor = (fault: Fault) => isHealable(fault) && !(isOver && isUnsent(fault));
    return call({
      key,
      path: endpoint,
      body,
      headers,
      terms,
      line: block.countLine(at),
      customId,
      placing,
      waitsFor,
      ending,
    });
  }

  #nameModel({ job, block, at }: PlacedLine): string {
    return job.nameModel(block.nameModel(at));
  }

  #answer(line: PlacedLine, result: LineResult): void {
    line.job.isProbing = false;
    noteEnd(this.#pacing, this.#nameModel(line), this.#ports.clock.monotonicMs(), null);
    const { job } = line;
    job.room.take(answerLine(this.#ports, { ...line, batch: job.batch }, result));
  }

  #end(line: PlacedLine, end: LineEnd, result: LineResult, isUnanswered = false): void {
    const { job } = line;
    job.room.take(endOneLine(this.#ports, { ...line, batch: job.batch }, end, { ...result, isUnanswered }));
  }

  async #follow(line: PlacedLine, result: LineResult, fault: Fault): Promise<void> {
    const { job, block, at } = line;
    const nowMs = this.#ports.clock.nowMs();
    if (fault.code === "client_gone") return this.#leave(line, result, nowMs);
    const { triesMax } = this.#ports.rules();
    const failed = block.countTries(at);
    const verdict = judgeFailure(fault, { batchId: job.id, failed, waits: block.countWaits(at), triesMax });
    // Its model has been silent for too long.
    const isOver = verdict.kind === "unsent" && job.overdue.has(block.nameModel(at));
    if (verdict.kind === "end" || isOver) {
      job.isProbing = false;
      noteEnd(this.#pacing, this.#nameModel(line), this.#ports.clock.monotonicMs(), fault);
      this.#end(line, "failed", result, isUnanswered(fault));
    } else {
      if (line.isProbe && fault.row.blame === "provider" && !isUnsent(fault)) await goOn(this.#ports, job);
      await this.#putBack(line, verdict, fault, nowMs);
    }
  }

  /** Its call was ended: by its batch's end, or because the node stops. */
  #leave(line: PlacedLine, result: LineResult, nowMs: number): void {
    const { job, block, at } = line;
    const { status } = job.batch;
    if (status === "cancelling") this.#end(line, "cancelled", result);
    else if (nowMs >= job.batch.expiresAtMs) this.#end(line, "expired", result);
    else block.putBack(at, nowMs, false);
  }

  async #putBack(
    { job, block, at }: Pick<PlacedLine, "job" | "block" | "at">,
    verdict: Exclude<Verdict, { kind: "end" }>,
    fault: Fault,
    nowMs: number,
  ): Promise<void> {
    const isCounted = verdict.kind === "again" && verdict.isCounted;
    if (verdict.kind === "again") block.addWait(at);
    const monotonicMs = this.#ports.clock.monotonicMs();
    const shutMs = noteFailure(this.#pacing, job.nameModel(block.nameModel(at)), monotonicMs, fault);
    // A line that was sent nowhere has no wait of its own where all lines of its model wait.
    const isHeld = verdict.kind === "unsent" && shutMs !== null;
    const afterMs = isHeld || !("afterMs" in verdict) ? 0 : (verdict.afterMs ?? PROBE_MS);
    block.putBack(at, verdict.kind === "crowded" ? nowMs : nowMs + afterMs, isCounted);
    // Nothing else may happen until then.
    const nextMs = isHeld ? shutMs - monotonicMs : afterMs;
    if (nextMs > 0) this.#ports.clock.after(nextMs + 1, this.#advance);
    if (verdict.kind === "crowded")
      job.crowdedUntilMs = Math.max(job.crowdedUntilMs, nowMs + verdict.afterMs);
    if (verdict.kind === "unpaid") job.isUnpaid = true;
    if (verdict.kind === "stop") await stopBatch(this.#ports, job, fault, this.#advance);
    if (verdict.kind === "cancel") await cancelForKey(this.#ports, job, fault);
  }

  /** Takes what was thrown before the line went through the door. */
  async #fail({ job, block, at }: Pick<PlacedLine, "job" | "block" | "at">, thrown: unknown): Promise<void> {
    const { clock } = this.#ports;
    const nowMs = clock.nowMs();
    try {
      if (thrown instanceof FileMissing) {
        block.putBack(at, Number.POSITIVE_INFINITY, false);
        noteMissing(this.#ports, job.batch, thrown);
        job.batch =
          (await moveOn(this.#ports, job.batch, (batch, atMs) => failRunning(batch, atMs))) ?? job.batch;
        return;
      }
      if (thrown instanceof KeyMoved) {
        block.putBack(at, nowMs, false);
        await cancelForMove(this.#ports, job);
        return;
      }
      const fault = toFault(thrown);
      const verdict = judgeFailure(fault, { batchId: job.id, failed: 0, waits: 0, triesMax: 1 });
      const kept: Exclude<Verdict, { kind: "end" }> =
        verdict.kind === "end" ? { kind: "again", afterMs: PROBE_MS, isCounted: false } : verdict;
      await this.#putBack({ job, block, at }, kept, fault, nowMs);
      if (fault.code === "internal_error") throw thrown;
    } catch (error) {
      this.#ports.log({ event: "batches_failed", level: "error", cause: String(error) });
    }
  }
}

/** The input's pieces are gone: what was answered stays in the books. */
function failRunning(batch: Parameters<typeof fail>[0], nowMs: number) {
  return fail(changeDetail(batch, { waiting: null }), [makeMissing(batch)], nowMs);
}

class KeyMoved extends Error {}
