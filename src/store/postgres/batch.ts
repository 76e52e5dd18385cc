// One transaction for demands of one account: read under its lock, decide, write; retried if that is safe.
import type { Decide } from "../../core/decision.ts";
import type { Answer, Demand } from "../../core/demand.ts";
import { CommitError, unavailable } from "../engine/unavailable.ts";
import type { Connection } from "./connection.ts";
import { isOutage, LateError, RetryLimit } from "./failures.ts";
import { type Pool, pause } from "./pool.ts";
import { composeReading } from "./reading.ts";
import { composeWrites } from "./writing.ts";

/** The tries after certain failures. An unknown commit is retried for as long as there is time. */
const TRIES_MAX = 2;

export interface Bounds {
  /** The time for everything before the last try's writing. */
  readonly workMs: number;
  /** The time for each try's writing, whenever it begins: cut short, its outcome would be unknown. */
  readonly writeMs: number;
}

/**
 * Returns the answers, in order, once they are committed. If a COMMIT was sent but not answered, the same demands run
 * again on another connection: their ids are ours, so an admission that was written is replaced, and a settlement that
 * was written returns its outcome. The account's lock makes the retry wait until the first try has ended, however late.
 * The outcome is reported as unknown only if no time is left for a retry.
 */
export async function runBatch(
  pool: Pool,
  decide: Decide,
  demands: readonly Demand[],
  bounds: Bounds,
): Promise<readonly Answer[]> {
  const untilMs = performance.now() + bounds.workMs;
  let unknown: CommitError | null = null;
  const tries = new RetryLimit(TRIES_MAX);
  for (;;) {
    try {
      return await transact(pool, decide, demands, untilMs, bounds.writeMs);
    } catch (error) {
      if (error instanceof CommitError) unknown = error;
      if (!isOutage(error) && unknown === null) throw error;
      const again = mayRetry(error, tries, unknown !== null);
      if (!again || performance.now() >= untilMs) throw unavailable(unknown ?? error);
    }
    await pause();
  }
}

function mayRetry(error: unknown, tries: RetryLimit, isUnknown: boolean): boolean {
  return isOutage(error) && (tries.mayRetry(error) || isUnknown);
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
    if (performance.now() >= untilMs) throw new LateError("The database did not answer in time.");
    await connection.commit(composeWrites(accountId, decision, pool.traits.isDistributed), writeMs);
    return decision.answers;
  });
}
