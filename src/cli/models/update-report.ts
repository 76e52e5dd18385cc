// The changes of a list of prices, and the cost of the last 30 days by it, as `poundkey catalogue update` prints them.
import type { Io } from "../../app/terminal.ts";
import type { RepricedUse } from "../../catalogue/feeds/use-report.ts";
import type { Proposal, Verdict } from "../../catalogue/feeds/verdict.ts";
import { formatPlainUsd, type NanoUsd, toUsd } from "../../core/money/money.ts";

/** The models shown by name, those with the largest difference. */
const SHOWN_MAX = 20;

export const SHOWN_ONLY =
  "Nothing was changed: --apply takes what may be taken, and --yes with it what waits. --only names some of the models.";
const TITLES: readonly (readonly [Verdict, string])[] = [
  ["taken", "may be taken:"],
  ["waits", "wait for --yes:"],
  ["older", "older than the built-in prices, for --older:"],
  ["not_an_end", "no last days, never taken:"],
  ["refused", "refused, also with --yes:"],
];
type ReportedChange = Pick<Proposal, "id" | "field" | "before" | "after" | "verdict" | "reason">;

/** New models stand first. */
export function printChanges(
  changes: readonly (ReportedChange & { readonly isNew: boolean })[],
  io: Io,
): void {
  const isAdded = (change: (typeof changes)[number]) => change.isNew && change.verdict !== "refused";
  const added = changes.filter(isAdded);
  if (added.length > 0) io.out(["new models:", ...added.map(formatNew)].join("\n"));
  for (const [verdict, title] of TITLES) {
    const lines = changes.filter((change) => change.verdict === verdict && !isAdded(change));
    if (lines.length > 0) io.out([title, ...lines.map(formatChange)].join("\n"));
  }
}

function formatNew(change: ReportedChange): string {
  return change.verdict === "waits" ? `${formatChange(change)}, waits for --yes` : formatChange(change);
}

function formatChange({ id, field, before, after, reason }: ReportedChange): string {
  const step = before === null ? after : `${before} → ${after}`;
  return `  ${id} ${field}: ${step}${reason === null ? "" : ` (${reason})`}`;
}

/** `uses` is null if there is no store. `problem` says why the store can't be read. */
export interface UseReport {
  readonly uses: readonly RepricedUse[] | null;
  readonly problem: string | null;
}

export function viewReport({ uses, problem }: UseReport): object | null {
  if (uses === null) return problem === null ? null : { problem };
  return {
    cost_usd: toUsd(sum(uses, ({ costNanoUsd }) => costNanoUsd)),
    would_cost_usd: toUsd(sum(uses, ({ wouldNanoUsd }) => wouldNanoUsd)),
    models: uses.map(({ model, requests, costNanoUsd, wouldNanoUsd, verdict }) => ({
      model,
      requests,
      cost_usd: toUsd(costNanoUsd),
      would_cost_usd: toUsd(wouldNanoUsd),
      verdict,
    })),
  };
}

export function formatReport({ uses, problem }: UseReport): string | null {
  if (problem !== null) return `No report of the last 30 days: the store can't be read. ${problem}`;
  if (uses === null) return null;
  if (uses.length === 0)
    return "the last 30 days would have cost the same: no model in use has another price";
  const lines = uses.slice(0, SHOWN_MAX).map((use) => {
    const { model, requests, costNanoUsd, wouldNanoUsd, verdict } = use;
    const waits = verdict === "waits" ? ", with --yes" : "";
    return `  ${model}: ${formatStep(costNanoUsd, wouldNanoUsd)} (${requests} requests${waits})`;
  });
  const more = uses.length > SHOWN_MAX ? [`  and ${uses.length - SHOWN_MAX} models more`] : [];
  const taken = uses.filter(({ verdict }) => verdict === "taken");
  return ["the last 30 days would have cost:", ...lines, ...more, `  ${formatSums(uses, taken)}`].join("\n");
}

function formatSums(all: readonly RepricedUse[], taken: readonly RepricedUse[]): string {
  const difference = (uses: readonly RepricedUse[]) => {
    const nanoUsd = sum(uses, ({ wouldNanoUsd, costNanoUsd }) => wouldNanoUsd - costNanoUsd);
    return `${nanoUsd > 0 ? "+" : ""}${formatPlainUsd(nanoUsd)} USD`;
  };
  return `in all ${difference(taken)} with --apply, ${difference(all)} with --yes`;
}

function formatStep(before: NanoUsd, after: NanoUsd): string {
  return `${formatPlainUsd(before)} → ${formatPlainUsd(after)} USD`;
}

function sum(uses: readonly RepricedUse[], read: (use: RepricedUse) => NanoUsd): NanoUsd {
  return uses.reduce((total, use) => total + read(use), 0);
}
