// Estimates of a batch: its expected cost, and the sum that its lines would hold.
import type { Batch, LinePlace } from "../core/batches/batch.ts";
import { endTurn } from "../core/world/input-turns.ts";
import { InputPieces } from "./input-pieces.ts";
import { LINES_OF_BLOCK } from "./lines.ts";
import type { Estimate, JobPorts } from "./ports.ts";

/** If there are more lines, this many are looked at, spread evenly. */
const SAMPLED_LINES_MAX = 1000;
/** Blocks read at once. */
const BLOCKS_AT_ONCE = 4;

/** Lines that can't be estimated, as they will be refused, count as nothing. */
export async function makeEstimates(ports: JobPorts, batch: Batch, total: number): Promise<Estimate> {
  const sampled = Math.min(total, SAMPLED_LINES_MAX);
  const wanted = Array.from({ length: sampled }, (_, at) => Math.floor((at * total) / sampled));
  const key = await ports.findKey(batch.keyId).catch(() => null);
  if (key === null || sampled === 0) return { estimatedNanoUsd: 0, worstNanoUsd: 0 };
  const outputs = await ports.readOutputs(batch);
  const pieces = new InputPieces(ports.files, true);
  let expectedNanoUsd = 0;
  let worstNanoUsd = 0;
  const { endpoint, headers } = batch.detail;
  const terms = { batchId: batch.id, parallelMax: ports.rules().perAccountMax, ceilingNanoUsd: null };
  for await (const places of readPlaces(ports, batch, wanted)) {
    for (const [at, place] of places) {
      const read = pieces.read(batch, place);
      const body = read instanceof Promise ? await read : read;
      const line = { key, path: endpoint, headers, body, terms, line: at + 1, customId: place.customId };
      const estimate = await ports.estimate(line, outputs);
      expectedNanoUsd += estimate?.expectedNanoUsd ?? 0;
      worstNanoUsd += estimate?.worstNanoUsd ?? 0;
      await endTurn(ports.nextTurn);
    }
  }
  const scale = (nanoUsd: number) => Math.round((nanoUsd * total) / sampled);
  return { estimatedNanoUsd: scale(expectedNanoUsd), worstNanoUsd: scale(worstNanoUsd) };
}

/** Yields the places of some blocks' lines at a time. */
async function* readPlaces(
  { store }: JobPorts,
  batch: Batch,
  wanted: readonly number[],
): AsyncGenerator<readonly (readonly [at: number, place: LinePlace])[]> {
  const numbers = [...new Set(wanted.map((at) => Math.floor(at / LINES_OF_BLOCK)))];
  for (let from = 0; from < numbers.length; from += BLOCKS_AT_ONCE) {
    const some = numbers.slice(from, from + BLOCKS_AT_ONCE);
    const blocks = await store.batches.change(batch, { numbers: some }, (_, found) => ({ result: found }));
    const found: (readonly [number, LinePlace])[] = [];
    for (const { block, places } of blocks) {
      for (const at of wanted) {
        const place = Math.floor(at / LINES_OF_BLOCK) === block ? places[at % LINES_OF_BLOCK] : undefined;
        if (place) found.push([at, place]);
      }
    }
    yield found;
  }
}
