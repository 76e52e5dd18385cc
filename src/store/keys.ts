// Keys and accounts.
import { ACCOUNT_FIELDS } from "../core/fields/account.ts";
import { applyChange } from "../core/fields/field.ts";
import { KEY_FIELDS } from "../core/fields/key.ts";
import type { GatewayKey, ProvenKey } from "../core/key.ts";
import { readRevision } from "../core/key-change.ts";
import type { Store } from "../core/store.ts";
import { bind, type Change, type Engine, type Result, readFirst } from "./engine.ts";
import { listChangeable } from "./field-columns.ts";
import { type Found, readInteger } from "./found.ts";
import { accountsLookup, keysLookup } from "./narrowing.ts";
import { ACCOUNT_ROWS, KEY_ROWS, narrowToScope } from "./scope.ts";
import { insertSql, joinNames, type Mark, selectSql } from "./sql.ts";
import { ACCOUNT, KEY, pickColumns, type TablePart } from "./tables.ts";

export const CHANGED_KEY = pickColumns(KEY, [...listChangeable(KEY_FIELDS), "paused_by"]);
const CHANGED_ACCOUNT = pickColumns(ACCOUNT, [...listChangeable(ACCOUNT_FIELDS), "paused_by"]);

/** Returns the statement that writes these columns of the row with the id that is its first value. */
export function updateSql(
  { name, columns }: Pick<TablePart<unknown>, "name" | "columns">,
  mark: Mark,
): string {
  const changed = columns.map((column, at) => `${column} = ${mark(at + 2)}`);
  return `UPDATE ${name} SET ${joinNames(changed)} WHERE id = ${mark(1)}`;
}

/** Finds a key by the digest of its secret or of the one before. */
export function keyByDigestSql(mark: Mark): string {
  const digest = mark(1);
  return `SELECT ${joinNames(KEY.columns)}, CASE WHEN digest = ${digest} THEN 0 ELSE 1 END AS rotations_since
    FROM gateway_key WHERE digest = ${digest} OR old_digest = ${digest}`;
}

export function readProvenKey(found: Found): ProvenKey {
  const key = KEY.rowOf(found);
  return { key, rotation: key.rotations - readInteger(found, "rotations_since") };
}

export function keyMethods({ mark, forUpdate, run, runOnce, change: changeRows }: Engine) {
  const first = mark(1);
  const byId = `${selectSql(KEY)} WHERE id = ${first}`;
  const byDigest = keyByDigestSql(mark);
  const add = insertSql({ name: KEY.name, columns: [...KEY.columns, "digest"] }, mark);
  const revoke = `UPDATE gateway_key SET revoked_at_ms = coalesce(revoked_at_ms, CAST(${mark(2)} AS BIGINT))
    WHERE id = ${first} RETURNING ${joinNames(KEY.columns)}`;
  const rotate = `UPDATE gateway_key SET old_digest = digest, digest = ${mark(2)}, last4 = ${mark(3)},
    old_secret_until_ms = ${mark(4)}, rotations = rotations + 1
    WHERE id = ${first} AND digest <> ${mark(2)} AND revoked_at_ms IS NULL`;
  const change = updateSql(CHANGED_KEY, mark);
  const account = `SELECT id FROM account WHERE id = ${first}`;
  const key: Store["key"] = async (id, scope) =>
    readFirst(KEY, await run(narrowToScope({ head: byId, values: [id], rows: KEY_ROWS }, scope, mark)));

  /**
   * Changes a key under its account's lock. Admissions read the key under the same lock: earlier ones are committed
   * first and later ones see the change on every node, so once a revocation is answered nothing more is admitted. A key
   * never changes its account. Null if there is no such key.
   */
  const changeLocked = async (id: string, then: (found: Result | undefined) => Change<GatewayKey | null>) => {
    const known = await key(id);
    if (known === null) return null;
    const firsts = [bind(`${account} ${forUpdate}`, known.accountId), bind(byId, id)];
    return changeRows(firsts, ([, found]) => then(found));
  };

  return {
    key,
    keyByDigest: async (digest) => readFirst({ rowOf: readProvenKey }, await run(bind(byDigest, digest))),
    keys: async (page, filter) => (await run(keysLookup(filter, page, mark))).map(KEY.rowOf),
    addKey: async (added, digest) => {
      // Accounts are never deleted.
      const { count } = await run(bind(account, added.accountId));
      if (count === 0) throw new Error(`There is no account ${added.accountId}.`);
      await runOnce(bind(add, ...KEY.valuesOf(added), digest));
    },
    changeKey: (id, asked) =>
      changeLocked(id, (found) => {
        const before = readFirst(KEY, found);
        if (before === null) return { writes: [], toResult: () => null };
        const after = applyChange(before, readRevision(asked, before));
        return { writes: [bind(change, id, ...CHANGED_KEY.valuesOf(after))], toResult: () => after };
      }),
    // Does nothing if the digest is there already: the transaction may run twice.
    rotateKey: (id, { digest, last4, oldSecretUntilMs }) =>
      changeLocked(id, () => ({
        writes: [bind(rotate, id, digest, last4, oldSecretUntilMs), bind(byId, id)],
        toResult: ([, rotated]) => readFirst(KEY, rotated),
      })),
    revokeKey: (id, atMs) =>
      changeLocked(id, () => ({
        writes: [bind(revoke, id, atMs)],
        toResult: ([revoked]) => readFirst(KEY, revoked),
      })),
  } satisfies Partial<Store>;
}

export function accountMethods({ mark, forUpdate, run, runOnce, change }: Engine) {
  const first = mark(1);
  const byId = `${selectSql(ACCOUNT)} WHERE id = ${first}`;
  const update = `${updateSql(CHANGED_ACCOUNT, mark)} RETURNING ${joinNames(ACCOUNT.columns)}`;
  return {
    account: async (id, scope) => {
      const lookup = { head: byId, values: [id], rows: ACCOUNT_ROWS };
      return readFirst(ACCOUNT, await run(narrowToScope(lookup, scope, mark)));
    },
    accounts: async (page, filter) => (await run(accountsLookup(filter, page, mark))).map(ACCOUNT.rowOf),
    addAccount: async (account) => {
      await runOnce(bind(insertSql(ACCOUNT, mark), ...ACCOUNT.valuesOf(account)));
    },
    changeAccount: (id, asked) =>
      change([bind(`${byId} ${forUpdate}`, id)], ([found]) => {
        const before = readFirst(ACCOUNT, found);
        if (before === null) return { writes: [], toResult: () => null };
        const after = applyChange(before, readRevision(asked, before));
        return {
          writes: [bind(update, id, ...CHANGED_ACCOUNT.valuesOf(after))],
          toResult: ([changed]) => readFirst(ACCOUNT, changed),
        };
      }),
  } satisfies Partial<Store>;
}
