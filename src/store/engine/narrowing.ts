// Filtered lookups: a statement has only the conditions that are asked for, so that each finds its index.
import { markFinding } from "../../core/log/finding.ts";
import type { RequestFilter } from "../../core/log/log-query.ts";
import { CLIENT_GONE, type ListedRequest, type RequestOutcome } from "../../core/log/record.ts";
import type { RefusalFilter } from "../../core/log/refusal-log.ts";
import { UNTAGGED } from "../../core/log/tags.ts";
import type { Scope } from "../../core/people/people.ts";
import type { AccountFilter, KeyFilter } from "../../core/store.ts";
import type { Page } from "../../core/world/page.ts";
import type { FoundRow, Value } from "../columns/found.ts";
import { composeRequestId } from "../schema/request-ids.ts";
import { ACCOUNT, KEY, type Table } from "../schema/tables.ts";
import type { Engine, Lookup, Statement } from "./engine.ts";
import { composeContains, composeIs } from "./folding.ts";
import {
  ACCOUNT_ROWS,
  composeMemberScope,
  composeScope,
  KEY_ROWS,
  type ScopedRows,
  USE_ROWS,
} from "./scope.ts";
import { type Mark, selectSql } from "./sql.ts";

const HOUR_MS = 3_600_000;

/** A statement's conditions and values, as they are added. */
export class Narrowing {
  readonly values: Value[] = [];
  readonly #mark: Mark;
  readonly #conditions: string[] = [];

  constructor(mark: Mark) {
    this.#mark = mark;
  }

  /** Adds a value and returns its placeholder. */
  bind(value: Value): string {
    this.values.push(value);
    return this.#mark(this.values.length);
  }

  /** Adds the condition that any of the columns contains the text, in any case, unless the text is missing or empty. */
  byPart(text: string | undefined, columns: readonly string[]): void {
    if (text) this.add(composeContains(columns, text, (value) => this.bind(value)));
  }

  /** Adds the condition that the column contains any of the texts, in any case. There must be one. */
  byAnyPart(texts: readonly string[], column: string): void {
    this.add(texts.map((text) => composeContains([column], text, (value) => this.bind(value))).join(" OR "));
  }

  /** Adds a condition unless its value is undefined. */
  by(value: Value | undefined, condition: (mark: string) => string): void {
    if (value !== undefined) this.add(condition(this.bind(value)));
  }

  /** Adds a condition for each value that isn't undefined: the column equals it. */
  equal(values: Readonly<Record<string, Value | undefined>>): void {
    for (const [column, value] of Object.entries(values)) this.by(value, (at) => `${column} = ${at}`);
  }

  add(condition: string): void {
    this.#conditions.push(`(${condition})`);
  }

  /** Adds the condition that rows are within the scope, if there is one. */
  within(scope: Scope | undefined, rows: ScopedRows): void {
    const condition = scope ? composeScope(scope, rows, (value) => this.bind(value)) : null;
    if (condition !== null) this.add(condition);
  }

  /** True if every row is within the conditions so far. */
  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  get where(): string {
    return this.#conditions.join(" AND ");
  }
}

/** Card ids begin with the provider's name and `#`; the next character, `$`, ends the range. */
export function composeProvider(by: Narrowing, column: string, provider: string): string {
  return `${column} >= ${by.bind(`${provider}#`)} AND ${column} < ${by.bind(`${provider}$`)}`;
}

/**
 * One page, newest first, from the page's position on. `isFew` keeps the engine from reading all rows in that order to
 * save sorting a few.
 */
export function pageEnd(by: Narrowing, atColumn: string, { limit, after }: Page, isFew = false): string {
  const order = isFew ? `+${atColumn}` : atColumn;
  const atMs = by.bind(after?.atMs ?? Number.MAX_SAFE_INTEGER);
  by.add(`(${order}, id) < (${atMs}, ${by.bind(after?.id ?? "")})`);
  return `WHERE ${by.where} ORDER BY ${order} DESC, id DESC LIMIT ${by.bind(limit)}`;
}

