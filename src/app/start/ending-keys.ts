// Logs the keys that name a model which ends, at the start.
import { listNamingKeys } from "../../admin/models/naming-keys.ts";
import { explainEnd } from "../../catalogue/ending-names.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Store } from "../../core/store.ts";
import type { Log } from "../../core/world/world.ts";

/** Writes a line for each such model of these cards. All keys are looked through once, and again only if some name one. */
export async function noteEndingKeys(
  store: Pick<Store, "keys">,
  cards: readonly ModelCard[],
  log: Log,
  nowMs: number,
): Promise<void> {
  const ids = cards.filter(({ ending }) => ending !== undefined).map(({ id }) => id);
  if (!(await isAnyNamed(store, ids, nowMs))) return;
  for (const { id: model, shutdownDate: shutdown, ending, successor } of cards) {
    if (shutdown === undefined || ending === undefined) continue;
    const keys = (await listNamingKeys({ store, nowMs }, model)).map(({ id }) => id);
    if (keys.length === 0) continue;
    const ended = ending === "over";
    const message = explainEnd({ model, lastDay: shutdown, isOver: ended, successor });
    log({
      event: "model_ending",
      level: "warn",
      field: "allowed_models",
      model,
      shutdown,
      ended,
      keys,
      message,
    });
  }
}

async function isAnyNamed(
  store: Pick<Store, "keys">,
  models: readonly string[],
  nowMs: number,
): Promise<boolean> {
  if (models.length === 0) return false;
  const modelsTexts = models.map((id) => JSON.stringify(id).toLowerCase());
  const found = await store.keys({ limit: 1, after: null }, { nowMs, isRevoked: false, modelsTexts });
  return found.length > 0;
}
