// The audit log: entries wait in the outbox of the transaction that caused them, until one node at a time chains them.
import {
  type AuditFilter,
  type AuditHead,
  type AuditLogStore,
  type AuditRow,
  CHAIN_START,
  chainEntry,
  makeAuditEvent,
  OUTCOMES,
  type Salts,
  type WaitingEntry,
} from "../../core/audit/audit-log.ts";
import { AUDIT_EVENT } from "../../core/events/events.ts";
import { asNumber, asObject, asString, isObject, parseJson } from "../../core/json/json.ts";
import { allowNull, INTEGER, makeWord, nameColumn, TEXT, TIME } from "../columns/columns.ts";
import { readInteger, readText } from "../columns/found.ts";
import { bind, type Engine, type Result, type Statement } from "../engine/engine.ts";
import { Narrowing } from "../engine/narrowing.ts";
import { composeAddEvent } from "../engine/recording.ts";
import { insertSql, joinNames, selectSql } from "../engine/sql.ts";
import { EVENT, pickColumns, table } from "../schema/tables.ts";

const NULLABLE = allowNull(TEXT);
const SALT = allowNull(TEXT);

const ROW = table<AuditRow>("audit", ["seq"], {
  seq: INTEGER,
  id: TEXT,
  atMs: TIME,
  actorKind: TEXT,
  actorId: TEXT,
  action: TEXT,
  targetType: TEXT,
  targetId: TEXT,
  accountId: NULLABLE,
  outcome: makeWord(OUTCOMES),
  route: TEXT,
  requestId: TEXT,
  reason: NULLABLE,
  actorDigest: TEXT,
  targetDigest: TEXT,
  changeDigest: TEXT,
  hash: TEXT,
  actorSalt: SALT,
  actorName: TEXT,
  address: TEXT,
  agent: TEXT,
  targetSalt: SALT,
  targetName: TEXT,
  changeSalt: SALT,
  before: nameColumn("before_json", NULLABLE),
  after: nameColumn("after_json", NULLABLE),
});
const DETAILS = [
  "actor_salt",
  "actor_name",
  "address",
  "agent",
  "target_salt",
  "target_name",
  "change_salt",
  "before_json",
  "after_json",
];
const LINK = pickColumns(
  ROW,
  ROW.columns.filter((column) => !DETAILS.includes(column)),
);
const DETAIL = { ...pickColumns(ROW, ["seq", ...DETAILS]), name: "audit_detail" };

const HEAD = "audit_head";
const SALT_BYTES = 16;

function makeSalt(): string {
  return crypto.getRandomValues(new Uint8Array(SALT_BYTES)).toHex();
}

function makeSalts(): Salts {
  return [makeSalt(), makeSalt(), makeSalt()];
}

/** Words that only another node's version knows are chained as they are. */
function readWaiting(data: Readonly<Record<string, unknown>>): WaitingEntry {
  const act = asObject(data.act);
  const target = asObject(data.target);
  const text = (value: unknown) => asString(value) ?? "";
  const named = ({ id, name }: Readonly<Record<string, unknown>>) => ({ id: text(id), name: text(name) });
  const actor = asObject(act.actor);
  return {
    id: text(data.id),
    atMs: asNumber(data.atMs) ?? 0,
    act: {
      actor: { kind: text(actor.kind), ...named(actor) },
      address: text(act.address),
      agent: text(act.agent),
      route: text(act.route),
      requestId: text(act.requestId),
    },
    action: text(data.action),
    target: { type: text(target.type), ...named(target) },
    outcome: OUTCOMES.find((one) => one === data.outcome) ?? "failed",
    accountId: asString(data.accountId) ?? null,
    reason: asString(data.reason) ?? null,
    before: isObject(data.before) ? data.before : null,
    after: isObject(data.after) ? data.after : null,
  };
}

function readHead(found: Result | undefined): AuditHead {
  const value = found?.[0] ? readText(found[0], "value") : "";
  if (value === "") return CHAIN_START;
  const { seq, hash } = asObject(parseJson(value));
  if (typeof seq === "number" && typeof hash === "string") return { seq, hash };
  throw new Error("The store's setting audit_head holds an invalid value.");
}

/** The statements of the chain's end, which only one transaction at a time extends. */
function makeChain({ mark, forUpdate }: Engine) {
  const first = mark(1);
  const second = mark(2);
  const keep = `INSERT INTO setting (name, value) VALUES (${first}, '') ON CONFLICT (name) DO NOTHING`;
  const find = `SELECT value FROM setting WHERE name = ${first}`;
  const move = `UPDATE setting SET value = ${second} WHERE name = ${first}`;
  const addLink = insertSql(LINK, mark);
  const addDetail = insertSql(DETAIL, mark);
  return {
    find: bind(find, HEAD),
    // A missing row can't be locked, so an empty one is added first.
    lock: [bind(keep, HEAD), bind(`${find} ${forUpdate}`, HEAD)],
    extend(rows: readonly AuditRow[]): readonly Statement[] {
      const last = rows.at(-1);
      if (last === undefined) return [];
      const added = rows.flatMap((row) => [
        bind(addLink, ...LINK.valuesOf(row)),
        bind(addDetail, ...DETAIL.valuesOf(row)),
      ]);
      return [...added, bind(move, HEAD, JSON.stringify({ seq: last.seq, hash: last.hash }))];
    },
  };
}

export function auditLogMethods(engine: Engine): AuditLogStore {
  return { ...waitingMethods(engine), ...chainedMethods(engine), ...endingMethods(engine) };
}

