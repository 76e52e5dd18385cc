// Erases who a person was from everything that stays: the audit, agents, tokens, refusals, and where their requests came from.
import { AUDIT_EVENT } from "../../core/events/events.ts";
import type { PeopleStore } from "../../core/people/people.ts";
import { auditLogMethods } from "../audit/audit-log.ts";
import { readInteger, readText, type Value } from "../columns/found.ts";
import { bind, type Engine, type Statement } from "../engine/engine.ts";
import { composeContains, composeIs } from "../engine/folding.ts";
import type { Mark } from "../engine/sql.ts";
import { eraseOriginsOfKey } from "../log/origins.ts";
import { lockDirectory } from "./directory-rows.ts";
import { countRemoved } from "./directory-size.ts";
import { eraseTags } from "./erasing-tags.ts";

/** The tables whose rows name people, or did. */
const NAMING = [
  "member",
  "account",
  "admin_repeat",
  "audit_detail",
  "event",
  "delivery",
  "device",
  "device_code",
  "directory_email",
  "directory_membership",
  "directory_user",
  "gateway_key",
  "hourly_tag",
  "limit_request",
  "refusal",
  "request",
  "session",
  "tag_of_day",
  "token",
];
const CHAINED_AT_ONCE = 100;
/** The rows of the audit that one statement looks at. */
const ROWS_AT_ONCE = 5000;

/** Chained rows keep the digests of what is erased beside them. */
const NO_ACTOR = "actor_salt = NULL, actor_name = '', address = '', agent = ''";
const NO_TARGET = "target_salt = NULL, target_name = ''";
const NO_CHANGE = "change_salt = NULL, before_json = NULL, after_json = NULL";

/** `ofRows` is for changes to rows that decisions depend on. */
export function erasingMethods(engine: Engine, ofRows: Engine) {
  const { mark, run, change } = engine;
  const { chain } = auditLogMethods(engine);
  const keys = `SELECT id FROM gateway_key WHERE member_id = ${mark(1)}`;
  const asks = `SELECT id FROM limit_request WHERE member_id = ${mark(1)}`;
  const ids = async (text: string, memberId: string) =>
    (await run(bind(text, memberId))).map((found) => readText(found, "id"));
  return {
    erase: async ({ id, email }) => {
      while ((await chain(CHAINED_AT_ONCE)) !== null);
      const keyIds = await ids(keys, id);
      const askIds = await ids(asks, id);
      const writes = [
        ...erasePerson(engine, id),
        ...keyIds.flatMap((keyId) => eraseKey(engine, keyId)),
        ...askIds.map((askId) => eraseTarget(mark, "limit_request", askId)),
        ...(email === null ? [] : [eraseContact(mark, email, id)]),
      ];
      await change([lockDirectory(engine)], () => ({ writes, toResult: () => undefined }));
      if (email !== null) {
        await eraseFromChanges(engine, email);
        await eraseTags(ofRows, id, email);
      }
      for (const keyId of keyIds) await eraseOriginsOfKey(engine, keyId);
    },
    dropErased: () => engine.dropFreed(NAMING),
  } satisfies Partial<PeopleStore>;
}

function erasePerson({ mark, contains }: Engine, id: string): readonly Statement[] {
  const first = mark(1);
  const ofDetail = (erased: string, rows: string) =>
    bind(`UPDATE audit_detail SET ${erased} WHERE seq IN (SELECT seq FROM audit WHERE ${rows})`, id);
  return [
    ofDetail(NO_ACTOR, `actor_kind = 'person' AND actor_id = ${first}`),
    // The addresses of agents that the person decided about.
    ofDetail(NO_CHANGE, `actor_kind = 'person' AND actor_id = ${first} AND target_type = 'device'`),
    eraseTarget(mark, "member", id),
    ...["device", "device_code"].map((table) =>
      bind(`UPDATE ${table} SET address = '' WHERE member_id = ${first}`, id),
    ),
    ...eraseUser(mark, id),
    bind(`DELETE FROM admin_repeat WHERE actor = ${first}`, `person ${id}`),
    ...dropNamed(contains, mark, id),
  ];
}

/** If the directory still has the user, it makes another one. */
function eraseUser(mark: Mark, id: string): readonly Statement[] {
  const users = `SELECT id FROM directory_user WHERE member_id = ${mark(1)}`;
  return [
    ...["directory_email", "directory_membership"].map((table) =>
      bind(`DELETE FROM ${table} WHERE user_id IN (${users})`, id),
    ),
    countRemoved(mark, "member_id", id),
    bind(`DELETE FROM directory_user WHERE member_id = ${mark(1)}`, id),
  ];
}

/** A personal key's history has the person's words, and its refusals the person's addresses. */
function eraseKey({ mark, contains }: Engine, keyId: string): readonly Statement[] {
  return [
    eraseTarget(mark, "key", keyId),
    bind(`UPDATE refusal SET address = NULL WHERE key_id = ${mark(1)}`, keyId),
    bind(
      `UPDATE refusal SET refusing_limit = NULL WHERE key_id = ${mark(1)} AND ${contains("refusing_limit", mark(2))}`,
      keyId,
      '"scope":"key"',
    ),
    ...dropNamed(contains, mark, keyId),
  ];
}

function eraseTarget(mark: Mark, type: string, id: string): Statement {
  const text = `UPDATE audit_detail SET ${NO_TARGET}, ${NO_CHANGE}
    WHERE seq IN (SELECT seq FROM audit WHERE target_type = '${type}' AND target_id = ${mark(1)})`;
  return bind(text, id);
}

/** Names stand beside the id, so what nobody has received yet is not sent any more. */
function dropNamed(contains: Engine["contains"], mark: Mark, id: string): readonly Statement[] {
  const named = contains("data", mark(1));
  return [
    bind(`DELETE FROM delivery WHERE ${named}`, `"${id}"`),
    bind(`DELETE FROM event WHERE type <> '${AUDIT_EVENT}' AND ${named}`, `"${id}"`),
  ];
}

/** A token that the person looks after stays theirs, by the id that says nothing. */
function eraseContact(mark: Mark, email: string, id: string): Statement {
  const { values, bindValue } = collect(mark, id);
  const text = `UPDATE token SET contact = ${mark(1)} WHERE ${composeIs("contact", email, bindValue)}`;
  return { text, values };
}

function collect(mark: Mark, ...first: readonly Value[]) {
  const values: Value[] = [...first];
  return { values, bindValue: (value: Value) => mark(values.push(value)) };
}

/** Goes through the whole audit, with as long a rest after each part where statements block the event loop. */
async function eraseFromChanges({ mark, run, runOnce, blocksLoop }: Engine, email: string): Promise<void> {
  const [ends = {}] = await run(
    bind("SELECT coalesce(min(seq), 0) AS first, coalesce(max(seq), -1) AS last FROM audit_detail"),
  );
  const last = readInteger(ends, "last");
  const written = JSON.stringify(email).slice(1, -1);
  for (let from = readInteger(ends, "first"); from <= last; from += ROWS_AT_ONCE) {
    const beganMs = performance.now();
    const { values, bindValue } = collect(mark, from, from + ROWS_AT_ONCE);
    const named = composeContains(["before_json", "after_json"], written, bindValue);
    const text = `UPDATE audit_detail SET ${NO_CHANGE} WHERE seq >= ${mark(1)} AND seq < ${mark(2)} AND (${named})`;
    await runOnce({ text, values });
    if (blocksLoop) await Bun.sleep(performance.now() - beganMs);
  }
}
