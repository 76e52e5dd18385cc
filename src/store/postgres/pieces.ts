// The pieces of files as rows. A commit that is acknowledged survives a power failure of the database's machine.
import type { PieceStore } from "../../core/batches/file.ts";
import { readText } from "../columns/found.ts";
import { NOW_MS } from "./clock.ts";
import type { Pool } from "./pool.ts";

const WRITE = `INSERT INTO file_piece (account_id, object, number, at_ms, sealed)
  VALUES ($1, $2, $3, ${NOW_MS}, $4)
  ON CONFLICT (account_id, object, number) DO UPDATE SET at_ms = excluded.at_ms, sealed = excluded.sealed`;
const READ = "SELECT sealed FROM file_piece WHERE account_id = $1 AND object = $2 AND number = $3";
const REMOVE = "DELETE FROM file_piece WHERE account_id = $1 AND object = $2";
const OLD = `SELECT account_id, object FROM file_piece
  GROUP BY account_id, object HAVING max(at_ms) < $1 ORDER BY account_id, object`;

export function pieceRows(pool: Pool): PieceStore {
  return {
    write: async (accountId, object, number, sealed) => {
      await pool.run({ text: WRITE, values: [accountId, object, number, sealed] });
    },
    read: async (accountId, object, number) => {
      const [found] = await pool.run({ text: READ, values: [accountId, object, number] });
      const sealed = found?.sealed;
      return sealed instanceof Uint8Array ? sealed : null;
    },
    remove: async (accountId, object, numbers) => {
      const some = `${REMOVE} AND number = ANY(CAST($3 AS BIGINT[]))`;
      await pool.run(
        numbers === undefined
          ? { text: REMOVE, values: [accountId, object] }
          : { text: some, values: [accountId, object, `{${numbers.join(",")}}`] },
      );
    },
    listBefore: async (beforeMs) => {
      const [found = []] = await pool.runSlowReads([{ text: OLD, values: [beforeMs] }]);
      return found.map((row) => ({
        accountId: readText(row, "account_id"),
        object: readText(row, "object"),
      }));
    },
    measureDisk: async () => null,
  };
}