/** Chaining is repeatable at every point: an entry is only chained if the chain lacks its id, and deleted afterwards. */
function waitingMethods(engine: Engine) {
  const { mark, run, runAll, change } = engine;
  const first = mark(1);
  const second = mark(2);
  const add = composeAddEvent(mark);
  const chainEnd = makeChain(engine);
  const isWaiting = `type = '${AUDIT_EVENT}' AND logged_at_ms IS NULL`;
  const waiting = `${selectSql(EVENT)} WHERE ${isWaiting} ORDER BY at_ms, id LIMIT ${first}`;
  const known = `SELECT seq FROM audit WHERE id = ${first}`;
  const forget = `DELETE FROM event WHERE account_id = ${first} AND id = ${second}`;
  const chain: AuditLogStore["chain"] = async (most) => {
    const events = (await run(bind(waiting, most))).map(EVENT.rowOf);
    if (events.length === 0) return null;
    const entries = events.map(({ data }) => ({ entry: readWaiting(data), salts: makeSalts() }));
    const finding = entries.map(({ entry }) => bind(known, entry.id));
    const rows = await change([...chainEnd.lock, ...finding], ([, head, ...found]) => {
      const added: AuditRow[] = [];
      entries.forEach(({ entry, salts }, at) => {
        const isChained = (found[at]?.length ?? 0) > 0;
        if (!isChained) added.push(chainEntry(added.at(-1) ?? readHead(head), entry, salts));
      });
      return { writes: chainEnd.extend(added), toResult: () => added };
    });
    await runAll(events.map(({ accountId, id }) => bind(forget, accountId, id)));
    return rows;
  };
  return {
    add: (entries) => runAll(entries.map((entry) => bind(add, ...EVENT.valuesOf(makeAuditEvent(entry))))),
    chain,
  } satisfies Partial<AuditLogStore>;
}

const JOINED = `SELECT ${joinNames(ROW.columns)} FROM audit JOIN audit_detail USING (seq)`;

/** The rows that one lookup reads at most, in some 10 ms: a long log with few that match would stop the event loop. */
const ROWS_AT_ONCE = 5000;

function chainedMethods(engine: Engine) {
  const { mark, run } = engine;
  const from = `${JOINED} WHERE seq >= ${mark(1)} ORDER BY seq LIMIT ${mark(2)}`;
  // SQLite looks up only one end by the index: for both in one query, it reads the whole table.
  const [least, most] = ["min", "max"].map((end) => `coalesce((SELECT ${end}(seq) FROM audit), 0)`);
  const ends = `SELECT ${least} AS first, ${most} AS last`;
  const rows: AuditLogStore["rows"] = async (filter, { limit, before }) => {
    const found: AuditRow[] = [];
    const [span] = await run(bind(ends));
    const first = span ? readInteger(span, "first") : 0;
    let end = Math.min(before ?? Number.MAX_SAFE_INTEGER, (span ? readInteger(span, "last") : 0) + 1);
    while (found.length < limit && end > first) {
      const part = { limit: limit - found.length, from: end - ROWS_AT_ONCE, before: end };
      found.push(...(await run(rowsLookup(filter, part, mark))).map(ROW.rowOf));
      end = part.from;
    }
    return found;
  };
  return {
    rows,
    rowsFrom: async (seq, most) => (await run(bind(from, seq, most))).map(ROW.rowOf),
    head: async () => readHead(await run(makeChain(engine).find)),
  } satisfies Partial<AuditLogStore>;
}

function rowsLookup(
  filter: AuditFilter,
  { limit, from, before }: { readonly limit: number; readonly from: number; readonly before: number },
  mark: Engine["mark"],
): Statement {
  const { actor, action, target, outcome, accountId, fromMs, toMs, accountIds } = filter;
  const by = new Narrowing(mark);
  by.equal({ actor_id: actor, outcome, account_id: accountId });
  by.by(action, (at) => (action?.includes(".") ? `action = ${at}` : `action LIKE ${at} || '.%'`));
  by.by(target, (at) => `target_type = ${at} OR target_id = ${at}`);
  by.by(fromMs, (at) => `at_ms >= ${at}`);
  by.by(toMs, (at) => `at_ms < ${at}`);
  if (accountIds?.length === 0) by.add("seq < 0");
  else if (accountIds) by.add(`account_id IN (${joinNames(accountIds.map((id) => by.bind(id)))})`);
  by.add(`seq >= ${by.bind(from)}`);
  by.add(`seq < ${by.bind(before)}`);
  const text = `${JOINED} WHERE ${by.where} ORDER BY seq DESC LIMIT ${by.bind(limit)}`;
  return { text, values: by.values };
}

function endingMethods(engine: Engine) {
  const { mark, change } = engine;
  const first = mark(1);
  const chainEnd = makeChain(engine);
  const oldest = `SELECT seq, hash, at_ms FROM audit ORDER BY seq LIMIT ${first}`;
  const forget = ["audit", "audit_detail"].map((table) => `DELETE FROM ${table} WHERE seq <= ${first}`);
  return {
    prune: (beforeMs, rowsMax, makeEntry) =>
      change([...chainEnd.lock, bind(oldest, rowsMax)], ([, head, found]) => {
        const rows = [...(found ?? [])];
        const kept = rows.findIndex((row) => readInteger(row, "at_ms") >= beforeMs);
        const old = kept === -1 ? rows : rows.slice(0, kept);
        const end = old.at(-1);
        if (end === undefined) return { writes: [], toResult: () => 0 };
        const last = { seq: readInteger(end, "seq"), hash: readText(end, "hash") };
        const added = chainEntry(readHead(head), makeEntry(last), makeSalts());
        const writes = [...forget.map((text) => bind(text, last.seq)), ...chainEnd.extend([added])];
        return { writes, toResult: () => old.length };
      }),
  } satisfies Partial<AuditLogStore>;
}
