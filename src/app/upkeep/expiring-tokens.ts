// Warns of the directory's tokens a month before they end, once over all nodes: a directory that is cut off removes nobody.
import type { OutboxEvent } from "../../core/events/events.ts";
import type { NamedToken } from "../../core/people/people.ts";
import type { Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";

const MONTH_MS = 30 * 86_400_000;
const TOKENS_MAX = 1000;
/** Those that end up to this moment had their event before. */
const TOLD = "tokens_expiring_until";

interface ExpiringTokenParts {
  readonly store: Pick<Store, "people" | "addEvents" | "setting" | "setSetting">;
  readonly clock: Pick<Clock, "nowMs">;
}

/** A token that is made with less than a month to go is its maker's concern. */
export async function warnOfExpiringTokens({ store, clock }: ExpiringTokenParts): Promise<void> {
  const nowMs = clock.nowMs();
  const told = Number((await store.setting(TOLD)) ?? nowMs);
  const untilMs = nowMs + MONTH_MS;
  if (told >= untilMs) return;
  const tokens = await store.people.tokens(TOKENS_MAX);
  await store.addEvents(
    tokens.flatMap((token) => {
      const { kind, revokedAtMs, expiresAtMs } = token;
      const isDue = expiresAtMs !== null && expiresAtMs > told && expiresAtMs <= untilMs;
      return kind === "scim" && revokedAtMs === null && isDue
        ? [makeExpiring(token, expiresAtMs, nowMs)]
        : [];
    }),
  );
  await store.setSetting(TOLD, String(untilMs));
}

/** Its id is the same on every node. */
function makeExpiring({ id: token_id, name, contact }: NamedToken, endMs: number, atMs: number): OutboxEvent {
  const data = { token_id, name, contact, until: new Date(endMs).toISOString() };
  return { accountId: "", id: `token.expiring ${token_id} ${endMs}`, atMs, type: "token.expiring", data };
}
