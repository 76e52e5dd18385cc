// One transaction for some demands: read under their accounts' locks, decide, write; retried if that is safe.
import type { Decide } from "../../core/decision.ts";
import type { Answer, Demand } from "../../core/demand.ts";
import { CommitError, unavailable } from "../engine/unavailable.ts";
import type { Connection } from "./connection.ts";
import { isLockTimeout, isOutage, LateError, RetryLimit } from "./failures.ts";
import { type Pool, pauseBriefly } from "./pool.ts";
import { composeReading, type Lock } from "./reading.ts";
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
 *
 * If there are demands of several accounts, none waits long for the lock of another: if the locks can't be had soon, the
 * demands of the accounts that are locked get null: nothing of them was decided.
 */
export async function runBatch(
  pool: Pool,
  decide: Decide,
  demands: readonly Demand[],
  bounds: Bounds,
): Promise<readonly (Answer | null)[]> {
  const untilMs = performance.now() + bounds.workMs;
  let unknown: CommitError | null = null;
  let lock = chooseFirstLock(demands);
  const tries = new RetryLimit(TRIES_MAX);
  for (;;) {
    try {
      return await transact(pool, decide, demands, lock, untilMs, bounds.writeMs);
    } catch (error) {
      if (error instanceof CommitError) unknown = error;
      if (!isOutage(error) && unknown === null) throw error;
      const again = mayRetry(error, tries, unknown !== null);
      if (!again || performance.now() >= untilMs) throw unavailable(unknown ?? error);
      lock = chooseLock(lock, error, unknown !== null);
    }
    await pauseBriefly();
  }
}

function chooseFirstLock([first, ...others]: readonly Demand[]): Lock {
  return others.some(({ accountId }) => accountId !== first?.accountId) ? "briefly" : "wait";
}

/** A demand whose commit may have been written must be decided once more, so its account is waited for. */
function chooseLock(lock: Lock, error: unknown, isUnknown: boolean): Lock {
  if (isUnknown) return "wait";
  return lock === "briefly" && isLockTimeout(error) ? "free" : lock;
}

function mayRetry(error: unknown, tries: RetryLimit, isUnknown: boolean): boolean {
  return isOutage(error) && (tries.mayRetry(error) || isUnknown);
}

async function transact(
  pool: Pool,
  decide: Decide,
  demands: readonly Demand[],
  lock: Lock,
  untilMs: number,
  writeMs: number,
): Promise<readonly (Answer | null)[]> {
  const leftMs = () => Math.max(1, untilMs - performance.now());
  const { isDistributed } = pool.traits;
  return pool.use(leftMs(), async (connection: Connection) => {
    const reading = composeReading(
      demands.map(({ reads }) => reads),
      lock,
      isDistributed,
    );
    const results = await connection.begin(reading.queries, leftMs());
    const accounts = reading.accountsOf(results);
    const isBusy = ({ accountId }: Demand) => lock === "free" && !accounts.has(accountId);
    const free = lock === "free" ? demands.filter((demand) => !isBusy(demand)) : demands;
    const decision = decide(reading.rowsOf(results), free);
    if (performance.now() >= untilMs) throw new LateError("The database did not answer in time.");
    await connection.commit(composeWrites(accounts, decision, isDistributed), writeMs);
    if (lock !== "free") return decision.answers;
    const answers = decision.answers.values();
    return demands.map((demand) => (isBusy(demand) ? null : (answers.next().value ?? null)));
  });
}
