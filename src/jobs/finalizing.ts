// The end of a batch: its results become files, and lines without an answer are named.
import type { Batch, BatchBlock, BatchMistake, ResultKind } from "../core/batches/batch.ts";
import type { StoredFile } from "../core/batches/file.ts";
import { FileMissing, type NewFile, PIECE_BYTES, RESULTS } from "../files/port.ts";
import { complete, fail } from "./job.ts";
import { moveLeased, type TakenBatch, takeLease } from "./leases.ts";
import { LINES_OF_BLOCK } from "./lines.ts";
import { nameResults, numberPiece, writePieces } from "./objects.ts";
import type { JobPorts } from "./ports.ts";

/** Blocks read at once. */
const BLOCKS_AT_ONCE = 4;
const UNANSWERED = { X: "cancelled", E: "expired", M: "unpaid" } as const;

/** Returns true once the batch has ended. False if it is another node's, or has become so. */
export async function finalize(ports: JobPorts, { accountId, id }: Batch): Promise<boolean> {
  const taken = await takeLease(ports, { accountId, id }, "finalizing");
  if (taken === null) return false;
  try {
    return await putTogether(ports, taken);
  } catch (thrown) {
    if (!(thrown instanceof FileMissing)) throw thrown;
    const failed = await moveLeased(ports, taken, (found, nowMs) => fail(found, [RESULTS_MISSING], nowMs));
    // Otherwise another node has put them together.
    if (failed !== null) ports.files.missing.note({ accountId, object: thrown.object }, thrown.message);
    return failed !== null;
  }
}

const RESULTS_MISSING: BatchMistake = {
  code: "file_missing",
  message: "Results of this batch can't be read any more. What its lines cost stays in the books.",
  param: null,
  line: null,
};

/** The files and the end of the batch are one transaction. All that is written before it may be written again. */
async function putTogether(ports: JobPorts, taken: TakenBatch): Promise<boolean> {
  const { batch } = taken;
  const isOpenai = batch.surface === "openai-batches";
  const output = isOpenai ? await makeFile(ports, batch, "o") : null;
  const errors = isOpenai ? await makeFile(ports, batch, "e") : null;
  const sums = await ports.store.batches.sum(batch);
  const ended = await moveLeased(ports, taken, (found, nowMs) => {
    if (found.status !== "finalizing") return null;
    const { costNanoUsd, chargedNanoUsd } = found.detail.sums;
    // Rows may have gone meanwhile.
    const whole = {
      ...sums,
      costNanoUsd: Math.max(sums.costNanoUsd, costNanoUsd),
      chargedNanoUsd: Math.max(sums.chargedNanoUsd, chargedNanoUsd),
    };
    const ids = { outputFileId: output?.id ?? null, errorFileId: errors?.id ?? null };
    const files = [output, errors].filter((file) => file !== null);
    return { ...complete(found, { ...ids, sums: whole }, nowMs), files };
  });
  return ended !== null;
}

/** Makes a file out of the pieces that the results were written as. Null if there are no such lines. */
async function makeFile(ports: JobPorts, batch: Batch, kind: ResultKind): Promise<StoredFile | null> {
  const { files, clock, fileRules } = ports;
  const { completed, failed, cancelled, expired, unpaid } = batch.detail.counts;
  const lines = kind === "o" ? completed : failed + cancelled + expired + unpaid;
  if (lines === 0) return null;
  const { accountId, memberId, keyId, detail } = batch;
  const createdMs = clock.nowMs();
  const keptMs = Math.min(fileRules().keepMs, (detail.outputSeconds ?? Number.POSITIVE_INFINITY) * 1000);
  const file: NewFile = {
    id: nameResults(batch, kind),
    form: "openai",
    owner: { accountId, memberId },
    keyId,
    name: `${batch.id}_${kind === "o" ? "output" : "error"}.jsonl`,
    purpose: RESULTS,
    type: "application/jsonl",
    createdMs,
    expiresMs: createdMs + keptMs,
  };
  return files.assemble(file, numberPieces(ports, batch, kind));
}

type ReadPorts = Pick<JobPorts, "store" | "files" | "words">;

async function* numberPieces(ports: ReadPorts, batch: Batch, kind: ResultKind): AsyncGenerator<number> {
  for await (const { pieces } of readBlocks(ports, batch))
    for (const piece of pieces) if (piece.kind === kind) yield piece.number;
  if (kind === "e") yield* writeUnanswered(ports, batch);
}

/** Names the lines without an answer behind all others, in pieces whose numbers no block has. */
async function* writeUnanswered(ports: ReadPorts, batch: Batch): AsyncGenerator<number> {
  const block = Math.ceil(batch.detail.counts.total / LINES_OF_BLOCK);
  const numberOf = (made: number) => numberPiece({ block, lease: 0 }, made);
  const place = { accountId: batch.accountId, object: nameResults(batch, "e") };
  const read = async function* () {
    for await (const found of readBlocks(ports, batch)) yield* describeUnanswered(ports, batch, found);
  };
  const bytes = await writePieces(ports.files, place, read(), numberOf);
  for (let made = 0; made * PIECE_BYTES < bytes; made++) yield numberOf(made);
}

/** Yields the lines of the results of a form that keeps them without files, in the order of their blocks. Throws FileMissing. */
export async function* readResults(ports: ReadPorts, batch: Batch): AsyncGenerator<Uint8Array> {
  for await (const block of readBlocks(ports, batch)) {
    for (const { number, kind } of block.pieces)
      yield ports.files.pieces.read(batch.accountId, nameResults(batch, kind), number);
    yield* describeUnanswered(ports, batch, block);
  }
}

async function* readBlocks({ store }: Pick<ReadPorts, "store">, batch: Batch): AsyncGenerator<BatchBlock> {
  for (let from = 0; ; from += BLOCKS_AT_ONCE) {
    const wanted = { from, most: BLOCKS_AT_ONCE };
    const blocks = await store.batches.change(batch, wanted, (_, found) => ({ result: found }));
    yield* blocks;
    if (blocks.length < BLOCKS_AT_ONCE) return;
  }
}

function* describeUnanswered(
  { words }: Pick<ReadPorts, "words">,
  batch: Batch,
  block: BatchBlock,
): Generator<Uint8Array> {
  const lines = [...block.states].flatMap((state, at) => {
    const end = state === "X" || state === "E" || state === "M" ? UNANSWERED[state] : null;
    const { customId = "" } = block.places[at] ?? {};
    const line = block.block * LINES_OF_BLOCK + at + 1;
    return end === null
      ? []
      : [words[batch.surface].writeUnanswered({ batchId: batch.id, line, customId, end })];
  });
  if (lines.length > 0) yield new TextEncoder().encode(lines.join(""));
}
