// Batches whose lines wait for models: how long these have been silent, and the words and the end of the wait.
import type { Batch, BatchWait } from "../core/batches/batch.ts";
import { changeDetail, type Transition, WAITS_FOR_MODELS, wait } from "./job.ts";
import { countLeft } from "./lines.ts";
import { offerBlock } from "./offers.ts";
import type { ModelState, Pacing } from "./pacing.ts";
import type { JobPorts } from "./ports.ts";
import type { RunningBatch } from "./running-batch.ts";
import { moveOn } from "./validating.ts";

/** The models whose silence a batch's row remembers. That of others begins again with a takeover. */
const NOTED_MAX = 100;
/** The models that a batch's wait names. */
const SHOWN_MAX = 5;
/** A silence is written down once it has lasted this long, … */
const NOTED_MS = 10_000;
/** … and moved by steps of this: a provider that says it is busy does so again and again. */
const MOVED_MS = 60_000;
/** A rest that lasts as long is more than a minute's limit, for which lines wait without a word. */
const LONG_REST_MS = 60_000;
/** Where other nodes have lines of the batch, it stands still once none has ended for this long. */
const STILL_MS = 60_000;

type Silences = Readonly<Record<string, number>>;

interface SeenModel {
  readonly model: string;
  /** The lines here that haven't started. */
  readonly lines: number;
  /** Since when this node has had no answer of it. Null if its lines may start. */
  readonly sinceMs: number | null;
  /** Its last answer to anybody here. */
  readonly answeredMs: number;
  /** True if the provider asked for a rest, so that it isn't silent. */
  readonly isResting: boolean;
}

type WatchPorts = Pick<JobPorts, "store" | "clock" | "rules">;

/** Looks at the models of a batch's lines. Writes only what has changed. */
export async function watchModels(ports: WatchPorts, pacing: Pacing, job: RunningBatch): Promise<void> {
  if (job.batch.status !== "in_progress") return;
  const nowMs = ports.clock.nowMs();
  const seen = lookAt(ports, pacing, job);
  const { detail } = job.batch;
  const waitMs = ports.rules().modelWaitMs;
  const silent = merge(detail.silentSince ?? {}, seen);
  const isOver = ({ model, sinceMs, isResting }: SeenModel) =>
    sinceMs !== null && !isResting && nowMs - (silent[model] ?? nowMs) >= waitMs;
  job.overdue = new Set(seen.filter(isOver).map(({ model }) => model));
  const isIdle = waitsHere(job, pacing, seen);
  if (isIdle) await offerBlock(ports, job, nowMs);
  else if (seen.every(({ sinceMs }) => sinceMs === null)) job.offers = 0;
  const stillMs = job.measureStill(countLeft(detail.counts), nowMs);
  const isStill = isIdle && (hasAllLines(job, seen) || stillMs >= STILL_MS);
  const waiting = isStill ? describe(job, seen, silent, waitMs) : null;
  const isNew = waiting !== null && differs(detail.waiting, waiting);
  if (!isNew && !isWorthWriting(detail.silentSince ?? {}, silent, nowMs)) return;
  const move = (found: Batch, atMs: number): Transition => {
    const noted = changeDetail(found, { silentSince: bound(merge(found.detail.silentSince ?? {}, seen)) });
    const mayWait = waiting !== null && isModels(noted.detail.waiting);
    return mayWait ? wait(noted, waiting, atMs) : { batch: noted, events: [] };
  };
  job.batch = (await moveOn(ports, job.batch, move)) ?? job.batch;
}

/** Returns the models that lines here wait for, and those that are known to have been silent. */
function lookAt({ clock }: WatchPorts, pacing: Pacing, job: RunningBatch): readonly SeenModel[] {
  const nowMs = clock.nowMs();
  const monotonicMs = clock.monotonicMs();
  const queued = job.countQueued();
  const stored = job.batch.detail.silentSince ?? {};
  const seen = [...new Set([...queued.keys(), ...Object.keys(stored)])].map((model) => {
    const state = pacing.describe(job.nameModel(model));
    const answeredMs = nowMs - (monotonicMs - (state?.answeredMs ?? Number.NEGATIVE_INFINITY));
    const isResting = state !== null && state.restsUntilMs > monotonicMs;
    const sinceMs = isAway(state, isResting) ? findSilence(job, model, answeredMs, nowMs) : null;
    if (sinceMs === null) job.silent.delete(model);
    else job.silent.set(model, sinceMs);
    return { model, lines: queued.get(model) ?? 0, sinceMs, answeredMs, isResting };
  });
  job.noted = stored;
  return seen;
}

