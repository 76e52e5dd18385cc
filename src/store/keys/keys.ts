// Keys and accounts.
import type { Changes } from "../../core/changes.ts";
import { ACCOUNT_FIELDS } from "../../core/fields/account.ts";
import { applyChange } from "../../core/fields/field.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import type { GatewayKey, ProvenKey } from "../../core/keys/key.ts";
import { readRevision } from "../../core/keys/key-change.ts";
import type { OwnerState } from "../../core/rows.ts";
import type { Store } from "../../core/store.ts";
import { type FoundRow, readInteger } from "../columns/found.ts";
import {
  bind,
  type Change,
  type Engine,
  type Result,
  readFirst,
  runLookup,
  type Statement,
} from "../engine/engine.ts";
import { accountsLookup, keysLookup } from "../engine/narrowing.ts";
import type { Recorder } from "../engine/recording.ts";
import { ACCOUNT_ROWS, KEY_ROWS, narrowToScope } from "../engine/scope.ts";
import { insertSql, joinNames, type Mark, selectSql, updateSql, upsertSql } from "../engine/sql.ts";
import { listChangeable } from "../schema/field-columns.ts";
import { ACCOUNT, KEY, OWNER, pickColumns } from "../schema/tables.ts";
import { addForeign } from "./foreign.ts";
import { MakingCount } from "./making.ts";

export const CHANGED_KEY = pickColumns(KEY, [...listChangeable(KEY_FIELDS), "paused_by"]);
const CHANGED_ACCOUNT = pickColumns(ACCOUNT, [...listChangeable(ACCOUNT_FIELDS), "paused_by"]);

/** The columns of a new key's row. */
export const NEW_KEY = { name: KEY.name, columns: [...KEY.columns, "digest"] };

/** Finds a key by the digest of its secret or of the one before. */
export function keyByDigestSql(mark: Mark): string {
  const digest = mark(1);
  return `SELECT ${joinNames(KEY.columns)}, CASE WHEN digest = ${digest} THEN 0 ELSE 1 END AS rotations_since
    FROM gateway_key WHERE digest = ${digest} OR old_digest = ${digest}`;
}

export function readProvenKey(row: FoundRow): ProvenKey {
  const key = KEY.rowOf(row);
  return { key, rotation: key.rotations - readInteger(row, "rotations_since") };
}

export function keyMethods(engine: Engine) {
  const { mark, run } = engine;
  const byDigest = keyByDigestSql(mark);
  const byId = `${selectSql(KEY)} WHERE id = ${mark(1)}`;
  return {
    key: async (id, scope) =>
      readFirst(KEY, await run(narrowToScope({ head: byId, values: [id], rows: KEY_ROWS }, scope, mark))),
    keyByDigest: async (digest) => readFirst({ rowOf: readProvenKey }, await run(bind(byDigest, digest))),
    keys: async (page, filter) => (await runLookup(engine, keysLookup(filter, page, mark))).map(KEY.rowOf),
  } satisfies Partial<Store>;
}

/**
 * Returns a function that changes a key under its account's lock. Admissions read the key under the same lock: earlier
 * ones are committed first and later ones see the change on every node, so once a revocation is answered nothing more is
 * admitted. A key never changes its account. Null if there is no such key.
 */
function makeLockedChange({ mark, forUpdate, run, change }: Engine) {
  const byId = `${selectSql(KEY)} WHERE id = ${mark(1)}`;
  const lock = `SELECT id FROM account WHERE id = ${mark(1)} ${forUpdate}`;
  return async (
    id: string,
    then: (before: GatewayKey, results: readonly Result[]) => Change<GatewayKey | null>,
    reads: readonly Statement[] = [],
  ) => {
    const known = readFirst(KEY, await run(bind(byId, id)));
    if (known === null) return null;
    return change([bind(lock, known.accountId), bind(byId, id), ...reads], ([, found, ...results]) => {
      const before = readFirst(KEY, found);
      return before === null ? { writes: [], toResult: () => null } : then(before, results);
    });
  };
}

/** Returns the statement that writes what a new owner has used of its budgets elsewhere. */
function openOwner(mark: Mark, opening: OwnerState | null | undefined): readonly Statement[] {
  return opening ? [bind(upsertSql(OWNER, mark), ...OWNER.valuesOf(opening))] : [];
}

export function keyChanges(engine: Engine, record: Recorder) {
  const change = updateSql(CHANGED_KEY, engine.mark);
  const changeLocked = makeLockedChange(engine);
  return {
    changeKey: (id, asked) =>
      changeLocked(id, (before) => {
        const after = applyChange(before, readRevision(asked, before));
        const write = bind(change, id, ...CHANGED_KEY.valuesOf(after));
        return { writes: [write, ...record({ kind: "key", before, after })], toResult: () => after };
      }),
  } satisfies Partial<Changes>;
}

