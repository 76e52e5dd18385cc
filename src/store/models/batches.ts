// Batches and the blocks of their lines: few rows, each changed in a short transaction.
import type {
  Batch,
  BatchChange,
  BatchFilter,
  BatchRef,
  BatchStore,
  BlocksWanted,
} from "../../core/batches/batch.ts";
import type { Page } from "../../core/world/page.ts";
import { type FoundRow, readInteger, readSum } from "../columns/found.ts";
import { bind, type Engine, type Result, readFirst, type Statement } from "../engine/engine.ts";
import { Narrowing, pageEnd } from "../engine/narrowing.ts";
import { composeAddEvent } from "../engine/recording.ts";
import { KEY_ROWS } from "../engine/scope.ts";
import { insertSql, joinMarks, type Mark, selectSql, upsertSql } from "../engine/sql.ts";
import { EVENT, REPLY } from "../schema/tables.ts";
import { BATCH, BLOCK } from "./batch-columns.ts";
import { FILE } from "./files.ts";

/** A claim finds its batch for a day. */
const CLAIM_MS = 86_400_000;

/** `ofAccounts` is for changes to accounts, on which decisions depend: an account counts its stored replies. */
export function batchMethods(engine: Engine, ofAccounts: Engine): BatchStore {
  const { mark, run, runAll } = engine;
  const byId = `${selectSql(BATCH)} WHERE account_id = ${mark(1)} AND id = ${mark(2)}`;
  return {
    ...changeMethods(engine, ofAccounts, byId),
    find: async (id, scope) => {
      const by = new Narrowing(mark);
      by.within(scope, KEY_ROWS);
      by.equal({ id });
      const statement = { text: `${selectSql(BATCH)} WHERE ${by.where}`, values: by.values };
      return readFirst(BATCH, await run(statement));
    },
    list: async (filter, page) => (await run(composeList(filter, page, mark))).map(BATCH.rowOf),
    remove: ({ accountId, id }) =>
      runAll([
        bind(
          `DELETE FROM batch_block WHERE account_id = ${mark(1)} AND batch_id = ${mark(2)}`,
          accountId,
          id,
        ),
        bind(`DELETE FROM batch WHERE account_id = ${mark(1)} AND id = ${mark(2)}`, accountId, id),
      ]),
    countBytes: async (accountId) => {
      const all = "SELECT coalesce(sum(bytes), 0) AS bytes FROM batch";
      const statement =
        accountId === null ? bind(all) : bind(`${all} WHERE account_id = ${mark(1)}`, accountId);
      const [found] = await run(statement);
      return found ? readSum(found, "bytes") : 0;
    },
    sum: async ({ accountId, id }) => {
      const text = `${SUMS} WHERE batch_id = ${mark(1)} AND account_id = ${mark(2)}`;
      return readSums((await run(bind(text, id, accountId)))[0] ?? {});
    },
  };
}

const SUMS = `SELECT coalesce(sum(cost_nano), 0) AS cost_nano, coalesce(sum(charged_nano), 0) AS charged_nano,
  coalesce(sum(prompt_tokens), 0) AS prompt_tokens, coalesce(sum(cached_tokens), 0) AS cached_tokens,
  coalesce(sum(completion_tokens), 0) AS completion_tokens, coalesce(sum(reasoning_tokens), 0) AS reasoning_tokens
  FROM request`;

function readSums(row: FoundRow) {
  const read = (column: string) => (row[column] === undefined ? 0 : readSum(row, column));
  return {
    costNanoUsd: read("cost_nano"),
    chargedNanoUsd: read("charged_nano"),
    promptTokens: read("prompt_tokens"),
    cachedTokens: read("cached_tokens"),
    completionTokens: read("completion_tokens"),
    reasoningTokens: read("reasoning_tokens"),
  };
}

function composeList(filter: BatchFilter, page: Page, mark: Mark): Statement {
  const by = new Narrowing(mark);
  narrowBatches(by, filter);
  return { text: `${selectSql(BATCH)} ${pageEnd(by, "created_at_ms", page)}`, values: by.values };
}

