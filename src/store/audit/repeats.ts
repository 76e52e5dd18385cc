// Records of repeats: an engine that claims one in each transaction of a change, and the records' own methods.
import {
  EarlierRequest,
  REPEAT_KEPT_MS,
  REPEAT_SECRET_MS,
  REPEATS_OF_ACTOR,
  type RepeatClaim,
  type RepeatRecord,
  type RepeatStore,
} from "../../core/people/repeats.ts";
import { allowNull, TEXT, TIME } from "../columns/columns.ts";
import { bind, type Change, type Engine, type Result, readFirst, type Statement } from "../engine/engine.ts";
import { insertSql, selectSql } from "../engine/sql.ts";
import { table } from "../schema/tables.ts";

const ROW = table<RepeatRecord>("admin_repeat", ["id"], {
  id: TEXT,
  actor: TEXT,
  atMs: TIME,
  bodyDigest: TEXT,
  token: TEXT,
  answer: allowNull(TEXT),
  secret: allowNull(TEXT),
});

const NOTHING: Result = Object.assign([], { count: 0 });

function composeClaim({ mark }: Engine, claim: RepeatClaim) {
  const first = mark(1);
  const second = mark(2);
  const forgetOld = `DELETE FROM admin_repeat WHERE id = ${first} AND at_ms <= ${second}`;
  const add = `${insertSql(ROW, mark)} ON CONFLICT (id) DO NOTHING`;
  const find = `${selectSql(ROW)} WHERE id = ${first}`;
  const makeRoom = `DELETE FROM admin_repeat WHERE id IN (
    SELECT id FROM admin_repeat WHERE actor = ${first} ORDER BY at_ms DESC, id LIMIT 1000 OFFSET ${second})`;
  return {
    // Another transaction that inserts the same id waits here for the end of this one.
    firsts: [
      bind(forgetOld, claim.id, claim.atMs - REPEAT_KEPT_MS),
      bind(add, ...ROW.valuesOf({ ...claim, answer: null, secret: null })),
      bind(find, claim.id),
    ],
    makeRoom: bind(makeRoom, claim.actor, REPEATS_OF_ACTOR),
    takeBack: bind(
      `DELETE FROM admin_repeat WHERE id = ${first} AND token = ${second}`,
      claim.id,
      claim.token,
    ),
  };
}

/**
 * Returns an engine whose transactions write the claim with what they write, and none that writes nothing else. They
 * throw `EarlierRequest` and write nothing if an earlier request has it.
 */
export function claimWith(engine: Engine, claim: RepeatClaim | undefined): Engine {
  if (claim === undefined) return engine;
  const { firsts: claiming, makeRoom, takeBack } = composeClaim(engine, claim);
  let isWritten = false;
  /** `isOver` is true if an earlier attempt at this transaction was written, though its outcome stayed unknown. */
  const attempt = async <T>(
    firsts: readonly Statement[],
    then: (results: readonly Result[], isOver: boolean) => Change<T>,
    mayBeIdle = false,
  ): Promise<T> => {
    const outcome = await engine.change<{ readonly value: T } | EarlierRequest>(
      [...claiming, ...firsts],
      (results) => {
        const [, added, found, ...others] = results;
        const record = readFirst(ROW, found);
        if (record !== null && record.token !== claim.token)
          return { writes: [], toResult: () => new EarlierRequest(record) };
        const isOver = added?.count === 0 && !isWritten;
        const { writes, toResult } = then(others, isOver);
        const isIdle = mayBeIdle && writes.length === 0 && !isOver && !isWritten;
        return {
          writes: [...writes, isIdle ? takeBack : makeRoom],
          toResult: (written) => ({ value: toResult(written.slice(0, writes.length)) }),
        };
      },
    );
    if (outcome instanceof EarlierRequest) throw outcome;
    isWritten = true;
    return outcome.value;
  };
  return {
    ...engine,
    change: (firsts, then) => attempt(firsts, (results) => then(results), true),
    runOnce: (statement, ...others) =>
      attempt([], (_, isOver) => ({
        writes: isOver ? [] : [statement, ...others],
        toResult: ([written]) => written ?? NOTHING,
      })),
    runAll: (statements) =>
      attempt([], (_, isOver) => ({ writes: isOver ? [] : statements, toResult: () => undefined })),
  };
}

export function repeatMethods(engine: Engine): RepeatStore {
  const { mark, run, runAll } = engine;
  const find = `${selectSql(ROW)} WHERE id = ${mark(1)} AND at_ms > ${mark(2)}`;
  const forget = `DELETE FROM admin_repeat WHERE at_ms <= ${mark(1)}`;
  const forgetSecrets = `UPDATE admin_repeat SET secret = NULL WHERE at_ms <= ${mark(1)} AND secret IS NOT NULL`;
  const keep = `UPDATE admin_repeat SET answer = ${mark(3)}, secret = ${mark(4)} WHERE id = ${mark(1)} AND token = ${mark(2)}`;
  return {
    find: async (id, sinceMs) => readFirst(ROW, await run(bind(find, id, sinceMs))),
    claim: (claim) => claimWith(engine, claim).runAll([]),
    keepAnswer: ({ id, token }, { answer, secret }) => runAll([bind(keep, id, token, answer, secret)]),
    prune: (nowMs) =>
      runAll([bind(forget, nowMs - REPEAT_KEPT_MS), bind(forgetSecrets, nowMs - REPEAT_SECRET_MS)]),
  };
}
