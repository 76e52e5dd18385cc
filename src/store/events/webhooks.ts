// Deliveries of events: leased by one node, due by time, dead once nothing helps, and sent again when asked.

import {
  DELIVERY_STATES,
  type Delivery,
  type FirstTypes,
  SENT_AGAIN,
  type WebhookStore,
} from "../../core/events/webhook.ts";
import { asObject, parseJson } from "../../core/json/json.ts";
import { allowNull, INTEGER, makeJson, makeWord, TEXT, TIME } from "../columns/columns.ts";
import { readText } from "../columns/found.ts";
import { bind, type Engine, readFirst } from "../engine/engine.ts";
import { Narrowing } from "../engine/narrowing.ts";
import { composeAddEvent } from "../engine/recording.ts";
import type { ScopedRows } from "../engine/scope.ts";
import { insertSql, joinNames, selectSql } from "../engine/sql.ts";
import { EVENT, table } from "../schema/tables.ts";

const DELIVERY = table<Delivery>("delivery", ["id"], {
  id: TEXT,
  webhookId: TEXT,
  endpoint: TEXT,
  type: TEXT,
  accountId: TEXT,
  atMs: TIME,
  data: makeJson((json) => asObject(parseJson(json))),
  state: makeWord(DELIVERY_STATES),
  attempts: INTEGER,
  dueAtMs: allowNull(TIME),
  status: allowNull(INTEGER),
  reason: allowNull(TEXT),
});
const DELIVERY_ROWS: ScopedRows = { account: "account_id", personal: null };

/** The place of the reason among a statement's values. The types follow. */
const SENT = 4;
const LEASE = "webhooks";
const TOLD = "told_states";

export function composeAddDelivery(mark: Engine["mark"]) {
  const text = `${insertSql(DELIVERY, mark)} ON CONFLICT (id) DO NOTHING`;
  return (delivery: Delivery) => bind(text, ...DELIVERY.valuesOf(delivery));
}

export function webhookMethods(engine: Engine): WebhookStore {
  return {
    ...leaseMethods(engine),
    ...attemptMethods(engine),
    ...shownMethods(engine),
    ...tellMethods(engine),
  };
}

function leaseMethods({ mark, run, runOnce, runAll }: Engine) {
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const fourth = mark(4);
  const keep = `INSERT INTO lease (name, node, until_ms) VALUES (${first}, '', 0) ON CONFLICT (name) DO NOTHING`;
  const take = `UPDATE lease SET node = ${first}, until_ms = ${second}
    WHERE name = ${third} AND (node = ${first} OR until_ms <= ${fourth})`;
  const add = `INSERT INTO endpoint_off (endpoint, at_ms) VALUES (${first}, ${second}) ON CONFLICT (endpoint) DO NOTHING`;
  return {
    lease: async (node, nowMs, untilMs) => {
      const taken = bind(take, node, untilMs, LEASE, nowMs);
      if ((await runOnce(taken)).count > 0) return true;
      await run(bind(keep, LEASE));
      return (await runOnce(taken)).count > 0;
    },
    off: async () =>
      (await run(bind("SELECT endpoint FROM endpoint_off"))).map((row) => readText(row, "endpoint")),
    switchOff: (endpoint, atMs) =>
      runAll([
        atMs === null
          ? bind(`DELETE FROM endpoint_off WHERE endpoint = ${first}`, endpoint)
          : bind(add, endpoint, atMs),
      ]),
  } satisfies Partial<WebhookStore>;
}

