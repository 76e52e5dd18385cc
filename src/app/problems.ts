// Lists the problems of a gateway that serves: for /readyz, the console's banner and the metrics.
import type { ProblemView } from "../admin/events/problems.ts";
import { type ConfigError, formatError } from "../config/errors.ts";
import type { ProviderHealth } from "../core/health/health.ts";
import type { Clock } from "../core/world/world.ts";
import type { MissingPieces } from "../files/missing-pieces.ts";
import type { PaymentTroubles } from "../payments/troubles.ts";
import type { Measures } from "./upkeep/measures.ts";
import type { StoreWatch } from "./upkeep/store-watch.ts";

/** The configuration in use, and the change that was refused since it was loaded. Times are Unix milliseconds. */
export class ConfigurationState {
  readonly #clock: Pick<Clock, "nowMs">;
  loadedAtMs: number;
  refused: { readonly atMs: number; readonly errors: readonly ConfigError[] } | null = null;

  constructor(clock: Pick<Clock, "nowMs">) {
    this.#clock = clock;
    this.loadedAtMs = clock.nowMs();
  }

  load(): void {
    this.loadedAtMs = this.#clock.nowMs();
    this.refused = null;
  }

  refuse(errors: readonly ConfigError[]): void {
    this.refused = { atMs: this.#clock.nowMs(), errors };
  }
}

export interface ProblemParts {
  readonly configuration: ConfigurationState;
  readonly watch: StoreWatch;
  readonly troubles: PaymentTroubles;
  readonly health: () => readonly ProviderHealth[];
  readonly measures: Pick<Measures, "lacksDisk">;
  readonly files: { readonly missing: Pick<MissingPieces, "explain"> };
  /** False if nobody may upload files, so that their disk concerns nobody. */
  readonly takesFiles: () => boolean;
  /** Returns since when lines of batches have waited for this process, in Unix milliseconds. */
  readonly readBusySince: () => number | null;
}

/** Lists the problems in words that anyone may read: /readyz asks for no token. */
export function listPublicProblems({
  configuration,
  watch,
  troubles,
  measures,
  files,
  takesFiles,
  readBusySince,
}: Omit<ProblemParts, "health">): readonly string[] {
  const problems: string[] = [];
  const { refused, loadedAtMs } = configuration;
  // While it is down, the check says why.
  const failed = watch.isUp ? watch.recentFailure : null;
  if (refused !== null) {
    const places = refused.errors.map(
      ({ file, line, field }) => `${file}:${line}${field ? ` ${field}` : ""}`,
    );
    problems.push(
      `configuration: the change at ${formatTime(refused.atMs)} was refused (${places.join(", ")}); the one loaded at ${formatTime(loadedAtMs)} is in use, and a restart would fail`,
    );
  }
  if (measures.lacksDisk !== null && takesFiles()) problems.push(measures.lacksDisk);
  const missing = files.missing.explain();
  if (missing !== null) problems.push(missing);
  const busyMs = readBusySince();
  if (busyMs !== null)
    problems.push(`batches: this node has been too busy to start lines since ${formatTime(busyMs)}`);
  const payments = troubles.list();
  if (payments.length > 0) problems.push(`payments: ${payments.length} need somebody; the log names them`);
  if (failed !== null) problems.push(`store: a write failed at ${formatTime(failed.atMs)}: ${failed.reason}`);
  return problems;
}

/** Lists the problems as the operator sees them, with everything that the log says about them. */
export function listProblems({
  configuration,
  watch,
  troubles,
  health,
}: Omit<ProblemParts, "measures" | "files" | "takesFiles" | "readBusySince">): readonly ProblemView[] {
  const { refused, loadedAtMs } = configuration;
  const failed = watch.down ?? watch.recentFailure;
  const problems: ProblemView[] = [];
  if (failed !== null)
    problems.push({
      kind: "store",
      since: formatTime(failed.atMs),
      message: `The store fails: ${failed.reason}.`,
      provider: null,
    });
  if (refused !== null) {
    const errors = refused.errors.map(formatError).join("; ");
    const message = `The changed configuration was refused: ${errors}. The one loaded at ${formatTime(loadedAtMs)} is in use, and a restart would fail.`;
    problems.push({ kind: "configuration", since: formatTime(refused.atMs), message, provider: null });
  }
  for (const { atMs, message } of troubles.list()) {
    problems.push({ kind: "payment", since: formatTime(atMs), message: `${message}.`, provider: null });
  }
  for (const provider of health()) {
    const message = describeTrouble(provider);
    if (message === null || provider.failingSinceMs === null) continue;
    const since = formatTime(provider.failingSinceMs);
    problems.push({ kind: "provider", since, message, provider: provider.name });
  }
  return problems;
}

function describeTrouble({ name, breaker, credentials }: ProviderHealth): string | null {
  // Its models' breakers stay closed then, since the model itself is not at fault.
  if (credentials.length > 0 && credentials.every(({ state }) => state === "retired"))
    return `${name} refuses every credential that it is called with.`;
  return breaker === "closed" ? null : `${name} is failing.`;
}

function formatTime(atMs: number): string {
  return new Date(atMs).toISOString();
}
