// Tells of tokens from before contacts were words alone that nothing but the contact upholds, once over all nodes.
import { isUpheld } from "../../admin/people/token-makers.ts";
import type { OutboxEvent } from "../../core/events/events.ts";
import type { NamedToken } from "../../core/people/people.ts";
import type { Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";

const TOKENS_MAX = 1000;

interface EndingTokenParts {
  readonly store: Store;
  readonly clock: Pick<Clock, "nowMs">;
}

export async function warnOfContacts({ store, clock }: EndingTokenParts): Promise<void> {
  const nowMs = clock.nowMs();
  const events: OutboxEvent[] = [];
  for (const token of await store.people.tokens(TOKENS_MAX)) {
    const { contactUntilMs: untilMs, revokedAtMs } = token;
    if (untilMs === undefined || untilMs <= nowMs || revokedAtMs !== null) continue;
    const isKept = await isUpheld(store, token, nowMs);
    const isUpheldAnyway = await isUpheld(store, { ...token, contactUntilMs: undefined }, nowMs);
    if (isKept && !isUpheldAnyway) events.push(makeEnding(token, untilMs, nowMs));
  }
  if (events.length > 0) await store.addEvents(events);
}

/** Its id is the same on every node. */
function makeEnding({ id: token_id, name, contact }: NamedToken, untilMs: number, atMs: number): OutboxEvent {
  const data = { token_id, name, contact, until: new Date(untilMs).toISOString() };
  return { accountId: "", id: `token.ending ${token_id} ${untilMs}`, atMs, type: "token.ending", data };
}
