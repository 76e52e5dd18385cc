// The names that clients asked for in the last 24 hours and that no card has, from the refusals.
import { Type } from "@sinclair/typebox";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Proposal } from "../../catalogue/feeds/verdict.ts";
import type { RefusalCount } from "../../core/log/refusal-log.ts";
import type { Scope } from "../../core/people/people.ts";
import type { Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";
import { formatInstant } from "../format.ts";
import type { ListPage } from "../list.ts";
import { count, instant, text, type View } from "../schema.ts";

const ASKED_MS = 86_400_000;
/** The longest that the refusals are searched, whatever their number. */
const SEARCH_MS = 300;
const ROWS_MAX = 5000;
const MODELS_MAX = 100;
/** Clients may send anything: other names aren't shown. */
const SHOWN_NAME = /^[\x21-\x7e]{1,128}$/;
/** From here on somebody should know of a name. One client's mistake alone tells nobody. */
const TOLD = { requests: 10, payers: 2 };
/** The keys whose payers are looked up. */
const KEYS_MAX = 20;

export const missingModelSchema = Type.Object({
  model: text,
  requests: Type.Integer({ minimum: 0, description: "Of the last 24 hours, as all counts here." }),
  keys: count,
  last_at: instant,
  in_list: Type.Boolean({ description: "True if the watched list of prices has it." }),
  is_wanted: Type.Boolean({
    description: "True if the list has it, or from ten requests of two members or accounts on.",
  }),
});
export type MissingModelView = View<typeof missingModelSchema>;

export interface MissingModelsParts {
  readonly store: Pick<Store, "key"> & { readonly refusals: Pick<Store["refusals"], "list"> };
  readonly clock: Pick<Clock, "nowMs">;
  readonly catalogue: () => Pick<Catalogue, "findLacked">;
  /** The last comparison with the watched list. Null until there was one. */
  readonly compared: () => { readonly proposals: readonly Pick<Proposal, "id" | "isNew">[] } | null;
}

/** Lists the names, those of the watched list first, then the ones asked for most. */
export async function listMissingModels(
  parts: MissingModelsParts,
  scope?: Scope,
): Promise<ListPage<MissingModelView>> {
  const { store, clock, catalogue, compared } = parts;
  const filter = { code: "model_not_found", fromMs: clock.nowMs() - ASKED_MS, scope };
  const { rows } = await store.refusals.list(filter, { limit: ROWS_MAX, after: null }, SEARCH_MS);
  const known = catalogue();
  const listed = new Set((compared()?.proposals ?? []).flatMap(({ id, isNew }) => (isNew ? [id] : [])));
  const lacked = new Map<string, string | null>();
  const findLacked = (name: string) => lacked.getOrInsertComputed(name, () => known.findLacked(name));
  const byId = Map.groupBy(rows, ({ modelAsked }) =>
    modelAsked !== null && SHOWN_NAME.test(modelAsked) ? findLacked(modelAsked) : null,
  );
  const found = [...byId].flatMap(([id, refusals]) => (id === null ? [] : [sumUp(id, refusals, listed)]));
  const first = found.toSorted(compareWanted).slice(0, MODELS_MAX);
  const data = first.map(async ({ keyIds, accountIds, ...shown }) => ({
    ...shown,
    is_wanted: shown.in_list || (await isWanted(store, shown.requests, keyIds, accountIds)),
  }));
  return { data: await Promise.all(data), next: null };
}

function sumUp(model: string, refusals: readonly RefusalCount[], listed: ReadonlySet<string>) {
  const keyIds = new Set(refusals.flatMap(({ keyId }) => keyId ?? []));
  return {
    model,
    requests: refusals.reduce((sum, { count: own }) => sum + own, 0),
    keys: keyIds.size,
    last_at: formatInstant(Math.max(...refusals.map(({ atMs }) => atMs))),
    in_list: listed.has(model),
    keyIds,
    accountIds: new Set(refusals.map(({ accountId }) => accountId)),
  };
}

type AskedCount = Pick<MissingModelView, "requests" | "in_list">;

function compareWanted(one: AskedCount, other: AskedCount): number {
  return Number(other.in_list) - Number(one.in_list) || other.requests - one.requests;
}

async function isWanted(
  store: Pick<Store, "key">,
  requests: number,
  keyIds: ReadonlySet<string>,
  accountIds: ReadonlySet<string>,
): Promise<boolean> {
  if (requests < TOLD.requests) return false;
  if (accountIds.size >= TOLD.payers) return true;
  const keys = await Promise.all([...keyIds].slice(0, KEYS_MAX).map((id) => store.key(id)));
  return new Set(keys.map((key) => key?.memberId ?? "")).size >= TOLD.payers;
}
