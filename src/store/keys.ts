// Keys and accounts.
import type { GatewayKey } from "../core/key.ts";
import type { KeyChange, Store } from "../core/store.ts";
import { bind, type Change, type Engine, type Result, readFirst } from "./engine.ts";
import { keysLookup } from "./narrowing.ts";
import { insertSql, joinNames, selectSql } from "./sql.ts";
import { ACCOUNT, KEY, omitColumns } from "./tables.ts";

/** The columns that a `KeyChange` can change. */
const CHANGED = omitColumns(KEY, ["id", "account_id", "last4", "created_at_ms", "revoked_at_ms"]);

export function keyMethods({ mark, forUpdate, run, runOnce, change: changeRows }: Engine) {
  const first = mark(1);
  const byId = `${selectSql(KEY)} WHERE id = ${first}`;
  const byDigest = `${selectSql(KEY)} WHERE digest = ${first}`;
  const add = insertSql({ name: KEY.name, columns: [...KEY.columns, "digest"] }, mark);
  const revoke = `UPDATE gateway_key SET revoked_at_ms = coalesce(revoked_at_ms, CAST(${mark(2)} AS BIGINT))
    WHERE id = ${first} RETURNING ${joinNames(KEY.columns)}`;
  const changed = CHANGED.columns.map((column, at) => `${column} = ${mark(at + 2)}`);
  const change = `UPDATE gateway_key SET ${joinNames(changed)} WHERE id = ${first}`;
  const account = `SELECT id FROM account WHERE id = ${first}`;
  const key = async (id: string) => readFirst(KEY, await run(bind(byId, id)));

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
    keyByDigest: async (digest) => readFirst(KEY, await run(bind(byDigest, digest))),
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
        const after = changedKey(before, asked);
        return { writes: [bind(change, id, ...CHANGED.valuesOf(after))], toResult: () => after };
      }),
    revokeKey: (id, atMs) =>
      changeLocked(id, () => ({
        writes: [bind(revoke, id, atMs)],
        toResult: ([revoked]) => readFirst(KEY, revoked),
      })),
  } satisfies Partial<Store>;
}

/** Applies a change: null is a value, undefined leaves the field as it is. */
function changedKey(key: GatewayKey, change: KeyChange): GatewayKey {
  const given = <T>(changed: T | undefined, kept: T): T => (changed === undefined ? kept : changed);
  return {
    ...key,
    name: change.name ?? key.name,
    expiresAtMs: given(change.expiresAtMs, key.expiresAtMs),
    allowedModels: given(change.allowedModels, key.allowedModels),
    requestsPerDay: given(change.requestsPerDay, key.requestsPerDay),
    spendLimitNanoUsd: given(change.spendLimitNanoUsd, key.spendLimitNanoUsd),
    keepsResponses: change.keepsResponses ?? key.keepsResponses,
  };
}

export function accountMethods({ mark, run, runOnce, change }: Engine) {
  const [first, second, third] = [mark(1), mark(2), mark(3)];
  const byId = `${selectSql(ACCOUNT)} WHERE id = ${first}`;
  const page = `${selectSql(ACCOUNT)} WHERE (created_at_ms, id) < (${first}, ${second})
    ORDER BY created_at_ms DESC, id DESC LIMIT ${third}`;
  const rename = `UPDATE account SET name = ${second} WHERE id = ${first} RETURNING ${joinNames(ACCOUNT.columns)}`;
  return {
    account: async (id) => readFirst(ACCOUNT, await run(bind(byId, id))),
    accounts: async ({ limit, after }) => {
      const before = [after?.atMs ?? Number.MAX_SAFE_INTEGER, after?.id ?? ""] as const;
      return (await run(bind(page, ...before, limit))).map(ACCOUNT.rowOf);
    },
    addAccount: async (account) => {
      await runOnce(bind(insertSql(ACCOUNT, mark), ...ACCOUNT.valuesOf(account)));
    },
    renameAccount: (id, name) =>
      change([], () => ({
        writes: [bind(rename, id, name)],
        toResult: ([renamed]) => readFirst(ACCOUNT, renamed),
      })),
  } satisfies Partial<Store>;
}
