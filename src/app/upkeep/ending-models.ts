// Tells of models in their last 30 days that something still leads to: an alias, a fallback, or a key that uses or names them.
import { listRetiring, type RetiringView } from "../../admin/models/retiring.ts";
import type { NamingSettings } from "../../catalogue/ending-names.ts";
import type { OutboxEvent } from "../../core/events/events.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";

/** Enough to know whom to ask: `/admin/v1/models/retiring` lists more. */
const KEYS_TOLD_MAX = 20;

export interface EndingModels {
  readonly settings: () => NamingSettings;
  /** Returns the models that are enabled. */
  readonly cards: () => readonly ModelCard[];
}

interface EndingModelParts {
  readonly store: Pick<Store, "usage" | "busiestKeys" | "key" | "keys" | "addEvents">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly models: EndingModels;
}

/** Records one event for each such model, once over all nodes. */
export async function warnOfEnds({ store, clock, models }: EndingModelParts): Promise<void> {
  const ending = new Map(
    models.cards().flatMap((card) => (card.ending === "soon" ? [[card.id, card] as const] : [])),
  );
  if (ending.size === 0) return;
  const nowMs = clock.nowMs();
  const { settings } = models;
  const { data } = await listRetiring({ store, clock, settings, cards: () => [...ending.values()] });
  const events = data.flatMap((view) => {
    if (view.names.length === 0 && view.keys_total === 0) return [];
    return [makeEnding(view, ending.get(view.model)?.successor ?? null, nowMs)];
  });
  if (events.length > 0) await store.addEvents(events);
}

/** Its id is the same on every node. */
function makeEnding(
  { model, shutdown: until, names, keys, keys_total }: RetiringView,
  successor: string | null,
  atMs: number,
): OutboxEvent {
  const told = keys
    .slice(0, KEYS_TOLD_MAX)
    .map(({ key_id, name, account_id }) => ({ key_id, name, account_id }));
  const data = { model, until, successor, names, keys: told, keys_total };
  return { accountId: "", id: `model.ending ${model} ${until}`, atMs, type: "model.ending", data };
}
