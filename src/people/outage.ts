// Tells of an issuer's outage when it begins and when it is over, each once over all nodes.
import { makeEvent } from "../core/events/events.ts";
import { readToldStates, writeToldStates } from "../core/events/told-states.ts";
import type { Doubt } from "../core/people/people.ts";
import type { Store } from "../core/store.ts";

interface OutageParts {
  readonly store: { readonly webhooks: Pick<Store["webhooks"], "tell"> };
  readonly clock: { nowMs(): number };
}

const SILENT = "silent";

const nameSubject = (issuer: string) => `issuer ${issuer}`;
const format = (atMs: number) => new Date(atMs).toISOString();

/** Records the event `issuer.silent`, unless the outage is known. `people` is the number of those in doubt. */
export async function tellSilent(
  { store }: OutageParts,
  issuer: string,
  doubt: Doubt,
  people: number,
): Promise<void> {
  const { sinceMs, actsUntilMs, keysUntilMs } = doubt;
  await store.webhooks.tell((told) => {
    const states = readToldStates(told);
    if (states.get(nameSubject(issuer))?.state === SILENT) return null;
    states.set(nameSubject(issuer), { state: SILENT, reported: { [SILENT]: sinceMs } });
    const ends = { sessions_end_at: format(actsUntilMs), keys_end_at: format(keysUntilMs) };
    const data = { issuer, since: format(sinceMs), people, ...ends };
    const event = makeEvent("issuer.silent", issuer, { accountId: "", atMs: sinceMs, data });
    return { told: writeToldStates(states), events: [event] };
  });
}

/** Records the event `issuer.back` if an outage is known. */
export async function tellBack({ store, clock }: OutageParts, issuer: string): Promise<void> {
  const atMs = clock.nowMs();
  await store.webhooks.tell((told) => {
    const states = readToldStates(told);
    const before = states.get(nameSubject(issuer));
    if (before?.state !== SILENT) return null;
    states.delete(nameSubject(issuer));
    const data = { issuer, since: format(before.reported[SILENT] ?? atMs) };
    const event = makeEvent("issuer.back", issuer, { accountId: "", atMs, data });
    return { told: writeToldStates(states), events: [event] };
  });
}
