// The failures of a request so far, and the models that they lead to.

import type { FailureKind } from "../../core/faults/failure-kinds.ts";
import type { Fault } from "../../core/faults/fault.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { listLeading, type Selection } from "../plan/plan.ts";

export class LeadingFailures {
  readonly #selection: Selection;
  readonly #kinds = new Set<FailureKind>();
  /** The models that would refuse the request again. */
  readonly #final = new Set<string>();

  constructor(selection: Selection) {
    this.#selection = selection;
  }

  record(card: ModelCard, fault: Fault): void {
    for (const kind of listKinds(fault)) this.#kinds.add(kind);
    if (fault.row.elsewhere !== true) this.#final.add(card.id);
  }

  /** True if the model has refused this request in a way that doesn't depend on the moment or the credential. */
  isFinal({ id }: ModelCard): boolean {
    return this.#final.has(id);
  }

  /** True if a request that has just failed like this may go on to the model. */
  leadsTo(fault: Fault, card: ModelCard): boolean {
    if (mayLeadAnywhere(fault, this.#selection)) {
      const leading = this.#selection.kind === "card" ? listLeading(this.#selection, card) : null;
      // A fallback that merely failed leaves the reason for which it was asked.
      return leading === null || leading.some((kind) => this.#kinds.has(kind));
    }
    const leading = listLeading(this.#selection, card);
    const kinds = listKinds(fault);
    if (leading === null) return false;
    const isUnmet = kinds.includes("gone") && leading.some((kind) => this.#kinds.has(kind));
    return isUnmet || kinds.some((kind) => leading.includes(kind));
  }
}

/** True for failures that lead to each of the request's models. */
export function mayLeadAnywhere({ row }: Fault, selection: Selection): boolean {
  return row.elsewhere === true || (row.otherModel === true && selection.kind !== "card");
}

function listKinds({ row, details }: Fault): readonly FailureKind[] {
  const { leadsOn } = row;
  if (leadsOn === undefined || isOthers(details.upstreamStatus, leadsOn)) return NONE;
  return [leadsOn];
}

const NONE: readonly FailureKind[] = [];
const REFUSED_STATUSES: ReadonlySet<number> = new Set([400, 422]);

/** A 404 about another thing than the model is no refusal that another model would answer better. */
function isOthers(status: number | undefined, kind: FailureKind): boolean {
  return kind === "refused" && status !== undefined && !REFUSED_STATUSES.has(status);
}
