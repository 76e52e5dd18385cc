// The PostgreSQL store's sessions, logged prompts and answers, and credentials that were added at run time.
import type { Store } from "../../core/store.ts";
import { CONTENT, CREDENTIAL, SESSION } from "../console-tables.ts";
import { text } from "../found.ts";
import { composeOverwrite, joinMarks, joinNames } from "../sql.ts";
import { query } from "./connection.ts";
import type { Pool } from "./pool.ts";
import { selectFrom } from "./reading.ts";

const mark = (position: number) => `$${position}`;
const insertSql = (name: string, columns: readonly string[]) =>
  `INSERT INTO ${name} (${joinNames(columns)}) VALUES (${joinMarks(columns.length, mark)})`;

const ADD_CONTENT = `${insertSql(CONTENT.name, CONTENT.columns)} ON CONFLICT (account_id, id) DO NOTHING`;
const CONTENT_OF = "SELECT sealed FROM content WHERE account_id = $1 AND id = $2";
const FORGET = "DELETE FROM session WHERE expires_at_ms <= $1";
const ADD = `${insertSql(SESSION.name, SESSION.columns)} ON CONFLICT (digest) DO NOTHING`;
const FIND = `${selectFrom(SESSION)} WHERE digest = $1`;
const CREDENTIALS = `${selectFrom(CREDENTIAL)} ORDER BY created_at_ms, id`;
const PUT = `${insertSql(CREDENTIAL.name, CREDENTIAL.columns)} ${composeOverwrite(CREDENTIAL.key, CREDENTIAL.columns)}`;

type ConsoleMethods = Pick<
  Store,
  | "addContent"
  | "content"
  | "addSession"
  | "session"
  | "endSession"
  | "credentials"
  | "putCredential"
  | "removeCredential"
>;

export function consoleMethods(pool: Pool): ConsoleMethods {
  return {
    addContent: async (content) => {
      await pool.one(query(ADD_CONTENT, ...CONTENT.valuesOf(content)));
    },
    content: async (accountId, id) => {
      const [found] = await pool.one(query(CONTENT_OF, accountId, id));
      return found ? text(found, "sealed") : null;
    },
    addSession: async (session, nowMs) => {
      await pool.one(query(FORGET, nowMs));
      await pool.one(query(ADD, ...SESSION.valuesOf(session)));
    },
    session: async (digest) => {
      const [found] = await pool.one(query(FIND, digest));
      return found ? SESSION.rowOf(found) : null;
    },
    endSession: async (digest) => {
      await pool.one(query("DELETE FROM session WHERE digest = $1", digest));
    },
    credentials: async () => (await pool.one(query(CREDENTIALS))).map(CREDENTIAL.rowOf),
    putCredential: async (credential) => {
      await pool.one(query(PUT, ...CREDENTIAL.valuesOf(credential)));
    },
    removeCredential: async (id) => {
      await pool.one(query("DELETE FROM credential WHERE id = $1", id));
    },
  };
}
