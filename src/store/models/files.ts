// The rows of files.
import { FILE_FORMS, type FileOwner, type FileStore, type StoredFile } from "../../core/batches/file.ts";
import type { Changes } from "../../core/changes.ts";
import { allowNull, type Columns, INTEGER, makeWord, TEXT, TIME } from "../columns/columns.ts";
import { readInteger, readSum } from "../columns/found.ts";
import { bind, type Engine, type Result, readFirst } from "../engine/engine.ts";
import { Narrowing } from "../engine/narrowing.ts";
import type { Recorder } from "../engine/recording.ts";
import { KEY_ROWS } from "../engine/scope.ts";
import { insertSql, selectSql } from "../engine/sql.ts";
import { table } from "../schema/tables.ts";

const memberId = allowNull(TEXT);

const OWNER: Columns<FileOwner> = {
  columns: {
    account_id: { type: "text", write: (owner) => owner.accountId },
    member_id: { type: "text", write: (owner) => owner.memberId },
  },
  read: (found) => ({
    accountId: TEXT.read(found, "account_id"),
    memberId: memberId.read(found, "member_id"),
  }),
};

export const FILE = table<StoredFile>("file", ["account_id", "id"], {
  owner: OWNER,
  id: TEXT,
  form: makeWord(FILE_FORMS),
  keyId: TEXT,
  name: TEXT,
  purpose: TEXT,
  type: TEXT,
  bytes: INTEGER,
  createdMs: TIME,
  expiresMs: TIME,
});

export function fileMethods({ mark, forUpdate, run, change }: Engine): Omit<FileStore, "pieces"> {
  const lock = `SELECT id FROM account WHERE id = ${mark(1)} ${forUpdate}`;
  const sum = (where: string) =>
    `SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) AS bytes, count(*) AS files FROM file ${where}`;
  const ofAccount = sum(`WHERE account_id = ${mark(1)}`);
  const ofAll = sum("");
  const add = insertSql(FILE, mark);
  const remove = `DELETE FROM file WHERE account_id = ${mark(1)} AND id = ${mark(2)}`;
  return {
    // Under the account's lock, so that uploads that end together don't pass the bounds together.
    add: (file, most) => {
      const { accountId } = file.owner;
      return change([bind(lock, accountId), bind(ofAccount, accountId)], ([, counted]) => {
        const has = readFileSum(counted);
        const fits = has.bytes + file.bytes <= most.bytes && has.files < most.files;
        const writes = fits ? [bind(add, ...FILE.valuesOf(file))] : [];
        return { writes, toResult: () => fits };
      });
    },
    list: async ({ accountId, owner, scope, id, form, purpose, aliveMs, endedMs, ...list }) => {
      const by = new Narrowing(mark);
      by.equal({ account_id: owner?.accountId ?? accountId, id, form, purpose });
      if (owner) by.add(`member_id IS NOT DISTINCT FROM CAST(${by.bind(owner.memberId)} AS TEXT)`);
      by.by(aliveMs, (at) => `expires_ms > ${at}`);
      by.by(endedMs, (at) => `expires_ms <= ${at}`);
      by.within(scope, KEY_ROWS);
      const isNewest = list.order === "newest";
      if (list.after) {
        const position = `(${by.bind(list.after.createdMs)}, ${by.bind(list.after.id)})`;
        by.add(`(created_ms, id) ${isNewest ? "<" : ">"} ${position}`);
      }
      const where = by.where === "" ? "" : `WHERE ${by.where}`;
      const direction = isNewest ? "DESC" : "ASC";
      const order = `ORDER BY created_ms ${direction}, id ${direction} LIMIT ${by.bind(list.limit)}`;
      return (await run(bind(`${selectSql(FILE)} ${where} ${order}`, ...by.values))).map(FILE.rowOf);
    },
    remove: async (accountId, id) => (await run(bind(remove, accountId, id))).count > 0,
    sum: async (accountId) =>
      readFileSum(await run(accountId === null ? bind(ofAll) : bind(ofAccount, accountId))),
  };
}

export function fileChanges({ mark, forUpdate, change }: Engine, record: Recorder) {
  const place = `WHERE account_id = ${mark(1)} AND id = ${mark(2)}`;
  const find = `${selectSql(FILE)} ${place} ${forUpdate}`;
  const remove = `DELETE FROM file ${place}`;
  return {
    removeFile: (accountId, id) =>
      change([bind(find, accountId, id)], ([found]) => {
        const before = readFirst(FILE, found);
        if (before === null) return { writes: [], toResult: () => null };
        const writes = [bind(remove, accountId, id), ...record({ kind: "file", before, after: null })];
        return { writes, toResult: () => before };
      }),
  } satisfies Partial<Changes>;
}

function readFileSum(counted: Result | undefined) {
  const [found = {}] = counted ?? [];
  return { bytes: readSum(found, "bytes"), files: readInteger(found, "files") };
}
