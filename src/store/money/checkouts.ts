// Card payments: their rows, and refunds and disputes that came before their payment.
import {
  CHECKOUT_STATES,
  type Checkout,
  type CheckoutStore,
  type StrayTaking,
  TAKING_KINDS,
  TAKING_STATES,
  type Taking,
} from "../../core/books/checkout.ts";
import type { Changes } from "../../core/changes.ts";
import { asArray, asObject, asString, parseJson } from "../../core/json/json.ts";
import { allowNull, INTEGER, makeJson, makeWord, nameColumn, TEXT, TIME } from "../columns/columns.ts";
import { readInteger } from "../columns/found.ts";
import { bind, type Engine, readFirst } from "../engine/engine.ts";
import type { Recorder } from "../engine/recording.ts";
import { insertSql, selectSql } from "../engine/sql.ts";
import { MOVED_BY, table } from "../schema/tables.ts";

const DAY_MS = 86_400_000;
/** Unpaid ones of this age are deleted when another is made: nobody can pay them any more. */
const KEPT_MS = 90 * DAY_MS;

export const CHECKOUT = table<Checkout>("checkout", ["account_id", "id"], {
  id: TEXT,
  accountId: TEXT,
  createdAtMs: TIME,
  nanoUsd: nameColumn("amount_nano", INTEGER),
  by: MOVED_BY,
  page: allowNull(makeJson(parsePage)),
  state: makeWord(CHECKOUT_STATES),
  paymentId: allowNull(TEXT),
  paidNanoUsd: INTEGER,
  takings: makeJson(parseTakings),
});

const STRAY = table<StrayTaking>("stray_taking", ["id", "state"], {
  id: TEXT,
  state: makeWord(TAKING_STATES),
  paymentId: TEXT,
  kind: makeWord(TAKING_KINDS),
  nanoUsd: nameColumn("amount_nano", INTEGER),
  atMs: TIME,
});

function parsePage(json: string): NonNullable<Checkout["page"]> {
  const { sessionId, url } = asObject(parseJson(json));
  return { sessionId: asString(sessionId) ?? "", url: asString(url) ?? "" };
}

function parseTakings(json: string): readonly Taking[] {
  return asArray(parseJson(json)).map((one) => {
    const { id, nanoUsd, takenNanoUsd, ...words } = asObject(one);
    const kind = TAKING_KINDS.find((word) => word === words.kind);
    const state = TAKING_STATES.find((word) => word === words.state);
    const isWhole = typeof nanoUsd === "number" && typeof takenNanoUsd === "number";
    if (typeof id === "string" && isWhole && kind !== undefined && state !== undefined) {
      return { id, kind, state, nanoUsd, takenNanoUsd };
    }
    throw new Error("The store's column takings holds an invalid value.");
  });
}

export function checkoutMethods({ mark, forUpdate, run, runAll, change }: Engine): CheckoutStore {
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const byId = `${selectSql(CHECKOUT)} WHERE id = ${first}`;
  const byPayment = `${selectSql(CHECKOUT)} WHERE payment_id = ${first}`;
  const lock = `SELECT id FROM account WHERE id = ${first} ${forUpdate}`;
  const set = `UPDATE checkout SET page = ${third} WHERE account_id = ${first} AND id = ${second}`;
  const strays = `${selectSql(STRAY)} WHERE payment_id = ${first}`;
  const keep = `${insertSql(STRAY, mark)} ON CONFLICT (id, state) DO NOTHING`;
  const drop = `DELETE FROM stray_taking WHERE at_ms < ${first} OR (id, state) IN (
    SELECT id, state FROM stray_taking ORDER BY at_ms DESC, id DESC, state DESC LIMIT ${third} OFFSET ${second})`;
  return {
    find: async (id) => readFirst(CHECKOUT, await run(bind(byId, id))),
    findByPayment: async (paymentId) => readFirst(CHECKOUT, await run(bind(byPayment, paymentId))),
    // Under the account's lock, so that a step that is decided meanwhile doesn't write the row without it.
    setPage: ({ accountId, id }, page) =>
      change([bind(lock, accountId)], () => ({
        writes: [bind(set, accountId, id, JSON.stringify(page))],
        toResult: () => undefined,
      })),
    keepStray: (stray, { beforeMs, most }) =>
      runAll([bind(keep, ...STRAY.valuesOf(stray)), bind(drop, beforeMs, most, most)]),
    strays: async (paymentId) => (await run(bind(strays, paymentId))).map(STRAY.rowOf),
  };
}

export function checkoutChanges({ mark, forUpdate, change }: Engine, record: Recorder) {
  const first = mark(1);
  const second = mark(2);
  const lock = `SELECT id FROM account WHERE id = ${first} ${forUpdate}`;
  const byId = `${selectSql(CHECKOUT)} WHERE account_id = ${first} AND id = ${second}`;
  const count = `SELECT count(*) AS unpaid FROM checkout
    WHERE account_id = ${first} AND created_at_ms > ${second} AND state <> 'paid'`;
  const third = mark(3);
  const countOfSender = `${count} AND by_kind = ${third} AND by_id = ${mark(4)}`;
  const forget = `DELETE FROM checkout
    WHERE account_id = ${first} AND created_at_ms < ${second} AND state <> 'paid' AND takings = '[]'`;
  const add = `${insertSql(CHECKOUT, mark)} ON CONFLICT (account_id, id) DO NOTHING`;
  return {
    addCheckout: (checkout, sinceMs, check) => {
      const { accountId, id, createdAtMs, by } = checkout;
      const firsts = [
        bind(lock, accountId),
        bind(byId, accountId, id),
        bind(count, accountId, sinceMs),
        bind(countOfSender, accountId, sinceMs, by?.kind ?? "", by?.id ?? ""),
      ];
      return change(firsts, ([, found, inAccount, ofSender]) => {
        const known = readFirst(CHECKOUT, found);
        if (known !== null) return { writes: [], toResult: () => known };
        check({
          inAccount: readInteger(inAccount?.[0] ?? {}, "unpaid"),
          ofSender: readInteger(ofSender?.[0] ?? {}, "unpaid"),
        });
        const writes = [
          bind(forget, accountId, createdAtMs - KEPT_MS),
          bind(add, ...CHECKOUT.valuesOf(checkout)),
          ...record({ kind: "checkout", before: null, after: checkout }),
        ];
        return { writes, toResult: () => checkout };
      });
    },
  } satisfies Partial<Changes>;
}
