// The SQLite store's sessions, logged prompts and answers, and credentials that were added at run time.
import type { Store } from "../../core/store.ts";
import { CONTENT, CREDENTIAL, SESSION } from "../console-tables.ts";
import { text } from "../found.ts";
import type { Lifeline } from "./lifeline.ts";
import type { Statements } from "./statements.ts";

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

export function consoleMethods(lifeline: Lifeline): ConsoleMethods {
  const written = (work: (sql: Statements) => unknown) =>
    lifeline.run((connection) =>
      connection.write(() => {
        work(connection.sql);
      }),
    );
  return {
    addContent: (content) => written((sql) => sql.addContent.run(...CONTENT.valuesOf(content))),
    content: (accountId, id) =>
      lifeline.run(({ sql }) => {
        const found = sql.content.get(accountId, id);
        return found === null ? null : text(found, "sealed");
      }),
    addSession: (session, nowMs) =>
      written((sql) => {
        sql.forgetSessions.run(nowMs);
        sql.addSession.run(...SESSION.valuesOf(session));
      }),
    session: (digest) =>
      lifeline.run(({ sql }) => {
        const found = sql.session.get(digest);
        return found === null ? null : SESSION.rowOf(found);
      }),
    endSession: (digest) => written((sql) => sql.endSession.run(digest)),
    credentials: () => lifeline.run(({ sql }) => sql.credentials.all().map(CREDENTIAL.rowOf)),
    putCredential: (credential) =>
      written((sql) => sql.putCredential.run(...CREDENTIAL.valuesOf(credential))),
    removeCredential: (id) => written((sql) => sql.removeCredential.run(id)),
  };
}
