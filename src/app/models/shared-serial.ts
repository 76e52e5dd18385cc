// The highest serial that any node has seen in a watched list, in the store that all of them share.
import { readToldStates, writeToldStates } from "../../core/events/told-states.ts";
import type { Store } from "../../core/store.ts";

const SUBJECT = "catalogue.list";

/** Returns the highest of all nodes. `own` is kept for them, unless it is null or another one is higher. */
export async function shareSerial(
  { webhooks }: Pick<Store, "webhooks">,
  own: number | null,
): Promise<number | null> {
  let highest: number | null = null;
  await webhooks.tell((told) => {
    const states = readToldStates(told);
    const theirs = Number(states.get(SUBJECT)?.state ?? 0);
    highest = Math.max(theirs, own ?? 0) || null;
    if (own === null || own <= theirs) return null;
    states.set(SUBJECT, { state: String(own), reported: {} });
    return { told: writeToldStates(states), events: [] };
  });
  return highest;
}
