// Requests refused before any provider was called, as the operator sees them: who, for what, by which rule, and the way out.
import { type Static, Type } from "@sinclair/typebox";
import { FAULTS, type FaultRow } from "../../core/faults/fault.ts";
import { LIMIT_SCOPES } from "../../core/limits/limit.ts";
import type { RefusalCount } from "../../core/log/refusal-log.ts";
import type { Scope } from "../../core/people/people.ts";
import type { DayRules } from "../../ledger/limits/day.ts";
import { formatInstant } from "../format.ts";
import { listSearched, pageFields, SEARCH_MS, type SearchedList } from "../list.ts";
import { allowNull, allowWords, closeObject, count, instant, number, text, type View } from "../schema.ts";
import { momentFields, readFrom, readTo } from "../span.ts";
import type { AdminWorld } from "../world.ts";
import { type FilterParts, findFilters } from "./found-filters.ts";
import { makeFilter, refusalFilterFields } from "./log-filters.ts";

export const refusalsQuery = closeObject({
  ...refusalFilterFields,
  code: Type.Optional(allowWords(Object.keys(FAULTS))),
  address: makeFilter("this client's address, as it is kept"),
  ...momentFields,
  ...pageFields,
});

const limitSchema = Type.Object({
  scope: allowWords(LIMIT_SCOPES),
  name: text,
  kind: text,
  per: Type.Optional(text),
  models: Type.Optional(Type.Array(text)),
  limit: number,
  used: number,
  reserved: Type.Optional(number),
  resets_at: Type.Optional(allowNull(instant)),
});

export const refusalSchema = Type.Object({
  id: text,
  at: instant,
  key_id: allowNull(text),
  last4: allowNull(text),
  shape: allowNull(text),
  account_id: allowNull(text),
  model_asked: allowNull(text),
  route: text,
  address: allowNull(text),
  code: text,
  status: Type.Integer(),
  limit: Type.Optional(limitSchema),
  reset_at: allowNull(instant),
  /** One sentence on what would let such a request pass. */
  way_out: text,
  count,
});
export type RefusalView = View<typeof refusalSchema>;

interface RefusalParts extends FilterParts {
  readonly store: FilterParts["store"] & Pick<AdminWorld["store"], "refusals">;
  readonly dayRules: () => DayRules;
}

/** Returns a page of the rows, newest first. Each counts the refusals of one key, model and code within a minute. */
export async function listRefusals(
  parts: RefusalParts,
  given: Static<typeof refusalsQuery>,
  scope?: Scope,
): Promise<SearchedList<RefusalView>> {
  const { store, dayRules } = parts;
  const query = await findFilters(parts, given, scope);
  const { model, code, address, member, from, to } = query;
  const rules = dayRules();
  const filter = {
    keyId: query.key_id ?? query.key,
    accountId: query.account_id ?? query.account,
    model,
    code,
    address,
    memberId: member,
    scope,
    fromMs: from === undefined ? undefined : readFrom(from, rules),
    toMs: to === undefined ? undefined : readTo(to, rules),
  };
  return listSearched(
    query,
    (page) => store.refusals.list(filter, page, SEARCH_MS),
    ({ atMs, id }) => ({ atMs, id }),
    refusalView,
  );
}

function refusalView(row: RefusalCount): RefusalView {
  return {
    id: row.id,
    at: formatInstant(row.atMs),
    key_id: row.keyId,
    last4: row.last4,
    shape: row.shape,
    account_id: row.accountId || null,
    model_asked: row.modelAsked,
    route: row.route,
    address: row.address,
    code: row.code,
    status: row.status,
    ...(row.limit ? { limit: limitView(row.limit) } : {}),
    reset_at: row.resetAtMs === null ? null : formatInstant(row.resetAtMs),
    way_out: explainWayOut(row),
    count: row.count,
  };
}

function limitView(limit: NonNullable<RefusalCount["limit"]>) {
  const { scope, name, kind, per, models, used, reserved, resetsAtMs } = limit;
  return {
    scope,
    name,
    kind,
    ...(per ? { per } : {}),
    ...(models ? { models: [...models] } : {}),
    limit: limit.limit,
    used,
    ...(reserved === undefined ? {} : { reserved }),
    ...(resetsAtMs === undefined
      ? {}
      : { resets_at: resetsAtMs === null ? null : formatInstant(resetsAtMs) }),
  };
}

const ROWS: ReadonlyMap<string, FaultRow> = new Map(Object.entries(FAULTS));

function explainWayOut({ code, resetAtMs, limit }: Pick<RefusalCount, "code" | "resetAtMs" | "limit">) {
  const way = ROWS.get(code)?.wayOut ?? "See the error's page in the manual.";
  if (limit?.resetsAtMs === null) return way.replace(/, or wait\{until\}/, "").replace("{until}", "");
  return way.replace("{until}", resetAtMs === null ? "" : ` until ${formatInstant(resetAtMs)}`);
}
