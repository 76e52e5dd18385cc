// The end of a batch: results are put together from the pieces of its blocks, and lines without an answer are named.
import type { Batch, BatchBlock, BatchMistake } from "../core/batches/batch.ts";
import { releaseRead } from "../core/world/free-bytes.ts";
import { FileMissing, type NewFile } from "../files/port.ts";
import { complete, fail } from "./job.ts";
import { moveLeased, type TakenBatch, takeLease } from "./leases.ts";
import { LINES_OF_BLOCK } from "./lines.ts";
import { nameResults } from "./objects.ts";
import type { JobPorts } from "./ports.ts";

/** Blocks read at once. */
const BLOCKS_AT_ONCE = 16;
const UNANSWERED = { X: "cancelled", E: "expired", M: "unpaid" } as const;

type Kind = "o" | "e";

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
    if (failed !== null) ports.files.missing.note({ accountId, object: nameResults({ id }) }, thrown.message);
    return failed !== null;
  }
}

const RESULTS_MISSING: BatchMistake = {
  code: "file_missing",
  message: "Results of this batch can't be read any more. What its lines cost stays in the books.",
  param: null,
  line: null,
};

async function putTogether(ports: JobPorts, taken: TakenBatch): Promise<boolean> {
  const { batch, lease } = taken;
  const isOpenai = batch.surface === "openai-batches";
  const outputFileId = isOpenai ? await saveFile(ports, taken, "o") : null;
  const errorFileId = isOpenai ? await saveFile(ports, taken, "e") : null;
  const sums = await ports.store.batches.sum(batch);
  const ended = await moveLeased(ports, taken, (found, nowMs) => {
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
  if (!isOpenai) return ended !== null;
  if (ended === null) {
    await removeFiles(ports, batch, lease.lease);
    return false;
  }
  await ports.files.pieces.remove(batch.accountId, nameResults(batch));
  // An earlier try may have got as far as a file of its own.
  for (let earlier = 1; earlier < lease.lease; earlier++) await removeFiles(ports, batch, earlier);
  return true;
}

async function removeFiles({ files }: JobPorts, batch: Batch, lease: number): Promise<void> {
  const { accountId, memberId } = batch;
  for (const kind of ["o", "e"] as const)
    await files.remove(nameFile(batch, kind, lease), { accountId, memberId });
}

/** Each try has files of its own: one that comes too late neither writes over those of the next nor deletes them. */
function nameFile({ id }: Batch, kind: Kind, lease: number): string {
  const tries = lease === 1 ? "" : lease.toString(16).padStart(2, "0");
  return `file-${id.slice("batch_".length)}${kind === "o" ? "01" : "02"}${tries}`;
}

/** Returns the file's id. Null if there are no such lines. */
async function saveFile(ports: JobPorts, { batch, lease }: TakenBatch, kind: Kind): Promise<string | null> {
  const { files, clock, fileRules } = ports;
  const { completed, failed, cancelled, expired, unpaid } = batch.detail.counts;
  const lines = kind === "o" ? completed : failed + cancelled + expired + unpaid;
  if (lines === 0) return null;
  const { accountId, memberId, keyId, detail } = batch;
  const createdMs = clock.nowMs();
  const keptMs = Math.min(fileRules().keepMs, (detail.outputSeconds ?? Number.POSITIVE_INFINITY) * 1000);
  const file: NewFile = {
    id: nameFile(batch, kind, lease.lease),
    form: "openai",
    owner: { accountId, memberId },
    keyId,
    name: `${batch.id}_${kind === "o" ? "output" : "error"}.jsonl`,
    purpose: "batch_output",
    type: "application/jsonl",
    createdMs,
    expiresMs: createdMs + keptMs,
  };
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
