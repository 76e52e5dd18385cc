// The batches of a running gateway: as clients use them, and the runner that answers their lines.
import type { Batch } from "../core/batches/batch.ts";
import type { FileUse } from "../core/batches/file.ts";
import type { BatchRules } from "../core/settings.ts";
import type { Store } from "../core/store.ts";
import type { Log } from "../core/world/world.ts";
import { findSurfaceName, LineCaller } from "../http/batches/line-call.ts";
import { BATCH_WORDS } from "../http/batches/words.ts";
import type { HttpPorts } from "../http/ports.ts";
import { makeFileUsers } from "../jobs/file-users.ts";
import { cancelKept, KeptBatches } from "../jobs/kept-batches.ts";
import { readMeanOutputs } from "../jobs/outputs.ts";
import type { JobPorts } from "../jobs/ports.ts";
import { BatchRunner } from "../jobs/runner.ts";
import { createKeyFinder } from "../keys/authenticate.ts";
import { mayUseKeys } from "../people/member.ts";
import type { LiveConfiguration } from "./start/live-configuration.ts";
import type { OpenedStore } from "./start/open-store.ts";
import { measureLateness } from "./upkeep/lateness.ts";
import { PART } from "./workers/worker.ts";
import { clock } from "./world.ts";

/** Cancels a batch without a gateway: those that run on the store see it within a second. */
export function cancelInStore(store: JobPorts["store"], batch: Batch): Promise<Batch> {
  return cancelKept({ store, clock }, batch);
}

/** Tells without a gateway whether a batch has lines that may read a file. */
export function findFileUse(store: JobPorts["store"]): FileUse {
  return makeFileUsers({ store });
}

interface BatchParts {
  readonly opened: OpenedStore;
  readonly store: JobPorts["store"] & Pick<Store, "usage">;
  readonly live: LiveConfiguration;
  /** Tells whether the event loop is late. Missing to have it measured. */
  readonly isLate?: (() => boolean) | undefined;
  readonly log: Log;
  readonly ports: HttpPorts;
}

/** The workers of a node run its lines together, each its part of them. */
function shareLines(rules: BatchRules): BatchRules {
  const { count = 1 } = PART ?? {};
  return count === 1 ? rules : { ...rules, parallelMax: Math.ceil(rules.parallelMax / count) };
}

/** Lines leave this share of the memory for bodies to single requests. */
const MEMORY_SHARE = 1 / 4;

export function createBatches({ opened, store, live, log, ports, ...given }: BatchParts) {
  const { isLate = measureLateness().isLate } = given;
  const caller = new LineCaller(ports, opened.vault);
  const { bodyBytesMax, bodyMemoryBytes } = ports.server;
  const jobs: JobPorts = {
    store,
    files: ports.files,
    clock,
    log,
    rules: () => shareLines(live.settings.batches),
    fileRules: () => live.settings.files,
    bodyBytesMax,
    words: BATCH_WORDS,
    findKey: createKeyFinder({
      ...opened.world,
      mayUseKeys,
      memberDefaults: () => live.settings.ownerLimits.memberDefaults,
    }),
    call: (line) => caller.call(line),
    replay: (line) => caller.replay(line),
    readOutputs: ({ accountId, detail }) => {
      const surface = findSurfaceName(detail.endpoint);
      return readMeanOutputs(store, { accountId, surface, nowMs: clock.nowMs() });
    },
    estimate: (line, outputs) => caller.estimate(line, outputs),
    isBusy: () => isLate() || ports.bodies.bytes.large > bodyMemoryBytes * (1 - MEMORY_SHARE),
    singles: ports.gateway.underWay,
    nextTurn: setImmediate,
  };
  const runner = new BatchRunner(jobs);
  const batches = new KeptBatches(jobs, runner.wake);
  return {
    batches,
    runner,
    countRunning: runner.countRunning,
    readBusySince: runner.readBusySince,
    findKey: jobs.findKey,
  };
}
