// Finds the models that meet a constraint, in the selection that a request's name leads to.
import { asArray, isObject } from "../../core/json/json.ts";
import type { NamedGuardrail } from "../../core/log/constraint.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { listSelected, narrowSelection } from "../../gateway/plan/narrow.ts";
import type { Selection } from "../../gateway/plan/plan.ts";
import type { Form } from "../../operations/form.ts";
import { type AskedConstraint, nameGuardrail } from "../../surfaces/asked/constraints.ts";
import type { Exchange } from "../../surfaces/surface.ts";
import type { CallSetup } from "./setups.ts";

type IsFit = (card: ModelCard) => boolean;

/** The consequences for a request of which a constraint is met. */
export interface Fulfilment {
  readonly selection: Selection;
  /** True if a provider that takes the field may answer. */
  readonly isTaken?: boolean;
  readonly isFirstOnly?: true;
  /** The hook that has to apply. */
  readonly guardrail?: NamedGuardrail;
}

/** Returns null if nothing meets the constraint. `takes` is true for models whose provider takes its field. */
export function meetConstraint(
  { row, value, param }: AskedConstraint,
  selection: Selection,
  takes: IsFit,
  guardrailNames: ReadonlySet<string>,
): Fulfilment | null {
  switch (row.meets) {
    case "cache":
      return { selection };
    case "first": {
      const fallbacks = selection.kind === "card" ? { fallbacks: [] } : {};
      return { selection: { ...selection, ...fallbacks }, isFirstOnly: true };
    }
    case "hook": {
      const guardrail = { name: nameGuardrail(value), param };
      if (guardrailNames.has(guardrail.name)) return { selection, guardrail };
      // Only objects are guardrails of a provider's own.
      return isObject(value) ? narrow(selection, isNone, takes) : null;
    }
    case "only":
    case "ignore": {
      const names = new Set(listNames(value));
      const isOnly = row.meets === "only";
      return narrow(selection, ({ provider }) => names.has(provider.toLowerCase()) === isOnly, takes);
    }
    case "nothing":
      return narrow(selection, isNone, takes);
  }
}

const isNone: IsFit = () => false;

function listNames(value: unknown): readonly string[] {
  const names = typeof value === "string" ? [value] : asArray(value);
  return names.map((name) => String(name).toLowerCase());
}

function narrow(selection: Selection, isFit: IsFit, takes: IsFit): Fulfilment | null {
  const narrowed = narrowSelection(selection, (card) => isFit(card) || takes(card));
  return narrowed && { selection: narrowed, isTaken: listSelected(narrowed).some(takes) };
}

/**
 * True if the model's provider gets the field: its own row documents it, or the operator names it, and the request carries
 * it there. The operator's `*` names no field.
 */
export function takesField<F extends Form>(
  field: string,
  operation: string,
  card: ModelCard,
  { routes }: Pick<CallSetup<F>, "routes">,
  { ask, raw }: Pick<Exchange<F>, "ask" | "raw">,
): boolean {
  const upstream = routes.upstreams.get(card.provider);
  const named = [upstream?.setup.extraFields, upstream?.documented[operation]];
  if (!named.some((fields) => fields?.includes(field))) return false;
  const route = routes.find(card, ask, raw);
  if (route === null) return false;
  const carried: object[] = route.lane && raw ? [raw.body] : [ask, "extras" in ask ? Object(ask.extras) : {}];
  return carried.some((one) => Object.hasOwn(one, field));
}