/** True for a model that takes no line, but for one that only has a minute's limit. */
function isAway(state: ModelState | null, isResting: boolean): boolean {
  if (state === null) return false;
  return state.isShut || (isResting && state.restsUntilMs - Math.max(state.begunMs, 0) >= LONG_REST_MS);
}

/** Returns since when a model has been silent here. An answer on another node has moved what the batch's row says. */
function findSilence(job: RunningBatch, model: string, answeredMs: number, nowMs: number): number {
  const stored = job.batch.detail.silentSince?.[model];
  const before = job.noted[model] ?? Number.POSITIVE_INFINITY;
  const isElsewhere = (stored ?? nowMs) > before && answeredMs <= before;
  if (isElsewhere) job.elsewhereMs = nowMs;
  const knownMs = isElsewhere ? stored : job.silent.get(model);
  return Math.max(knownMs ?? nowMs, answeredMs);
}

function bound(silent: Silences): Silences {
  return Object.fromEntries(Object.entries(silent).slice(0, NOTED_MAX));
}

/** The earliest beginning counts, unless there was an answer since then. */
function merge(stored: Silences, seen: readonly SeenModel[]): Silences {
  const merged = { ...stored };
  for (const { model, sinceMs, answeredMs } of seen) {
    const before = merged[model];
    const holds = before !== undefined && answeredMs <= before;
    if (sinceMs !== null) merged[model] = holds ? Math.min(before, sinceMs) : sinceMs;
    else if (!holds) delete merged[model];
  }
  return merged;
}

function isWorthWriting(stored: Silences, silent: Silences, nowMs: number): boolean {
  const hasRoom = Object.keys(stored).length < NOTED_MAX;
  return (
    Object.keys(stored).some((model) => silent[model] === undefined) ||
    Object.entries(silent).some(([model, sinceMs]) => {
      const before = stored[model];
      if (before === undefined) return hasRoom && nowMs - sinceMs >= NOTED_MS;
      return sinceMs < before || sinceMs - before >= MOVED_MS;
    })
  );
}

/** True if nothing of the batch runs here but trials, nor will before one of the models answers. */
function waitsHere(job: RunningBatch, pacing: Pacing, seen: readonly SeenModel[]): boolean {
  if (!isModels(job.batch.detail.waiting) || !job.hasAll) return false;
  const here = seen.filter(({ lines }) => lines > 0);
  if (here.length === 0 || here.some(({ sinceMs }) => sinceMs === null)) return false;
  return job.listFlying().every((model) => pacing.isShut(job.nameModel(model)));
}

/** True if no other node has lines of it. */
function hasAllLines({ batch, flying }: RunningBatch, seen: readonly SeenModel[]): boolean {
  return seen.reduce((sum, { lines }) => sum + lines, flying) >= countLeft(batch.detail.counts);
}

/** True if the batch waits for nothing, or for models. */
function isModels(waiting: BatchWait | null): boolean {
  return waiting === null || waiting.code === WAITS_FOR_MODELS;
}

function describe(
  job: RunningBatch,
  seen: readonly SeenModel[],
  silent: Silences,
  waitMs: number,
): Omit<BatchWait, "sinceMs"> {
  const { batch } = job;
  const { waiting } = batch.detail;
  const here = seen.filter(({ lines }) => lines > 0).toSorted((a, b) => b.lines - a.lines);
  const own = here.map(({ model }) => model);
  // Other nodes have lines, too, whose models they name.
  const others = hasAllLines(job, seen) ? [] : (waiting?.models ?? []);
  const models = [...new Set([...others, ...own])].slice(0, SHOWN_MAX);
  const untilMs = Math.min(batch.expiresAtMs, ...own.map((model) => (silent[model] ?? 0) + waitMs));
  return { code: WAITS_FOR_MODELS, message: MESSAGE, models, untilMs, resetsAtMs: null };
}

const MESSAGE =
  "No provider takes the lines that are left. They go on when one of their models answers again.";

function differs(before: BatchWait | null, waiting: Omit<BatchWait, "sinceMs">): boolean {
  if (before === null || before.untilMs === undefined) return true;
  const isMoved = Math.abs(before.untilMs - (waiting.untilMs ?? 0)) >= MOVED_MS;
  return isMoved || (before.models ?? []).join() !== (waiting.models ?? []).join();
}
