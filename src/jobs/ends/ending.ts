// The end of lines that haven't run: a transaction ends those without an answer, and what was answered is written first.
import { type Batch, type BatchBlock, nameLineReply } from "../../core/batches/batch.ts";
import { finalize } from "../job.ts";
import { isFree, listHolders } from "../leases.ts";
import { countOpen, endRest, isOpen, type LineEnd, numberLine } from "../lines.ts";
import { type ChangedBlock, countEnds } from "../writing.ts";
import { type KeptPorts, listAnswered, listReplies, writeAnswered } from "./kept-answers.ts";

/** Blocks whose lines end in one transaction. */
const BLOCKS_AT_ONCE = 50;

interface BatchEnding {
  readonly end: LineEnd;
  /** Blocks with lines in flight here. */
  readonly busy: ReadonlySet<number>;
}

/** Ends the lines that are left in blocks that are free, or this node's own. Returns the batch as it is then. */
export async function endLeft(ports: KeptPorts, batch: Batch, ending: BatchEnding): Promise<Batch | null> {
  let dead: ReadonlySet<string> = new Set();
  for (;;) {
    const { found, ended, answered, holders } = await endSome(ports, batch, ending, dead);
    if (found === null) return null;
    for (const { row, lines } of answered) await writeAnswered(ports, { batch: found, row }, lines);
    if (ended > 0) continue;
    const others = holders.filter((node) => node !== ports.store.node && !dead.has(node));
    const gone = others.length === 0 ? [] : await ports.store.listDead(others);
    if (gone.length === 0) return found;
    dead = new Set([...dead, ...gone]);
  }
}

interface EndResult {
  readonly found: Batch | null;
  /** The number of blocks that were changed. */
  readonly ended: number;
  /** Blocks with lines that were answered: they are this node's now, and their results are still to be written. */
  readonly answered: readonly AnsweredBlock[];
  readonly holders: readonly string[];
}

interface AnsweredBlock {
  readonly row: BatchBlock;
  readonly lines: readonly number[];
}

interface EndedBlock extends ChangedBlock {
  readonly answered: readonly number[];
}

async function endSome(
  { store, clock }: KeptPorts,
  of: Batch,
  { end, busy }: BatchEnding,
  dead: ReadonlySet<string>,
): Promise<EndResult> {
  const { node, batches } = store;
  const left = await batches.change(of, { remaining: BLOCKS_AT_ONCE }, (_, blocks) => ({ result: blocks }));
  const numbers = left.map(({ block }) => block);
  const replies = { ids: left.flatMap((block) => listReplies(of.id, block)), hasTexts: false };
  return batches.change<EndResult>(of, { numbers, replies }, (batch, blocks, answered) => {
    if (batch === null) return { result: { found: null, ended: 0, answered: [], holders: [] } };
    const open = blocks.filter(({ remaining }) => remaining > 0);
    const own = open.filter((one) => isFree(one.node, node, dead) && !busy.has(one.block));
    const changed = own.map((before) => endBlock(before, end, node, listAnswered(of.id, before, answered)));
    const moved = finalize(countEnds(batch, changed), clock.nowMs());
    return {
      batch: moved.batch,
      blocks: changed.map(({ after }) => after),
      events: moved.events,
      repliesGone: changed.flatMap((block) => listEndedReplies(of.id, block)),
      result: {
        found: moved.batch,
        ended: own.length,
        answered: changed
          .filter((block) => block.answered.length > 0)
          .map(({ after, answered: lines }) => ({ row: after, lines })),
        holders: listHolders(open),
      },
    };
  });
}

/** Ends the lines without an answer. If others are left, the block becomes this node's, which writes their results. */
function endBlock(before: BatchBlock, end: LineEnd, own: string, answered: readonly number[]): EndedBlock {
  const states = endRest(before.states, end, new Set(answered));
  const isTaken = answered.length > 0;
  const taken = { node: isTaken ? own : null, lease: before.lease + (isTaken ? 1 : 0) };
  return { before, after: { ...before, ...taken, states, remaining: countOpen(states) }, answered };
}

/** Returns the names of what the lines that ended may have left: a try that is still to be settled finds that it is gone. */
function listEndedReplies(batchId: string, { before, after }: ChangedBlock): readonly string[] {
  if (before.lease === 0) return [];
  return [...before.states].flatMap((_, at) =>
    isOpen(before.states, at) && !isOpen(after.states, at)
      ? [nameLineReply(batchId, numberLine(before.block, at))]
      : [],
  );
}
