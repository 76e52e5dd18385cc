// A running gateway's regular tasks: heartbeats, holds of dead nodes, learning, deleting old rows, trimming memory.
import type { PriceBook } from "../../catalogue/price-book.ts";
import type { TakenRefusals } from "../../core/log/refusal-log.ts";
import type { Store } from "../../core/store.ts";
import type { Clock, Log } from "../../core/world/world.ts";
import { carryCounts } from "../../ledger/key-move.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { type AuditUpkeepParts, chainAudit, logAuditHead, pruneAudit } from "./audit-upkeep.ts";
import { type RecordingParts, recordDigests } from "./digests.ts";
import { type EndingModels, warnOfEnds } from "./ending-models.ts";
import { warnOfContacts } from "./ending-tokens.ts";
import { warnOfExpiry } from "./expiring-keys.ts";
import { warnOfExpiringTokens } from "./expiring-tokens.ts";
import { type MemoryParts, trimMemory } from "./memory-trim.ts";
import { writePrices } from "./price-history.ts";
import { pruneStore } from "./prune.ts";

const BEAT_MS = 3000;
const LOST_MS = 2000;
const STRANDED_MS = 10_000;
const LESSONS_MS = 3000;
/** The use of a key that was moved is whole within this time after its last request in the old account. */
const MOVES_MS = 2000;
const MOVES_AT_ONCE = 1000;
const EVENTS_MS = 1000;
const EXPIRING_MS = 600_000;
/** Digests are sent within this time after Monday's 07:00. */
const DIGESTS_MS = 30_000;
const ENDS_MS = 3_600_000;
const STATES_MS = 5000;
const REFUSALS_MS = 5000;
/** A change on one node takes effect on the others within twice this time. */
const ADDED_MS = 1000;
/** Operators see within this time that a node has other rules of the guard. */
const GUARD_MS = 5000;
const WRONG_TOKENS_MS = 1000;
const AUDIT_MS = 1000;
const AUDIT_PRUNE_MS = 3_600_000;
const AUDIT_HEAD_MS = 86_400_000;
const MEMBERS_MS = 500;
const DIRECTORY_SEEN_MS = 1000;
const DIRECTORY_MS = 5000;
/** The event of a role that has ended is recorded within this time. The end itself has its effect at once. */
const ROLES_MS = 5000;
/** Most scrapers come every 15 to 60 s. */
const MEASURES_MS = 15_000;
/** Within this time after its start or a reload, the gateway looks at the list of prices. */
const PRICES_MS = 5000;
/** Within this time, one of the operator's own servers is found if it starts later than the gateway. */
const DISCOVERY_MS = 30_000;
/** Contents, addresses and sessions are deleted within this time after `log.keep`, which may be short. */
const PRUNE_MS = 60_000;
/** Files are off the disk within this time after their end. */
const FILES_MS = 30_000;
/** Sessions at tool servers are ended within this time after their rest. */
const TOOLS_MS = 60_000;
/** Closings of accounts that a killed node has left are finished within this time. */
const CLOSINGS_MS = 60_000;
/** The same for people whose names are being erased: here a try may rewrite much of the store's files. */
const ERASINGS_MS = 600_000;

interface UpkeepParts extends AuditUpkeepParts {
  /** Writes down refused sign-ins. Missing if there are no admin routes. */
  readonly refused?: { flush(): Promise<void> };
  /** Reports providers that go down and come back, and another best model. Missing if nobody takes events. */
  readonly stateEvents?: { refresh(): Promise<void> };
  /** Takes events, which are logged, and delivers them. Missing if nobody takes them. */
  readonly delivering?: Record<"begin" | "tick", () => Promise<void>>;
  /** Makes digests. Missing if nobody takes events. */
  readonly digests?: RecordingParts;
  readonly store: Store;
  readonly ledger: Pick<Ledger, "resolveLost">;
  /** Returns the ids of all completions of this process that may have a hold. Missing if it serves no requests. */
  readonly listRunning?: () => readonly string[];
  /** Applies the lessons of all nodes. */
  readonly learning: { refresh(): Promise<void> };
  /** Reads what was added at run time on any node, and shares what nodes compare. Missing if nothing can be added. */
  readonly added?: Record<
    "credentials" | "aliases" | "modelRules" | "foreign" | "refusalLessons" | "guardVersions",
    { refresh(): Promise<void> }
  >;
  /** Asks the operator's own servers for their models until they have answered. Missing if there are none. */
  readonly discovery?: { refresh(): Promise<void> };
  /** Shares the counts of wrong admin tokens with other nodes. Missing if there are no admin routes. */
  readonly wrongTokens?: { share(): Promise<void> };
  /** Looks for people who left, and finishes closings and erasings that were interrupted. Missing if there are no admin routes. */
  readonly members?: Record<
    "recheck" | "endRoles" | "finishClosings" | "finishErasings",
    () => Promise<void>
  >;
  /** Shares what the directory sent, and reviews its people after a change of the rules. Missing if there are no admin routes. */
  readonly directory?: { share(): Promise<void>; review(): Promise<void> };
  /** The refusals counted since they were last taken. Missing if none are counted. */
  readonly refusals?: { take(): TakenRefusals; restore(taken: TakenRefusals): void };
  /** Reads the store's size and balances for the metrics. Missing if there are none. */
  readonly measures?: { refresh(): Promise<void> };
  /** The models that events about ends are about. Missing if nobody takes events. */
  readonly models?: EndingModels;
  /** Compares the catalogue with a list of prices. Missing if there is none. */
  readonly prices?: { refresh(): Promise<void> };
  /** The prices that answers are charged by. Missing if rows don't name them. */
  readonly priceBook?: PriceBook;
  /** Removes files that have ended. Missing if there are none. */
  readonly sweepFiles?: () => Promise<void>;
  /** Ends sessions at tool servers that rest. Missing if there are none. */
  readonly sweepTools?: () => Promise<void>;
  /** Missing if the runtime manages memory alone. */
  readonly memory?: MemoryParts;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns how long request rows are kept. Called each time, because a reload may change it. */
  readonly keepMs: () => number;
  /** Called once if the store no longer supports this version of the program. */
  readonly onUnsupported?: () => void;
  /** Returns how long responses are kept. 0 if they aren't. */
  readonly responsesKeepMs: () => number;
}