/** Rows from before the column was added hold null there. They are found by the columns that it is made from. */
const OUTCOMES_BEFORE: Readonly<Record<RequestOutcome, string>> = {
  answered: "status < 400",
  left: `status = ${CLIENT_GONE}`,
  failed: `status >= 400 AND status <> ${CLIENT_GONE} AND attempts > 0`,
  refused: `status >= 400 AND status <> ${CLIENT_GONE} AND attempts = 0`,
};

/** The expression for a row's outcome. */
export const ROW_OUTCOME = `coalesce(outcome, CASE ${Object.entries(OUTCOMES_BEFORE)
  .map(([outcome, condition]) => `WHEN ${condition} THEN '${outcome}'`)
  .join(" ")} END)`;

/** A time range; its end is exclusive. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A key or an account, whose rows an index has in the order of time, or whose hours are known. */
interface RowOwner {
  readonly column: "key_id" | "account_id";
  readonly id: string;
}

/** A search of a log as its lookups, part by part. */
export interface LogQuestion<Row> {
  readonly table: "request" | "refusal";
  /** Returns the lookup of one page within a range of time. */
  readonly lookup: (span: Span, page: Page) => Statement;
  readonly rowOf: (row: FoundRow) => Row;
  readonly span: { readonly fromMs?: number | undefined; readonly toMs?: number | undefined };
  /** True if an index finds the rows at once. */
  readonly isIndexed: boolean;
  readonly owner: RowOwner | null;
}

/** Filters whose rows an index finds at once. */
const INDEXED = ["requestId", "session", "traceId", "socketId", "batchId", "server"] as const;
/** Returns the question to the request log that a filter asks. */
export function askRequests<Row extends ListedRequest>(
  table: Table<Row>,
  filter: RequestFilter,
  words: Pick<Engine, "mark" | "untimed">,
): LogQuestion<Row> {
  const given = listGiven(filter);
  const isWhole = given.every((name) => name === "fromMs" || name === "toMs");
  return {
    table: "request",
    lookup: (span, page) => requestsLookup(table, { ...filter, ...span }, page, words),
    rowOf: table.rowOf,
    span: filter,
    isIndexed: isWhole || INDEXED.some((name) => filter[name] !== undefined),
    owner: findOwner(filter),
  };
}

/** A scope of everything narrows nothing. */
function listGiven({ scope, ...filter }: RequestFilter): readonly string[] {
  const given = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return (scope?.accountIds ?? null) === null ? given : [...given, "scope"];
}

function findOwner({ keyId, accountId, scope }: RequestFilter): LogQuestion<ListedRequest>["owner"] {
  if (keyId !== undefined) return { column: "key_id", id: keyId };
  if (accountId !== undefined) return { column: "account_id", id: accountId };
  const [only, ...others] = scope?.accountIds ?? [];
  const isAlone = only !== undefined && others.length === 0 && scope?.personal === null;
  return isAlone ? { column: "account_id", id: only } : null;
}

const TEXT_COLUMNS = ["model_asked", "model_used", "model_tried", "fault_code"];

function requestsLookup(
  table: Pick<Table<never>, "name" | "columns">,
  { requestId, ...others }: RequestFilter,
  page: Page,
  { mark, untimed }: Pick<Engine, "mark" | "untimed">,
): Statement {
  const by = new Narrowing(mark);
  const isFew = requestId !== undefined || others.traceId !== undefined;
  if (requestId !== undefined) by.add(composeRequestId(requestId, untimed, (value) => by.bind(value)));
  narrowRequests(by, others, isFew ? "+at_ms" : "at_ms");
  return { text: `${selectSql(table)} ${pageEnd(by, "at_ms", page, isFew)}`, values: by.values };
}

