// The numbers of what a list of prices would change.
import { readProvider } from "../../core/models/card.ts";
import type { Proposal } from "./verdict.ts";

/** The changes that a list has for the models of the enabled providers, in the words of the log. */
export interface WaitingCounts {
  /** The ids of models that the catalogue doesn't have. */
  readonly added: readonly string[];
  /** Prices of known models that may be taken or wait. */
  readonly prices: number;
  readonly ends: number;
  /** Changes that wait for a person. */
  readonly waits: number;
  /** Changes that could be taken, by themselves or by a person. A new model is one. */
  readonly changes: number;
}

export function countWaiting(proposals: readonly Proposal[], enabled: ReadonlySet<string>): WaitingCounts {
  const open = proposals.filter(
    ({ id, verdict }) => enabled.has(readProvider(id)) && (verdict === "taken" || verdict === "waits"),
  );
  const known = open.filter(({ isNew }) => !isNew);
  const added = open.flatMap(({ id, field }) => (field === "model" ? [id] : []));
  const count = (is: (proposal: Proposal) => boolean) => known.filter(is).length;
  return {
    added,
    prices: count(({ field }) => field === "price" || field === "later_prices"),
    ends: count(({ field }) => field === "shutdown"),
    waits: open.filter(({ verdict }) => verdict === "waits").length,
    changes: known.length + added.length,
  };
}

interface ComparedModels {
  /** The models of the catalogue that the list has too. */
  readonly listed: readonly string[];
  /** All models of the catalogue. */
  readonly known: readonly string[];
  readonly proposals: readonly Proposal[];
}

/** Returns the numbers of the models that were compared, and of the changes that were chosen among all. */
export function countChanges(
  { listed, known, proposals: all }: ComparedModels,
  proposals: readonly Proposal[],
) {
  const differing = new Set(all.map(({ id }) => id));
  const count = (is: (proposal: Proposal) => boolean) => proposals.filter(is).length;
  return {
    compared: listed.length,
    equal: listed.filter((id) => !differing.has(id)).length,
    unlisted: known.length - listed.length,
    added: count(({ field }) => field === "model"),
    rise: count(({ moves }) => moves === "rises"),
    fall: count(({ moves }) => moves === "falls"),
    begin: count(({ field }) => field === "later_prices"),
    end: count(({ field, verdict }) => field === "shutdown" && verdict !== "not_an_end"),
    taken: count(({ verdict }) => verdict === "taken"),
    waiting: count(({ verdict }) => verdict === "waits"),
    refused: count(({ verdict }) => verdict === "refused"),
    not_an_end: count(({ verdict }) => verdict === "not_an_end"),
    older: count(({ verdict }) => verdict === "older"),
  };
}