function attemptMethods({ mark, run, runAll }: Engine) {
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const add = composeAddDelivery(mark);
  const due = (types: FirstTypes) => {
    const isFirst = types.map((_, at) => `WHEN type LIKE ${mark(at + SENT + 1)} THEN 1`).join(" ");
    return `${selectSql(DELIVERY)} WHERE due_at_ms <= ${second} AND endpoint = ${first}
      ORDER BY CASE WHEN reason = ${mark(SENT)} THEN 0 ${isFirst} ELSE 2 END, due_at_ms LIMIT ${third}`;
  };
  const record = `UPDATE delivery SET state = ${second}, attempts = ${third}, due_at_ms = ${mark(4)},
    status = ${mark(5)}, reason = ${mark(6)} WHERE id = ${first} AND attempts = ${mark(7)}`;
  const bury = `UPDATE delivery SET state = 'dead', due_at_ms = NULL, reason = ${second}
    WHERE endpoint = ${first} AND due_at_ms IS NOT NULL`;
  return {
    add: (deliveries) => runAll(deliveries.map(add)),
    due: async (endpoint, nowMs, most, types = []) => {
      const values = [endpoint, nowMs, most, SENT_AGAIN, ...types.map((type) => `${type}%`)];
      return (await run({ text: due(types), values })).map(DELIVERY.rowOf);
    },
    waitingEndpoints: async () =>
      (await run(bind("SELECT DISTINCT endpoint FROM delivery WHERE due_at_ms IS NOT NULL"))).map((row) =>
        readText(row, "endpoint"),
      ),
    remove: (id) => runAll([bind(`DELETE FROM delivery WHERE id = ${first}`, id)]),
    record: (id, { state, attempts, dueAtMs, status, reason }) =>
      runAll([bind(record, id, state, attempts, dueAtMs, status, reason, attempts - 1)]),
    bury: (endpoint, reason) => runAll([bind(bury, endpoint, reason)]),
  } satisfies Partial<WebhookStore>;
}

function shownMethods({ mark, run, runOnce }: Engine) {
  const first = mark(1);
  const second = mark(2);
  const prune = `DELETE FROM delivery WHERE state = 'dead' AND (at_ms < ${first} OR id NOT IN
    (SELECT id FROM delivery WHERE state = 'dead' ORDER BY at_ms DESC, id DESC LIMIT ${second}))`;
  return {
    list: async ({ state, type, scope }, { limit, after }) => {
      const by = new Narrowing(mark);
      by.equal({ state, type });
      by.within(scope, DELIVERY_ROWS);
      if (after !== null) by.add(`(at_ms, id) < (${by.bind(after.atMs)}, ${by.bind(after.id)})`);
      const where = by.where === "" ? "" : `WHERE ${by.where}`;
      const text = `${selectSql(DELIVERY)} ${where} ORDER BY at_ms DESC, id DESC LIMIT ${by.bind(limit)}`;
      return (await run({ text, values: by.values })).map(DELIVERY.rowOf);
    },
    sendAgain: async (id, atMs, scope) => {
      const by = new Narrowing(mark);
      const due = by.bind(atMs);
      by.equal({ id });
      by.within(scope, DELIVERY_ROWS);
      const again = by.bind(SENT_AGAIN);
      const text = `UPDATE delivery SET state = 'waiting', due_at_ms = ${due}, reason = ${again} WHERE ${by.where}
        RETURNING ${joinNames(DELIVERY.columns)}`;
      return readFirst(DELIVERY, await run({ text, values: by.values }));
    },
    prune: async (beforeMs, keptMax) => (await runOnce(bind(prune, beforeMs, keptMax))).count,
  } satisfies Partial<WebhookStore>;
}

function tellMethods({ mark, forUpdate, change }: Engine) {
  const first = mark(1);
  const second = mark(2);
  const keep = `INSERT INTO setting (name, value) VALUES (${first}, '') ON CONFLICT (name) DO NOTHING`;
  const lock = `SELECT value FROM setting WHERE name = ${first} ${forUpdate}`;
  const set = `UPDATE setting SET value = ${second} WHERE name = ${first}`;
  const add = composeAddEvent(mark);
  return {
    tell: (telling) =>
      // A missing row can't be locked, so an empty one is added first.
      change([bind(keep, TOLD), bind(lock, TOLD)], ([, found]) => {
        const changed = telling(found?.[0] ? readText(found[0], "value") : "");
        const events = changed?.events.map((event) => bind(add, ...EVENT.valuesOf(event))) ?? [];
        return {
          writes: changed === null ? [] : [bind(set, TOLD, changed.told), ...events],
          toResult: () => undefined,
        };
      }),
  } satisfies Partial<WebhookStore>;
}