/** Adds the conditions of a filter of batches. Returns true if every batch is within it. */
export function narrowBatches(by: Narrowing, filter: BatchFilter): boolean {
  const { accountId, keyId, memberId, status, surface, isUnfinished, inputFileId, scope } = filter;
  by.within(scope, KEY_ROWS);
  by.equal({ account_id: accountId, key_id: keyId, status, surface, input_file_id: inputFileId });
  if (memberId === null) by.add("member_id IS NULL");
  else by.equal({ member_id: memberId });
  if (isUnfinished) by.add("open_at_ms IS NOT NULL");
  by.by(filter.endedBeforeMs, (at) => `ended_at_ms < ${at}`);
  return by.isEmpty;
}

function changeMethods(
  engine: Engine,
  { change }: Pick<Engine, "change">,
  byId: string,
): Pick<BatchStore, "add" | "change"> {
  const { mark, forUpdate } = engine;
  const lock = `SELECT id FROM account WHERE id = ${mark(1)} ${forUpdate}`;
  return {
    add: makeAdd({ mark }, { change }, { lock, byId }),
    change: ({ accountId, id }, wanted, decide) => {
      const firsts = [
        bind(lock, accountId),
        bind(`${byId} ${forUpdate}`, accountId, id),
        composeBlocks({ accountId, id }, wanted, engine),
        ...composeAnswered(accountId, wanted, engine),
      ];
      return change(firsts, ([, found, blocks, answered]) => {
        const replies = new Map((answered ?? []).map(REPLY.rowOf).map((reply) => [reply.id, reply]));
        const changed = decide(readFirst(BATCH, found), (blocks ?? []).map(BLOCK.rowOf), replies);
        return { writes: composeWrites(accountId, changed, engine), toResult: () => changed.result };
      });
    },
  };
}

function composeAnswered(
  accountId: string,
  wanted: BlocksWanted,
  { mark, isListed }: WriteEngine,
): readonly Statement[] {
  if (!("numbers" in wanted) || wanted.replies === undefined) return [];
  const { ids, hasTexts } = wanted.replies;
  const sealed = hasTexts ? "sealed" : "NULL AS sealed";
  const text = `SELECT account_id, id, body_digest, request_id, at_ms, state, ${sealed} FROM reply
    WHERE account_id = ${mark(1)} AND ${isListed("id", mark(2))} AND state = 'kept'`;
  return [bind(text, accountId, JSON.stringify(ids))];
}

interface AddStatements {
  readonly lock: string;
  readonly byId: string;
}

function makeAdd(
  { mark }: Pick<Engine, "mark">,
  { change }: Pick<Engine, "change">,
  { lock, byId }: AddStatements,
): BatchStore["add"] {
  const claimed = `${selectSql(BATCH)} WHERE account_id = ${mark(1)} AND claim = ${mark(2)}
    AND created_at_ms > ${mark(3)}`;
  const isOwn = `COALESCE(member_id, key_id) = ${mark(2)}`;
  const open = `SELECT count(*) AS open, count(CASE WHEN ${isOwn} THEN 1 END) AS own FROM batch WHERE account_id = ${mark(1)} AND open_at_ms IS NOT NULL`;
  const add = `${insertSql(BATCH, mark)} ON CONFLICT (account_id, id) DO NOTHING`;
  return (batch, unfinishedMax, ownMax = unfinishedMax) => {
    const { accountId, id, claim, createdAtMs, memberId, keyId } = batch;
    const firsts = [
      bind(lock, accountId),
      bind(claimed, accountId, claim ?? "", createdAtMs - CLAIM_MS),
      bind(open, accountId, memberId ?? keyId),
      bind(byId, accountId, id),
    ];
    return change<Batch | null>(firsts, ([, earlier, counted, own]) => {
      // The transaction may run again after it was committed.
      const known = readFirst(BATCH, own) ?? readFirst(BATCH, earlier);
      if (known !== null) return { writes: [], toResult: () => known };
      if (readCount(counted, "open") >= unfinishedMax || readCount(counted, "own") >= ownMax)
        return { writes: [], toResult: () => null };
      return { writes: [bind(add, ...BATCH.valuesOf(batch))], toResult: () => batch };
    });
  };
}

