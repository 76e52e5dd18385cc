// Leaves fields out of a request, and names them.
import { type ChangedAsk, NONE } from "./form.ts";

/** Fields of a request that a call can't carry, each with the client's name of it. */
export type Unsent<A> = readonly (readonly [field: keyof A, clientName: string])[];

/**
 * Returns a request, or its body in its family's own form, that asks no provider to store its answer: all of them name the
 * field alike. The same object if it doesn't ask for that.
 */
export function withoutStoring<Body extends object>(body: Body): Body {
  return Reflect.get(body, "store") === true ? { ...body, store: false } : body;
}

/** Leaves out those of the fields that are set. Returns the same object if none is. */
export function leaveOut<A extends object>(ask: A, unsent: Unsent<A>): ChangedAsk<A> {
  const set = unsent.filter(([field]) => ask[field] !== undefined);
  if (set.length === 0) return { ask, dropped: NONE };
  const left = { ...ask };
  for (const [field] of set) delete left[field];
  return { ask: left, dropped: set.map(([, name]) => name) };
}
