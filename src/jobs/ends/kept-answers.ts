// Answers that were stored when their lines were settled, and whose results nobody has written yet: the node that gets their
// block next does so before anything else happens to these lines.
import { type Batch, type BatchBlock, nameLineReply, type RepliesWanted } from "../../core/batches/batch.ts";
import { errorBody, toFault } from "../../core/faults/fault.ts";
import type { KeptReply } from "../../core/log/kept.ts";
import { FileMissing } from "../../files/port.ts";
import { InputPieces } from "../input-pieces.ts";
import { answerLine, endOneLine } from "../line-results.ts";
import { listOpen, numberLine } from "../lines.ts";
import type { JobPorts } from "../ports.ts";
import { RunningBlock } from "../running-block.ts";
import { RESULT_CHARACTERS, writeResults } from "../writing.ts";

export type KeptPorts = Pick<JobPorts, "store" | "files" | "clock" | "words" | "log" | "replay">;

/** Returns the names of the stored answers that lines of a block may have. Nobody has run those of one that nobody ever took. */
export function listReplies(batchId: string, { block, lease, states }: BatchBlock): readonly string[] {
  return lease === 0 ? [] : listOpen(states).map((at) => nameLineReply(batchId, numberLine(block, at)));
}

/** Returns the lines of a block that haven't ended, and whose answers are stored. */
export function listAnswered(
  batchId: string,
  { block, states }: BatchBlock,
  answered: ReadonlyMap<string, KeptReply>,
): readonly number[] {
  return listOpen(states).filter((at) => answered.has(nameLineReply(batchId, numberLine(block, at))));
}

/** A batch, and a block of it that is this node's. */
interface HeldBlock {
  readonly batch: Batch;
  readonly row: BatchBlock;
}

/** Writes the results of all lines of a block that were answered before it was taken. Null if it is another node's by now. */
export async function takeOverAnswers(
  ports: KeptPorts,
  { batch, row }: HeldBlock,
): Promise<HeldBlock | null> {
  const replies = listReplies(batch.id, row);
  // The first to take a block finds nothing.
  if (row.lease <= 1 || replies.length === 0) return { batch, row };
  const answered = await readReplies(ports, batch, { ids: replies, hasTexts: false });
  return writeAnswered(ports, { batch, row }, listAnswered(batch.id, row, answered));
}

function readReplies({ store }: KeptPorts, batch: Batch, replies: RepliesWanted) {
  return store.batches.change(batch, { numbers: [], replies }, (_batch, _blocks, answered) => ({
    result: answered,
  }));
}

/** Writes the results of lines of a block from their stored answers. Null if it is another node's by now. */
export async function writeAnswered(
  ports: KeptPorts,
  { batch, row }: HeldBlock,
  lines: readonly number[],
): Promise<HeldBlock | null> {
  const block = new RunningBlock(row);
  const pieces = new InputPieces(ports.files);
  let written: Batch | null = batch;
  for (const [done, at] of lines.entries()) {
    await replayLine(ports, { batch, block, at }, pieces);
    if (block.endedCharacters < RESULT_CHARACTERS && done < lines.length - 1) continue;
    const { ended } = block;
    block.ended = [];
    block.endedCharacters = 0;
    written = await writeResults(ports, batch, block, ended);
    if (written === null) return null;
  }
  return { batch: written, row: block.row };
}

interface KeptLine {
  readonly batch: Batch;
  readonly block: RunningBlock;
  readonly at: number;
}

async function replayLine(ports: KeptPorts, line: KeptLine, pieces: InputPieces): Promise<void> {
  const { batch, block, at } = line;
  const { store, replay } = ports;
  const place = block.row.places[at];
  const id = nameLineReply(batch.id, block.countLine(at));
  const reply = (await readReplies(ports, batch, { ids: [id], hasTexts: true })).get(id);
  if (reply === undefined || place === undefined) return;
  const row = await store.request(reply.requestId);
  const { requestId = reply.requestId, costNanoUsd = 0, chargedNanoUsd = 0 } = row ?? {};
  const costs = { requestId, costNanoUsd, chargedNanoUsd };
  try {
    const { endpoint: path, headers } = batch.detail;
    const body = await pieces.read(batch, place);
    const shown = await replay({ owner: batch, path, headers, body, reply, chargedNanoUsd });
    answerLine(ports, line, { ...shown, ...costs });
  } catch (thrown) {
    const fault = toFault(thrown);
    // All else says that the answer can't be shown any more, and that isn't going to change.
    if (fault.code === "store_unavailable") throw thrown;
    if (fault.code === "internal_error" && !(thrown instanceof FileMissing))
      ports.log({ event: "batches_failed", level: "error", cause: String(thrown) });
    const shown = { status: fault.row.status, body: JSON.stringify(errorBody(fault)) };
    endOneLine(ports, line, "failed", { ...shown, ...costs });
  }
}
