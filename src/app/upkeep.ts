// The regular work of a running gateway beside serving: it tells the others that it lives, resolves what dead ones left held, learns, forgets old rows, gives memory back.
import type { Store } from "../core/store.ts";
import type { Clock, Log } from "../core/world.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { REPLY_KEPT_MS } from "../ledger/replies.ts";
import { type MemoryParts, trimMemory } from "./memory-trim.ts";

const BEAT_MS = 3000;
const LOST_MS = 2000;
const LESSONS_MS = 3000;
/** A change on one node is in effect on the others within twice this. */
const CREDENTIALS_MS = 1000;
const WRONG_TOKENS_MS = 1000;
const PRUNE_MS = 600_000;
const ROWS_MAX = 2000;
/** A meter may still be asked for by a clock that was set back: it is kept for longer than any day. */
const METERS_MS = 7 * 86_400_000;

export interface UpkeepParts {
  readonly store: Store;
  readonly ledger: Pick<Ledger, "resolveLost">;
  /** The lessons that the nodes have taught each other. */
  readonly learning: { refresh(): Promise<void> };
  /** The credentials that the operator has added at run time, on any node; left out: nobody adds any. */
  readonly credentials?: { refresh(): Promise<void> };
  /** The counts of wrong admin tokens; left out: nobody signs in. */
  readonly wrongTokens?: { share(): Promise<void> };
  /** Left out: memory is left to the runtime. */
  readonly memory?: MemoryParts;
  readonly clock: Clock;
  readonly log: Log;
  /** The time for which request rows are kept; asked for each time. */
  readonly keepMs: () => number;
}

/** Resolves when the first beat is written: before it no request may be let in. The returned function ends it all. */
export async function startUpkeep(parts: UpkeepParts): Promise<() => void> {
  const { store, clock, log } = parts;
  await store.beat();
  const regularly = (name: string, periodMs: number, task: () => Promise<void>) =>
    every(clock, periodMs, task, (error) => log(describeFailure(name, error)));
  const tasks = [
    regularly("beat_failed", BEAT_MS, () => store.beat()),
    regularly("lost_failed", LOST_MS, () => resolveLost(parts)),
    regularly("lessons_failed", LESSONS_MS, () => parts.learning.refresh()),
    regularly("prune_failed", PRUNE_MS, () => prune(parts)),
  ];
  const { credentials, wrongTokens, memory } = parts;
  if (credentials) tasks.push(regularly("credentials_failed", CREDENTIALS_MS, () => credentials.refresh()));
  if (wrongTokens) tasks.push(regularly("wrong_tokens_failed", WRONG_TOKENS_MS, () => wrongTokens.share()));
  if (memory) tasks.push(trimMemory(memory, clock, log));
  return () => {
    for (const end of tasks) end();
  };
}

/** With what is behind it: here the operator learns what is wrong with the store. */
function describeFailure(event: string, error: unknown) {
  const behind = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return { event, level: "warn", cause: `${error}${behind}` } as const;
}

/** Runs a task now and regularly, never twice at once. */
function every(
  clock: Clock,
  periodMs: number,
  task: () => Promise<void>,
  onFailure: (error: unknown) => void,
) {
  let running = false;
  const attempt = () => {
    if (running) return;
    running = true;
    task()
      .catch(onFailure)
      .finally(() => {
        running = false;
      });
  };
  attempt();
  return clock.every(periodMs, attempt);
}

async function resolveLost({ ledger, log }: UpkeepParts): Promise<void> {
  const holds = await ledger.resolveLost();
  if (holds > 0) log({ event: "holds_lost", level: "warn", holds });
}

async function prune({ store, clock, keepMs }: UpkeepParts): Promise<void> {
  const nowMs = clock.nowMs();
  const before = {
    // A reply that is given again says what its request paid.
    requestsMs: nowMs - Math.max(keepMs(), REPLY_KEPT_MS),
    contentsMs: nowMs - keepMs(),
    metersMs: nowMs - METERS_MS,
    repliesMs: nowMs - REPLY_KEPT_MS,
  };
  while ((await store.prune(before, ROWS_MAX)) === ROWS_MAX);
}
