// All benchmarks by name, in the order in which they run.

import { benchStreamed, benchWhole } from "./cpu.ts";
import { benchBodies } from "./loads/bodies.ts";
import { benchStart } from "./loads/cold-start.ts";
import { benchFeatures } from "./loads/features.ts";
import { benchHits } from "./loads/hits.ts";
import { benchLatency, benchTokens } from "./loads/latency.ts";
import { benchLimits } from "./loads/limits.ts";
import { benchNative } from "./loads/native.ts";
import { benchKeys, benchModels } from "./loads/scale.ts";
import type { Stage } from "./loads/stage.ts";
import { benchStreams } from "./loads/streams.ts";
import { benchTraces } from "./loads/traces.ts";
import { benchWarmUp } from "./loads/warm-up.ts";
import { benchWorkers } from "./loads/workers.ts";
import { benchGovernance } from "./peers/governance.ts";
import type { Finding } from "./report.ts";

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
  { name: "features", run: benchFeatures },
  { name: "traces", run: benchTraces },
  { name: "start", run: benchStart },
  { name: "warm-up", run: benchWarmUp },
  { name: "workers", run: benchWorkers },
];