/** Resolves after the first heartbeat; no request may be admitted before. The returned function ends all tasks. */
export async function startUpkeep(parts: UpkeepParts): Promise<() => void> {
  const { clock, log } = parts;
  const beat = makeBeat(parts);
  await beat();
  await parts.delivering?.begin();
  const schedule = (name: string, periodMs: number, task: () => Promise<void>) =>
    runRegularly(clock, periodMs, task, (error) => log(describeFailure(name, error)));
  const tasks = [
    schedule("beat_failed", BEAT_MS, beat),
    ...scheduleLost(parts, schedule),
    schedule("lessons_failed", LESSONS_MS, () => parts.learning.refresh()),
    schedule("moves_failed", MOVES_MS, () => carryHome(parts)),
    schedule("refusals_failed", REFUSALS_MS, () => writeRefusals(parts)),
    schedule("prune_failed", PRUNE_MS, () => pruneStore(parts)),
    ...scheduleAudit(parts, schedule),
  ];
  const { added, discovery, wrongTokens, refused, members, memory, measures } = parts;
  const { delivering, stateEvents, prices, models, priceBook, directory, digests } = parts;
  if (delivering) tasks.push(...scheduleEvents({ ...parts, delivering }, schedule));
  if (digests) tasks.push(schedule("events_failed", DIGESTS_MS, () => recordDigests(digests)));
  if (models) tasks.push(schedule("events_failed", ENDS_MS, () => warnOfEnds({ ...parts, models })));
  if (refused) tasks.push(schedule("audit_failed", AUDIT_MS, () => refused.flush()));
  if (stateEvents) tasks.push(schedule("health_events_failed", STATES_MS, () => stateEvents.refresh()));
  if (measures) tasks.push(schedule("measures_failed", MEASURES_MS, () => measures.refresh()));
  if (added) {
    tasks.push(
      schedule("credentials_failed", ADDED_MS, () => added.credentials.refresh()),
      schedule("aliases_failed", ADDED_MS, () => added.aliases.refresh()),
      schedule("model_rules_failed", ADDED_MS, () => added.modelRules.refresh()),
      schedule("foreign_failed", ADDED_MS, () => added.foreign.refresh()),
      schedule("refusal_lessons_failed", ADDED_MS, () => added.refusalLessons.refresh()),
      schedule("guard_failed", GUARD_MS, () => added.guardVersions.refresh()),
    );
  }
  if (prices) tasks.push(schedule("catalogue_failed", PRICES_MS, () => prices.refresh()));
  if (priceBook)
    tasks.push(schedule("catalogue_failed", PRICES_MS, () => writePrices({ ...parts, priceBook })));
  if (discovery) tasks.push(schedule("discovery_failed", DISCOVERY_MS, () => discovery.refresh()));
  if (wrongTokens) tasks.push(schedule("wrong_tokens_failed", WRONG_TOKENS_MS, () => wrongTokens.share()));
  if (members) tasks.push(...schedulePeople(members, schedule));
  tasks.push(...scheduleDirectory(directory, schedule));
  tasks.push(...scheduleSweeps(parts, schedule));
  if (memory) tasks.push(trimMemory(memory, clock, log));
  return () => {
    for (const end of tasks) end();
  };
}

type Schedule = (name: string, periodMs: number, task: () => Promise<void>) => () => void;

/** Stranded holds are rare, and looking for them reads the ids of all requests that run. */
function scheduleLost(parts: UpkeepParts, schedule: Schedule): readonly (() => void)[] {
  return [
    schedule("lost_failed", LOST_MS, () => resolveLost(parts)),
    schedule("lost_failed", STRANDED_MS, () => resolveLost(parts, parts.listRunning)),
  ];
}

