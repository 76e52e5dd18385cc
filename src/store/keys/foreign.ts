// Secrets that other gateways stored as digests: found once, and then known by our own digest.
import type { ForeignSecret, ForeignStore } from "../../core/keys/foreign-secret.ts";
import { INTEGER, TEXT, TIME } from "../columns/columns.ts";
import { readText } from "../columns/found.ts";
import { bind, type Engine, readFirst, type Statement } from "../engine/engine.ts";
import { type Mark, selectSql, upsertSql } from "../engine/sql.ts";
import { deleteInParts } from "../engine/turns.ts";
import { table } from "../schema/tables.ts";

const FOREIGN = table<ForeignSecret & { readonly keyId: string }>("foreign_digest", ["digest"], {
  digest: TEXT,
  keyId: TEXT,
  rotation: INTEGER,
  endsAtMs: TIME,
});

/** Returns the statements that add a key's foreign secrets. */
export function addForeign(
  mark: Mark,
  keyId: string,
  secrets: readonly ForeignSecret[],
): readonly Statement[] {
  // An import that was taken back left them to keys that are revoked.
  const add = upsertSql(FOREIGN, mark);
  return secrets.map((secret) => bind(add, ...FOREIGN.valuesOf({ ...secret, keyId })));
}

export function foreignMethods(engine: Engine): ForeignStore {
  const { mark, forUpdate, run, change } = engine;
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const byDigest = `${selectSql(FOREIGN)} WHERE digest = ${first}`;
  const live = `${byDigest} AND ends_at_ms > ${second}`;
  const home = `SELECT account_id FROM gateway_key WHERE id = ${first}`;
  const lock = `SELECT id FROM account WHERE id = ${first} ${forUpdate}`;
  /** The secret before the present one may have been the foreign one. */
  const adopted = [
    ["digest", 0],
    ["old_digest", 1],
  ].map(
    ([column, since]) =>
      `UPDATE gateway_key SET ${column} = ${second} WHERE id = ${first} AND rotations - ${since} = ${third}`,
  );
  const remove = `DELETE FROM foreign_digest WHERE digest = ${first}`;
  const end = `DELETE FROM foreign_digest WHERE digest IN
    (SELECT digest FROM foreign_digest WHERE ends_at_ms <= ${first} ORDER BY ends_at_ms LIMIT ${second})`;
  return {
    adopt: async ({ foreignDigest, digest, nowMs }) => {
      const found = readFirst(FOREIGN, await run(bind(live, foreignDigest, nowMs)));
      if (found === null) return;
      const { keyId, rotation } = found;
      const [key] = await run(bind(home, keyId));
      if (key === undefined) return;
      const firsts = [bind(lock, readText(key, "account_id")), bind(byDigest, foreignDigest)];
      await change(firsts, ([, left]) => {
        // Under the lock of rotations, so that it is clear which of the key's secrets this one is.
        const writes =
          readFirst(FOREIGN, left) === null
            ? []
            : [...adopted.map((text) => bind(text, keyId, digest, rotation)), bind(remove, foreignDigest)];
        return { writes, toResult: () => undefined };
      });
    },
    end: (nowMs, rowsMax) =>
      deleteInParts(engine, rowsMax, async (most) => (await run(bind(end, nowMs, most))).count),
  };
}
