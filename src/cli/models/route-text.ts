// A selector's choice as a text for a terminal.
import { STAY_WORDS } from "../../core/models/selector.ts";
import type { KeyRouteView } from "../../selectors/route-view.ts";
import { formatTable } from "../table.ts";

const SHOWN_MAX = 12;

/** A gateway's answer, or the operator's own choice, which also counts the prompts of a topic. */
type ShownRoute = Omit<KeyRouteView, "basis"> & {
  readonly basis: Omit<KeyRouteView["basis"], "labelled"> & {
    readonly labelled: readonly {
      readonly topic: string;
      readonly share: number;
      readonly prompts?: number;
    }[];
  };
};

/** The candidates whose doubt is shown. */
const DOUBTED = 3;

function formatBasis(
  { likeness, familiar, labelled }: ShownRoute["basis"],
  stays: ShownRoute["stays"],
): string {
  const topics = labelled.map(
    ({ topic, share, prompts }) =>
      `${topic} ${Math.round(share * 100)}%${prompts === undefined ? "" : ` (${prompts})`}`,
  );
  const kept =
    familiar || labelled.length === 0
      ? ""
      : ", so best keeps the model that is best overall unless labels confirm another";
  return [
    `likeness    ${likeness}, ${familiar ? "familiar" : "unfamiliar"}${kept}`,
    ...(topics.length > 0 ? [`labelled    ${topics.join(", ")}`] : []),
    ...(stays ? [`stays       ${STAY_WORDS[stays.because]}`] : []),
  ].join("\n");
}

/** `removed` says in sentences why nothing is chosen. Empty if something is, or no provider is enabled. */
export function formatChoice(
  { selector, choice, why, stays, features, basis, candidates }: ShownRoute,
  removed: readonly string[],
): string {
  const kinds = Object.entries(features.categories).map(
    ([kind, share]) => `${kind} ${Math.round(share * 100)}%`,
  );
  const rows = candidates
    .filter(({ eligible }) => eligible)
    .slice(0, SHOWN_MAX)
    .map((one, at) => [
      one.model,
      one.quality.toFixed(3),
      one.quality_low.toFixed(3),
      withHigh(one.cost_usd, at < DOUBTED ? one.cost_usd_high : null, 6),
      withHigh(one.latency_ms, at < DOUBTED ? one.latency_ms_high : null, 0),
      one.score.toFixed(3),
      one.source_date === null ? one.source : `${one.source} ${one.source_date}`,
    ]);
  const able = candidates.filter(({ removed_by }) => removed_by === null).length;
  const reason = candidates.length === 0 ? "no provider is enabled" : "no model can serve this request";
  return [
    `${selector} chooses ${choice ?? `nothing: ${reason}`}`,
    ...(why === null ? removed : [why]),
    "",
    `kind        ${kinds.join(", ")}`,
    `difficulty  ${features.difficulty}   output tokens ${features.output_tokens}   support ${features.support}`,
    formatBasis(basis, stays),
    "",
    formatTable([["MODEL", "QUALITY", "LOW", "COST USD", "MS", "SCORE", "KNOWN BY"], ...rows]),
    "",
    `${able} can serve, ${candidates.length - able} can't`,
  ].join("\n");
}

function withHigh(value: number | null, high: number | null, digits: number): string {
  if (value === null) return "-";
  return high === null ? value.toFixed(digits) : `${value.toFixed(digits)} (to ${high.toFixed(digits)})`;
}