/** The changes that add a key. A person's is refused where the person has too many. */
export function keyAdditions(engine: Engine, record: Recorder) {
  const { mark, run, runOnce, change } = engine;
  const add = insertSql(NEW_KEY, mark);
  const addOnce = `${add} ON CONFLICT (id) DO NOTHING`;
  const account = `SELECT id FROM account WHERE id = ${mark(1)}`;
  return {
    addKey: async (added, digest, arrival) => {
      // Accounts are never deleted.
      const { count } = await run(bind(account, added.accountId));
      if (count === 0) throw new Error(`There is no account ${added.accountId}.`);
      const recorded = record({ kind: "key", before: null, after: added });
      const brought = [
        ...openOwner(mark, arrival?.opening),
        ...addForeign(mark, added.id, arrival?.secrets ?? []),
      ];
      await runOnce(bind(add, ...KEY.valuesOf(added), digest), ...recorded, ...brought);
    },
    makeKey: (key, digest, making) => {
      // A transaction that runs again repeats its entry, which is then written once.
      const recorded = record({ kind: "key", before: null, after: key });
      const counting = new MakingCount(engine);
      return change(counting.read(making, digest, key.id), (results) => {
        counting.check(making, results);
        const added = bind(addOnce, ...KEY.valuesOf(key), digest);
        return {
          writes: [added, ...recorded, ...counting.write(making, digest)],
          toResult: () => undefined,
        };
      });
    },
  } satisfies Partial<Changes>;
}

/** The changes that end a key's secret, or the key. */
export function keyEndings(engine: Engine, record: Recorder) {
  const { mark } = engine;
  const first = mark(1);
  const byId = `${selectSql(KEY)} WHERE id = ${first}`;
  const revoke = `UPDATE gateway_key SET revoked_at_ms = coalesce(revoked_at_ms, CAST(${mark(2)} AS BIGINT))
    WHERE id = ${first} RETURNING ${joinNames(KEY.columns)}`;
  const rotate = `UPDATE gateway_key SET old_digest = digest, digest = ${mark(2)}, last4 = ${mark(3)},
    old_secret_until_ms = ${mark(4)}, rotations = rotations + 1
    WHERE id = ${first} AND digest <> ${mark(2)} AND revoked_at_ms IS NULL`;
  const changeLocked = makeLockedChange(engine);
  return {
    // Does nothing if the digest is there already: the transaction may run twice, and then repeats its entry as well.
    rotateKey: (id, { digest, last4, oldSecretUntilMs, making = null }) => {
      let recorded: readonly Statement[] | null = null;
      const counting = new MakingCount(engine);
      const reads = making ? counting.read(making, digest, id) : [];
      const rotated = (before: GatewayKey, results: readonly Result[]) => {
        if (making && before.revokedAtMs === null) counting.check(making, results);
        const after = { ...before, last4, oldSecretUntilMs, rotations: before.rotations + 1 };
        recorded ??= before.revokedAtMs === null ? record({ kind: "key", before, after }) : [];
        return {
          writes: [
            bind(rotate, id, digest, last4, oldSecretUntilMs),
            bind(byId, id),
            ...recorded,
            ...(making && before.revokedAtMs === null ? counting.write(making, digest) : []),
          ],
          toResult: ([, found]: readonly Result[]) => readFirst(KEY, found),
        };
      };
      return changeLocked(id, rotated, reads);
    },
    revokeKey: (id, atMs) =>
      changeLocked(id, (before) => {
        const after = { ...before, revokedAtMs: before.revokedAtMs ?? atMs };
        return {
          writes: [bind(revoke, id, atMs), ...record({ kind: "key", before, after })],
          toResult: ([revoked]) => readFirst(KEY, revoked),
        };
      }),
  } satisfies Partial<Changes>;
}

export function accountMethods(engine: Engine) {
  const { mark, run } = engine;
  const byId = `${selectSql(ACCOUNT)} WHERE id = ${mark(1)}`;
  return {
    account: async (id, scope) => {
      const lookup = { head: byId, values: [id], rows: ACCOUNT_ROWS };
      return readFirst(ACCOUNT, await run(narrowToScope(lookup, scope, mark)));
    },
    accounts: async (page, filter) =>
      (await runLookup(engine, accountsLookup(filter, page, mark))).map(ACCOUNT.rowOf),
  } satisfies Partial<Store>;
}

export function accountChanges({ mark, forUpdate, runOnce, change }: Engine, record: Recorder) {
  const byId = `${selectSql(ACCOUNT)} WHERE id = ${mark(1)}`;
  const update = `${updateSql(CHANGED_ACCOUNT, mark)} RETURNING ${joinNames(ACCOUNT.columns)}`;
  return {
    addAccount: async (account, opening) => {
      const recorded = record({ kind: "account", before: null, after: account });
      const brought = openOwner(mark, opening);
      await runOnce(bind(insertSql(ACCOUNT, mark), ...ACCOUNT.valuesOf(account)), ...recorded, ...brought);
    },
    changeAccount: (id, asked) =>
      change([bind(`${byId} ${forUpdate}`, id)], ([found]) => {
        const before = readFirst(ACCOUNT, found);
        if (before === null) return { writes: [], toResult: () => null };
        const after = applyChange(before, readRevision(asked, before));
        return {
          writes: [
            bind(update, id, ...CHANGED_ACCOUNT.valuesOf(after)),
            ...record({ kind: "account", before, after }),
          ],
          toResult: ([changed]) => readFirst(ACCOUNT, changed),
        };
      }),
  } satisfies Partial<Changes>;
}