type WriteEngine = Pick<Engine, "mark" | "isListed">;

function composeWrites(
  accountId: string,
  { batch, blocks = [], events = [], repliesGone = [], files = [] }: BatchChange<unknown>,
  engine: WriteEngine,
): readonly Statement[] {
  const { mark } = engine;
  const putBlock = upsertSql(BLOCK, mark);
  const addEvent = composeAddEvent(mark);
  // The transaction may run again after it was committed.
  const addFile = `${insertSql(FILE, mark)} ON CONFLICT (account_id, id) DO NOTHING`;
  return [
    ...(batch ? [bind(upsertSql(BATCH, mark), ...BATCH.valuesOf(batch))] : []),
    ...blocks.map((block) => bind(putBlock, ...BLOCK.valuesOf(block))),
    ...events.map((event) => bind(addEvent, ...EVENT.valuesOf(event))),
    ...dropReplies(accountId, repliesGone, engine),
    ...files.map((file) => bind(addFile, ...FILE.valuesOf(file))),
  ];
}

function readCount(counted: Result | undefined, name: string): number {
  const [found] = counted ?? [];
  return found ? readInteger(found, name) : 0;
}

function composeBlocks(
  { accountId, id }: BatchRef,
  wanted: BlocksWanted,
  { mark, isListed }: WriteEngine,
): Statement {
  const own = `${selectSql(BLOCK)} WHERE account_id = ${mark(1)} AND batch_id = ${mark(2)}`;
  if ("remaining" in wanted)
    return bind(`${own} AND remaining > 0 ORDER BY block LIMIT ${mark(3)}`, accountId, id, wanted.remaining);
  if ("free" in wanted) {
    const { nodes, except, from } = wanted.free;
    const isFree = `(node IS NULL OR ${isListed("node", mark(4))}) AND NOT ${isListed("CAST(block AS TEXT)", mark(5))}`;
    const text = `${own} AND block >= ${mark(3)} AND remaining > 0 AND ${isFree} ORDER BY block LIMIT 1`;
    return bind(text, accountId, id, from, JSON.stringify(nodes), JSON.stringify(except.map(String)));
  }
  if ("from" in wanted) {
    const text = `${own} AND block >= ${mark(3)} ORDER BY block LIMIT ${mark(4)}`;
    return bind(text, accountId, id, wanted.from, wanted.most);
  }
  const { numbers } = wanted;
  if (numbers.length === 0) return bind(`${own} AND block < 0`, accountId, id);
  const named = joinMarks(numbers.length, (at) => mark(at + 2));
  return bind(`${own} AND block IN (${named}) ORDER BY block`, accountId, id, ...numbers);
}

/** The account's count of their characters goes down first. However many there are, the statements are the same. */
function dropReplies(
  accountId: string,
  ids: readonly string[],
  { mark, isListed }: WriteEngine,
): readonly Statement[] {
  if (ids.length === 0) return [];
  const own = `account_id = ${mark(1)} AND ${isListed("id", mark(2))}`;
  // The texts are ASCII, and their bytes are counted without reading them.
  const gone = `SELECT CAST(coalesce(sum(octet_length(sealed)), 0) AS BIGINT) AS characters FROM reply WHERE ${own}`;
  const count = `UPDATE account SET kept_characters = CASE WHEN kept_characters > gone.characters
    THEN kept_characters - gone.characters ELSE 0 END FROM (${gone}) AS gone WHERE account.id = ${mark(1)}`;
  const list = JSON.stringify(ids);
  return [bind(count, accountId, list), bind(`DELETE FROM reply WHERE ${own}`, accountId, list)];
}
