// The end of a batch: results are put together from the pieces of its blocks, and lines without an answer are named.
import type { Batch, BatchBlock, BatchMistake } from "../core/batches/batch.ts";
import { releaseRead } from "../core/world/free-bytes.ts";
import { FileMissing, type NewFile } from "../files/port.ts";
import { complete, fail } from "./job.ts";
import { takeLease } from "./leases.ts";
import { LINES_OF_BLOCK } from "./lines.ts";
import { nameResults } from "./objects.ts";
import type { JobPorts } from "./ports.ts";
import { moveOn } from "./validating.ts";

/** Blocks read at once. */
const BLOCKS_AT_ONCE = 16;
const UNANSWERED = { X: "cancelled", E: "expired", M: "unpaid" } as const;

type Kind = "o" | "e";

/** Returns once the batch has ended, or is another node's. */
export async function finalize(ports: JobPorts, { accountId, id }: Batch): Promise<void> {
  const batch = await takeLease(ports, { accountId, id }, "finalizing");
  if (batch === null) return;
  try {
    await putTogether(ports, batch);
  } catch (thrown) {
    if (!(thrown instanceof FileMissing)) throw thrown;
    ports.files.missing.note({ accountId, object: nameResults(batch) }, thrown.message);
    await moveOn(ports, batch, (found, nowMs) => fail(found, [RESULTS_MISSING], nowMs));
  }
}

const RESULTS_MISSING: BatchMistake = {
  code: "file_missing",
  message: "Results of this batch can't be read any more. What its lines cost stays in the books.",
  param: null,
  line: null,
};

async function putTogether(ports: JobPorts, batch: Batch): Promise<void> {
  const isOpenai = batch.surface === "openai-batches";
  const outputFileId = isOpenai ? await saveFile(ports, batch, "o") : null;
  const errorFileId = isOpenai ? await saveFile(ports, batch, "e") : null;
  const sums = await ports.store.batches.sum(batch);
  await moveOn(ports, batch, (found, nowMs) => {
    const { costNanoUsd, chargedNanoUsd } = found.detail.sums;
    // Rows may have gone meanwhile.
    const whole = {
      ...sums,
      costNanoUsd: Math.max(sums.costNanoUsd, costNanoUsd),
      chargedNanoUsd: Math.max(sums.chargedNanoUsd, chargedNanoUsd),
    };
    const moved = complete(found, { outputFileId, errorFileId, sums: whole }, nowMs);
    return isOpenai ? { ...moved, batch: { ...moved.batch, bytes: 0 } } : moved;
  });
  if (isOpenai) await ports.files.pieces.remove(batch.accountId, nameResults(batch));
}

/** Returns the file's id, always the same. Null if there are no such lines. */
async function saveFile(ports: JobPorts, batch: Batch, kind: Kind): Promise<string | null> {
  const { files, clock, fileRules } = ports;
  const { completed, failed, cancelled, expired, unpaid } = batch.detail.counts;
  const lines = kind === "o" ? completed : failed + cancelled + expired + unpaid;
  if (lines === 0) return null;
  const { accountId, memberId, keyId, detail } = batch;
  const createdMs = clock.nowMs();
  const keptMs = Math.min(fileRules().keepMs, (detail.outputSeconds ?? Number.POSITIVE_INFINITY) * 1000);
  const digits = batch.id.slice("batch_".length);
  const file: NewFile = {
    id: `file-${digits}${kind === "o" ? "01" : "02"}`,
    form: "openai",
    owner: { accountId, memberId },
    keyId,
    name: `${batch.id}_${kind === "o" ? "output" : "error"}.jsonl`,
    purpose: "batch_output",
    type: "application/jsonl",
    createdMs,
    expiresMs: createdMs + keptMs,
  };
  // An earlier try may have got as far as this.
  await files.remove(file.id, file.owner);
  return (await files.save(file, releaseRead(readResults(ports, batch, [kind])))).id;
}

/** Yields the lines of results, in the order of their blocks. Throws FileMissing. */
export async function* readResults(
  ports: Pick<JobPorts, "store" | "files" | "words">,
  batch: Batch,
  kinds: readonly Kind[],
): AsyncGenerator<Uint8Array> {
  for (let from = 0; ; from += BLOCKS_AT_ONCE) {
    const wanted = { from, most: BLOCKS_AT_ONCE };
    const blocks = await ports.store.batches.change(batch, wanted, (_, found) => ({ result: found }));
    for (const block of blocks) yield* readBlock(ports, batch, block, kinds);
    if (blocks.length < BLOCKS_AT_ONCE) return;
  }
}

async function* readBlock(
  { files, words }: Pick<JobPorts, "files" | "words">,
  batch: Batch,
  block: BatchBlock,
  kinds: readonly Kind[],
): AsyncGenerator<Uint8Array> {
  for (const { number, kind } of block.pieces)
    if (kinds.includes(kind)) yield files.pieces.read(batch.accountId, nameResults(batch), number);
  if (!kinds.includes("e")) return;
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
