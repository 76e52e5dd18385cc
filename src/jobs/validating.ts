// Validation: the input is read once, line by line, before any line runs. Each line's place is noted, so that it can be
// read alone later.
import type { Batch, BatchBlock, BatchMistake, LinePlace } from "../core/batches/batch.ts";
import { releaseRead } from "../core/world/free-bytes.ts";
import { takeTurns } from "../core/world/input-turns.ts";
import { FileMissing } from "../files/port.ts";
import { makeEstimates } from "./estimating.ts";
import { fail, startRunning, type Transition } from "./job.ts";
import { takeLease } from "./leases.ts";
import { LINES_OF_BLOCK, openLines } from "./lines.ts";
import { nameInput, readInput } from "./objects.ts";
import type { JobPorts } from "./ports.ts";

const ERRORS_MAX = 100;
/** Written in one transaction. */
const BLOCKS_AT_ONCE = 4;

/** Returns true once the batch has gone on. False if it is another node's. */
export async function validate(ports: JobPorts, { accountId, id }: Batch): Promise<boolean> {
  const taken = await takeLease(ports, { accountId, id }, "validating");
  if (taken === null) return false;
  const { batch } = taken;
  const input = new Input(ports, batch);
  try {
    await input.read();
  } catch (error) {
    if (!(error instanceof FileMissing)) throw error;
    noteMissing(ports, batch, error);
    input.errors.push(makeMissing(batch));
  }
  if (input.isGone) return true;
  const { errors, total, model } = input;
  const estimates = errors.length > 0 ? null : await makeEstimates(ports, batch, total);
  await moveOn(ports, batch, (found, nowMs) =>
    estimates === null
      ? fail(found, errors, nowMs)
      : startRunning(found, { ...estimates, total, model }, nowMs),
  );
  return true;
}

export function makeMissing({ detail }: Batch): BatchMistake {
  const { inputFileId: id } = detail;
  const message =
    id === null
      ? "The requests of this batch can't be read any more. Please send them again."
      : `The file '${id}' can't be read any more. Please upload it again, and make another batch.`;
  return { code: "file_missing", message, param: "input_file_id", line: null };
}

/** Tells the operator that pieces of the batch's input are missing. */
export function noteMissing({ files }: Pick<JobPorts, "files">, batch: Batch, thrown: FileMissing): void {
  const { accountId, detail } = batch;
  files.missing.note({ accountId, object: detail.inputFileId ?? nameInput(batch) }, thrown.message);
}

/** Changes the batch as it is by then. */
export function moveOn(
  { store, clock }: Pick<JobPorts, "store" | "clock">,
  of: Batch,
  move: (batch: Batch, nowMs: number) => Transition,
): Promise<Batch | null> {
  return store.batches.change(of, { numbers: [] }, (found) => {
    if (found === null) return { result: null };
    const { batch, events } = move(found, clock.nowMs());
    return { batch, events, result: batch };
  });
}

class Input {
  readonly errors: BatchMistake[] = [];
  total = 0;
  /** The model that all lines name so far. Null if they name several, or none. */
  model: string | null = null;
  /** True once the batch was cancelled or deleted. */
  isGone = false;
  readonly #ports: JobPorts;
  readonly #batch: Batch;
  #places: LinePlace[] = [];
  #blocks: BatchBlock[] = [];
  #written = 0;

  constructor(ports: JobPorts, batch: Batch) {
    this.#ports = ports;
    this.#batch = batch;
  }

  async read(): Promise<void> {
    const { files, words, bodyBytesMax, rules, nextTurn } = this.#ports;
    const batch = this.#batch;
    const { linesMax } = rules();
    const input = takeTurns(releaseRead(readInput(files, batch, 0, batch.detail.inputBytes)), nextTurn);
    for await (const line of words[batch.surface].readLines(batch, input, bodyBytesMax)) {
      if (this.isGone || this.errors.length >= ERRORS_MAX) return;
      if (++this.total > linesMax) {
        this.errors.push(makeTooMany(linesMax));
        return;
      }
      if ("mistake" in line) {
        this.errors.push(line.mistake);
        // The whole input is something else.
        if (line.mistake.line === null) return;
      } else await this.#add(line.place);
    }
    if (this.total === 0) this.errors.push(EMPTY);
    this.#close();
    await this.#write();
  }

  async #add(place: LinePlace): Promise<void> {
    if (this.total === 1) this.model = place.model || null;
    else if (place.model !== this.model) this.model = null;
    this.#places.push(place);
    if (this.#places.length < LINES_OF_BLOCK) return;
    this.#close();
    if (this.#blocks.length >= BLOCKS_AT_ONCE) await this.#write();
  }

  #close(): void {
    const places = this.#places;
    if (places.length === 0) return;
    const { accountId, id: batchId } = this.#batch;
    const block = this.#written + this.#blocks.length;
    const states = openLines(places.length);
    const rest = { node: null, lease: 0, remaining: places.length, states, places, pieces: [] };
    this.#blocks.push({ accountId, batchId, block, ...rest });
    this.#places = [];
  }

  /** Nothing is kept of an input with mistakes. */
  async #write(): Promise<void> {
    const blocks = this.#blocks;
    this.#written += blocks.length;
    this.#blocks = [];
    if (this.errors.length > 0 || blocks.length === 0) return;
    this.isGone = await this.#ports.store.batches.change(this.#batch, { numbers: [] }, (found) =>
      found?.status === "validating" ? { blocks, result: false } : { result: true },
    );
  }
}

const EMPTY: BatchMistake = {
  code: "empty_file",
  message: "The input has no lines.",
  param: "input_file_id",
  line: null,
};

function makeTooMany(linesMax: number): BatchMistake {
  const message = `The input has more than ${linesMax} lines (batches.lines).`;
  return { code: "too_many_lines", message, param: "input_file_id", line: linesMax + 1 };
}