/** Adds the conditions of a filter of requests. With `+at_ms`, no index of times is used for its range. */
export function narrowRequests(by: Narrowing, filter: RequestFilter, atColumn = "at_ms"): void {
  const { keyId, accountId, operation, surface, model, selector, status, ended, fromMs, toMs } = filter;
  const { provider, outcome, memberId, address, session, traceId, text, requestId, tag } = filter;
  const { transport, socketId, finding } = filter;
  by.within(filter.scope, USE_ROWS);
  by.equal({ key_id: keyId, account_id: accountId, operation, surface, selector, ended });
  by.equal({ member_id: memberId, address, session, request_id: requestId, socket_id: socketId });
  by.equal({ batch_id: filter.batchId, server: filter.server, tool: filter.tool });
  by.equal({ response_id: filter.responseId });
  if (transport !== undefined) by.add(`socket_id IS ${transport === "ws" ? "NOT " : ""}NULL`);
  by.by(model, (at) => `model_used = ${at} OR model_tried = ${at} OR model_asked = ${at}`);
  if (provider !== undefined) by.add(narrowProvider(by, provider));
  by.by(outcome, (at) => `outcome = ${at} OR outcome IS NULL AND ${OUTCOMES_BEFORE[outcome ?? "failed"]}`);
  by.by(traceId, (at) => `trace_id = ${at} OR parent_trace_id = ${at}`);
  if (text !== undefined) by.add(narrowText(by, text));
  if (tag !== undefined) by.add(tag === UNTAGGED ? "tags IS NULL" : narrowTag(by, tag));
  by.by(finding && markFinding(finding), (at) => `replace(guard, ${at}, '') <> guard`);
  if (status === "ok") by.add("status < 400");
  else if (status === "error") by.add(`status >= 400 AND status <> ${CLIENT_GONE}`);
  else if (typeof status === "object") by.by(status.hundreds, (at) => `status / 100 = ${at}`);
  else by.by(status, (at) => `status = ${at}`);
  by.by(fromMs, (at) => `${atColumn} >= ${at}`);
  by.by(toMs, (at) => `${atColumn} < ${at}`);
}

function narrowProvider(by: Narrowing, provider: string): string {
  const before = composeProvider(by, "coalesce(model_used, model_tried)", provider);
  return `provider = ${by.bind(provider)} OR provider IS NULL AND ${before}`;
}

/** Tags differ by case, which SQLite ignores with LIKE. */
function narrowTag(by: Narrowing, tag: string): string {
  return `replace(',' || tags || ',', ${by.bind(`,${tag},`)}, '') <> ',' || tags || ','`;
}

function narrowText(by: Narrowing, text: string): string {
  const whole = by.bind(text);
  const part = composeContains(TEXT_COLUMNS, text, (value) => by.bind(value));
  return [`id = ${whole}`, `request_id = ${whole}`, part].join(" OR ");
}

export function composeRefusals(
  { name, columns }: Pick<Table<never>, "name" | "columns">,
  filter: RefusalFilter,
  page: Page,
  mark: Mark,
): Statement {
  const { keyId, accountId, model, code, address, fromMs, toMs } = filter;
  const by = new Narrowing(mark);
  by.within(filter.scope, USE_ROWS);
  by.equal({ key_id: keyId, account_id: accountId, model_asked: model, code, address });
  by.by(filter.memberId, (at) => `key_id IN (SELECT id FROM gateway_key WHERE member_id = ${at})`);
  by.by(fromMs, (at) => `at_ms >= ${at}`);
  by.by(toMs, (at) => `at_ms < ${at}`);
  return {
    text: `${selectSql({ name, columns })} ${pageEnd(by, "at_ms", page)}`,
    values: by.values,
  };
}

export function keysLookup(filter: KeyFilter | undefined, page: Page, mark: Mark): Lookup {
  const by = new Narrowing(mark);
  const isBounded = narrowKeys(by, filter);
  const end = pageEnd(by, "created_at_ms", page);
  return { text: `${selectSql(KEY)} ${end}`, values: by.values, isBounded };
}

