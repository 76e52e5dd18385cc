// One transaction for demands of one account: read under its lock, decide, write; again where it failed and that is safe.
import type { Answer, Decide, Demand } from "../../core/demand.ts";
import { CommitError, unavailable } from "../unavailable.ts";
import type { Connection } from "./connection.ts";
import { isTrouble, LateError, Tries } from "./failures.ts";
import { type Pool, pause } from "./pool.ts";
import { composeReading } from "./reading.ts";
import { composeWrites } from "./writing.ts";

/** After failures that are certain; while a commit is unknown it is asked for as long as there is time. */
const TRIES_MAX = 2;

export interface Bounds {
  /** For everything up to the last try's writing. */
  readonly workMs: number;
  /** For each try's writing, whenever it begins: cut short it would leave an outcome unknown. */
  readonly writeMs: number;
}

/**
 * The answers, in order, once they are committed. Where a COMMIT was sent and its answer did not come, the same demands
 * are run once more on another connection: their ids are ours, so an admission that was written is replaced, and a
 * settlement that was written tells what it came to. The account's lock makes the second look wait for the first try's
 * end, however late the server comes to it. Only when no time is left for that is the outcome reported as unknown.
 */
export async function runBatch(
  pool: Pool,
  decide: Decide,
  demands: readonly Demand[],
  bounds: Bounds,
): Promise<readonly Answer[]> {
  const untilMs = performance.now() + bounds.workMs;
  let unknown: CommitError | null = null;
  const tries = new Tries(TRIES_MAX);
  for (;;) {
    try {
      return await transact(pool, decide, demands, untilMs, bounds.writeMs);
    } catch (error) {
      if (error instanceof CommitError) unknown = error;
      if (!isTrouble(error) && unknown === null) throw error;
      const again = isTrouble(error) && (tries.mayGoOn(error) || unknown !== null);
      if (!again || performance.now() >= untilMs) throw unavailable(unknown ?? error);
    }
    await pause();
  }
}

async function transact(
  pool: Pool,
  decide: Decide,
  demands: readonly Demand[],
  untilMs: number,
  writeMs: number,
): Promise<readonly Answer[]> {
  const leftMs = () => Math.max(1, untilMs - performance.now());
  const accountId = demands[0]?.accountId ?? "";
  return pool.use(leftMs(), async (connection: Connection) => {
    const { queries, rowsOf } = composeReading(
      accountId,
      demands.map(({ reads }) => reads),
      true,
    );
    const decision = decide(rowsOf(await connection.begin(queries, leftMs())), demands);
    if (performance.now() >= untilMs) throw new LateError("The database was too slow.");
    await connection.commit(composeWrites(accountId, decision, pool.traits.isDistributed), writeMs);
    return decision.answers;
  });
}
