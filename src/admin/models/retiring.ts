// Models whose provider has announced their end, and the keys that still use them.
import { Type } from "@sinclair/typebox";
import { listEndingNames, type NamingSettings } from "../../catalogue/ending-names.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { BusiestKeys, UsageQuery } from "../../core/log/log-query.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Scope } from "../../core/people/people.ts";
import type { Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";
import type { ListPage } from "../list.ts";
import { allowNull, count, number, text, type View } from "../schema.ts";
import { listNamingKeys } from "./naming-keys.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Keys that used a model within this time still use it. */
const USED_MS = 30 * DAY_MS;
/** The keys shown of a model, those with the most requests first. */
const KEYS_MAX = 100;
const NOBODY: BusiestKeys = { total: 0, keys: [] };

export const retiringSchema = Type.Object({
  model: text,
  shutdown: Type.String({ format: "date", description: "Its last day." }),
  days_left: Type.Integer({ description: "Negative once it has ended." }),
  requests: Type.Integer({ minimum: 0, description: "Of the last 30 days, as all counts here." }),
  keys_total: count,
  names: Type.Array(text, {
    description:
      "The aliases, fallbacks and lists of the configuration that lead to it. Empty for those who don't see all accounts.",
  }),
  keys: Type.Array(Type.Object({ key_id: text, name: allowNull(text), account_id: text, requests: number }), {
    description: `At most ${KEYS_MAX}, those with the most requests first; from 30 days before its end with those that name it.`,
  }),
});
export type RetiringView = View<typeof retiringSchema>;

interface RetiringParts {
  readonly store: Pick<Store, "usage" | "busiestKeys" | "key" | "keys">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly cards: () => readonly ModelCard[];
  readonly settings: () => NamingSettings;
}

/** Lists the models that are enabled and end, the next end first, with the use within the scope. */
export async function listRetiring(
  { store, clock, cards, settings }: RetiringParts,
  scope?: Scope,
): Promise<ListPage<RetiringView>> {
  const nowMs = clock.nowMs();
  const span = { fromMs: Math.floor((nowMs - USED_MS) / HOUR_MS) * HOUR_MS, toMs: nowMs + HOUR_MS };
  const used = new Map(
    (await store.usage({ ...span, groupBy: ["model"], only: { scope } })).map(({ model, requests }) => [
      model,
      requests,
    ]),
  );
  const isWhole = scope === undefined || scope.accountIds === null;
  const names = Map.groupBy(isWhole ? listEndingNames(settings(), nowMs) : [], ({ model }) => model);
  const views = cards().map(async (card) => {
    if (card.shutdownDate === undefined) return [];
    const requests = used.get(card.id) ?? 0;
    const use = { ...span, only: { model: card.id, scope } };
    const busiest = requests === 0 ? NOBODY : await store.busiestKeys(use, KEYS_MAX);
    const keys = busiest.keys.map(async ({ keyId, accountId, requests: own }) => ({
      key_id: keyId,
      name: (await store.key(keyId, scope))?.name ?? null,
      account_id: accountId,
      requests: own,
    }));
    const daysLeft = Math.ceil((Date.parse(card.shutdownDate) - nowMs) / DAY_MS);
    const naming = card.ending === undefined ? [] : await listNamingKeys({ store, nowMs }, card.id, scope);
    const idle = requests === 0 ? naming : await listIdle(store, naming, use);
    const unused = idle.map(({ id, name, accountId }) => ({
      key_id: id,
      name,
      account_id: accountId,
      requests: 0,
    }));
    return [
      {
        model: card.id,
        shutdown: card.shutdownDate,
        days_left: daysLeft,
        requests,
        names: (names.get(card.id) ?? []).map(({ field }) => field),
        keys_total: busiest.total + unused.length,
        keys: [...(await Promise.all(keys)), ...unused].slice(0, KEYS_MAX),
      },
    ];
  });
  const data = (await Promise.all(views)).flat();
  return { data: data.sort((one, other) => one.days_left - other.days_left), next: null };
}

/** Returns the keys that have no requests in these sums. */
async function listIdle(
  store: RetiringParts["store"],
  keys: readonly GatewayKey[],
  { only, ...span }: Omit<UsageQuery, "groupBy">,
): Promise<readonly GatewayKey[]> {
  if (keys.length === 0) return keys;
  const keyIds = keys.map(({ id }) => id);
  const sums = await store.usage({ ...span, groupBy: ["keyId"], only: { ...only, keyIds } });
  const busy = new Set(sums.map(({ keyId }) => keyId));
  return keys.filter(({ id }) => !busy.has(id));
}