function scheduleAudit(parts: UpkeepParts, schedule: Schedule): readonly (() => void)[] {
  return [
    schedule("audit_failed", AUDIT_MS, () => chainAudit(parts)),
    schedule("audit_failed", AUDIT_PRUNE_MS, () => pruneAudit(parts)),
    schedule("audit_failed", AUDIT_HEAD_MS, () => logAuditHead(parts)),
  ];
}

function scheduleEvents(
  parts: UpkeepParts & Pick<Required<UpkeepParts>, "delivering">,
  schedule: Schedule,
): readonly (() => void)[] {
  return [
    schedule("events_failed", EVENTS_MS, () => parts.delivering.tick()),
    schedule("events_failed", EXPIRING_MS, () => warnOfExpiry(parts)),
    schedule("events_failed", EXPIRING_MS, () => warnOfContacts(parts)),
    schedule("events_failed", EXPIRING_MS, () => warnOfExpiringTokens(parts)),
  ];
}

function scheduleDirectory(directory: UpkeepParts["directory"], schedule: Schedule): readonly (() => void)[] {
  if (directory === undefined) return [];
  return [
    schedule("directory_failed", DIRECTORY_SEEN_MS, () => directory.share()),
    schedule("directory_failed", DIRECTORY_MS, () => directory.review()),
  ];
}

function scheduleSweeps({ sweepFiles, sweepTools }: UpkeepParts, schedule: Schedule) {
  const tasks: (() => void)[] = [];
  if (sweepFiles) tasks.push(schedule("files_failed", FILES_MS, sweepFiles));
  if (sweepTools) tasks.push(schedule("tools_failed", TOOLS_MS, sweepTools));
  return tasks;
}

function schedulePeople(
  { recheck, endRoles, finishClosings, finishErasings }: NonNullable<UpkeepParts["members"]>,
  schedule: Schedule,
): readonly (() => void)[] {
  return [
    schedule("members_failed", MEMBERS_MS, () => recheck()),
    schedule("members_failed", ROLES_MS, () => endRoles()),
    schedule("closings_failed", CLOSINGS_MS, () => finishClosings()),
    schedule("erasings_failed", ERASINGS_MS, () => finishErasings()),
  ];
}

/** Reports nodes that are too old for the store, and stops this one if it is. */
function makeBeat({ store, log, onUnsupported }: UpkeepParts): () => Promise<void> {
  let known = "";
  let isStopped = false;
  return async () => {
    const { olderNodes, unsupported } = await store.beat();
    const found = olderNodes.join(" ");
    if (found !== known && found !== "") log({ event: "older_nodes", level: "warn", nodes: olderNodes });
    known = found;
    if (unsupported === null || isStopped) return;
    isStopped = true;
    log({ event: "store_unsupported", level: "error", cause: unsupported });
    onUnsupported?.();
  };
}

/** The event includes the error's cause, because it tells the operator what is wrong with the store. */
function describeFailure(event: string, error: unknown) {
  const behind = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return { event, level: "warn", cause: `${error}${behind}` } as const;
}

/** Runs a task now and regularly, one run at a time. Failures after the end are ignored: the store is closed. */
function runRegularly(
  clock: Clock,
  periodMs: number,
  task: () => Promise<void>,
  onFailure: (error: unknown) => void,
) {
  let running = false;
  let ended = false;
  const attempt = () => {
    if (running) return;
    running = true;
    task()
      .catch((error: unknown) => {
        if (!ended) onFailure(error);
      })
      .finally(() => {
        running = false;
      });
  };
  attempt();
  const stop = clock.every(periodMs, attempt);
  return () => {
    ended = true;
    stop();
  };
}

async function resolveLost(
  { ledger, log }: UpkeepParts,
  listRunning?: UpkeepParts["listRunning"],
): Promise<void> {
  const holds = await ledger.resolveLost(listRunning);
  if (holds > 0) log({ event: "holds_lost", level: "warn", holds });
}

/** Counts what requests of moved keys still used where the keys were when they began. */
async function carryHome({ store }: UpkeepParts): Promise<void> {
  await store.carryHome(carryCounts, MOVES_AT_ONCE);
}

/** Adds what was counted to the store. Counts again whatever can't be written. */
async function writeRefusals({
  store,
  refusals,
}: {
  readonly store: Pick<Store, "refusals">;
  readonly refusals?: UpkeepParts["refusals"];
}): Promise<void> {
  const taken = refusals?.take();
  if (taken === undefined || taken.counts.length + taken.sums.length === 0) return;
  try {
    await store.refusals.add(taken);
  } catch (error) {
    refusals?.restore(taken);
    throw error;
  }
}

/** Writes what was counted or used for the first time since it was last written, before the store closes. */
export async function writeRest(
  parts: Parameters<typeof writeRefusals>[0] &
    Parameters<typeof writePrices>[0] & { readonly refusalLessons: { write(): Promise<void> } },
): Promise<void> {
  await Promise.all([writeRefusals(parts), writePrices(parts), parts.refusalLessons.write()]);
}
