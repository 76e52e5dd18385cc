// All benchmarks by name, in the order in which they run.

import { benchBodies } from "./bodies.ts";
import { benchStart } from "./cold-start.ts";
import { benchStreamed, benchWhole } from "./cpu.ts";
import { benchGovernance } from "./governance.ts";
import { benchHits } from "./hits.ts";
import { benchLatency, benchTokens } from "./latency.ts";
import { benchLimits } from "./limits.ts";
import { benchNative } from "./native.ts";
import type { Finding } from "./report.ts";
import { benchKeys, benchModels } from "./scale.ts";
import type { Stage } from "./stage.ts";
import { benchStreams } from "./streams.ts";
import { benchTraces } from "./traces.ts";
import { benchWarmUp } from "./warm-up.ts";
import { benchWorkers } from "./workers.ts";

export interface Benchmark {
  readonly name: string;
  /** Throws if an answer is wrong. */
  readonly run: (stage: Stage) => Promise<Finding>;
}

export const BENCHMARKS: readonly Benchmark[] = [
  { name: "whole", run: benchWhole },
  { name: "streamed", run: benchStreamed },
  { name: "native", run: benchNative },
  { name: "latency", run: benchLatency },
  { name: "tokens", run: benchTokens },
  { name: "streams", run: benchStreams },
  { name: "bodies", run: benchBodies },
  { name: "keys", run: benchKeys },
  { name: "models", run: benchModels },
  { name: "governance", run: benchGovernance },
  { name: "hits", run: benchHits },
  { name: "limits", run: benchLimits },
  { name: "traces", run: benchTraces },
  { name: "start", run: benchStart },
  { name: "warm-up", run: benchWarmUp },
  { name: "workers", run: benchWorkers },
];