/** Adds the conditions of a filter of keys. Returns true if an index finds a page of them, in an order that it has. */
export function narrowKeys(by: Narrowing, filter: KeyFilter | undefined): boolean {
  const { accountId, memberId, contact, isRevoked, state, nowMs = 0, text, except, scope } = filter ?? {};
  by.within(scope, KEY_ROWS);
  by.by(accountId, (at) => `account_id = ${at}`);
  by.by(memberId, (at) => `member_id = ${at}`);
  if (contact !== undefined) by.add(composeIs("contact", contact, (value) => by.bind(value)));
  if (isRevoked !== undefined) by.add(`revoked_at_ms IS ${isRevoked ? "NOT " : ""}NULL`);
  by.by(filter?.expiring?.fromMs, (at) => `expires_at_ms > ${at}`);
  by.by(filter?.expiring?.toMs, (at) => `expires_at_ms <= ${at}`);
  if (state === "revoked") by.add("revoked_at_ms IS NOT NULL");
  else if (state !== undefined) by.add("revoked_at_ms IS NULL");
  if (state === "expired") by.by(nowMs, (at) => `expires_at_ms <= ${at}`);
  if (state === "active" || state === "paused") {
    by.by(nowMs, (at) => `expires_at_ms IS NULL OR expires_at_ms > ${at}`);
    by.add(`paused = ${state === "paused" ? 1 : 0}`);
  }
  by.byPart(text, ["name", "id", "last4"]);
  narrowModels(by, filter ?? {});
  // A person has few keys, and few ids are left out.
  const isBounded = by.isEmpty || memberId !== undefined;
  by.by(except && `${except}%`, (at) => `id NOT LIKE ${at}`);
  return isBounded;
}

function narrowModels(by: Narrowing, { modelsText, modelsTexts }: Partial<KeyFilter>): void {
  // Most keys have no list: reading none in lower case takes a fraction of the time.
  if (modelsText || modelsTexts !== undefined) by.add("allowed_models <> 'null'");
  by.byPart(modelsText, ["allowed_models"]);
  if (modelsTexts !== undefined) by.byAnyPart(modelsTexts, "allowed_models");
}

/** Adds the conditions of a filter of accounts. Returns as `narrowKeys`. */
export function narrowAccounts(by: Narrowing, { text, scope }: AccountFilter): boolean {
  by.within(scope, ACCOUNT_ROWS);
  by.byPart(text, ["name", "external_id"]);
  // A scope names its accounts.
  return !text;
}

/** Adds the condition that people are within the scope. Returns as `narrowKeys`. */
export function narrowPeople(by: Narrowing, { scope }: { readonly scope?: Scope | undefined }): boolean {
  const condition = scope ? composeMemberScope(scope, (value) => by.bind(value)) : null;
  if (condition !== null) by.add(condition);
  return condition === null;
}

export function accountsLookup(filter: AccountFilter | undefined, page: Page, mark: Mark): Lookup {
  const by = new Narrowing(mark);
  const isBounded = narrowAccounts(by, filter ?? {});
  const end = pageEnd(by, "created_at_ms", page);
  return { text: `${selectSql(ACCOUNT)} ${end}`, values: by.values, isBounded };
}

/** When a key was last used, to the hour. */
export const LAST_HOUR = "(SELECT max(hour_ms) FROM hourly_usage WHERE key_id = gateway_key.id)";

/** The same to the millisecond, for engines with an index on the requests of a key. */
export const LAST_AT = `
  coalesce((SELECT max(at_ms) FROM request
      WHERE key_id = gateway_key.id AND at_ms >= ${LAST_HOUR} AND at_ms < ${LAST_HOUR} + ${HOUR_MS}),
    ${LAST_HOUR})`;

/** The marks are the start of the day and of the month, each an hour early; `ids` is the keys' condition. */
export function keyUsesSql(ids: string, dayMark: string, monthMark: string, lastAt: string): string {
  return `
    SELECT id,
      coalesce(sum(CASE WHEN hour_ms > ${dayMark} THEN charged_nano END), 0) AS day_nano,
      coalesce(sum(charged_nano), 0) AS month_nano,
      (SELECT coalesce(sum(spent_nano), 0) FROM spend
        WHERE account_id = gateway_key.account_id AND key_id = gateway_key.id) AS ever_nano,
      ${lastAt} AS last_at_ms
    FROM gateway_key LEFT JOIN hourly_usage ON key_id = id AND hour_ms > ${monthMark}
    WHERE ${ids} GROUP BY id`;
}
