// Changes of a directory's groups, and of the rights of everybody whom they concern.
import type { DirectoryChanges, GroupClaim, GroupRows, GroupWrite } from "../../core/people/directory.ts";
import { bind, type Engine, type Result, type Statement } from "../engine/engine.ts";
import { readInteger } from "../engine/found.ts";
import type { Recorder } from "../engine/recording.ts";
import { selectSql, upsertSql } from "../engine/sql.ts";
import { joinStandings, lockDirectory, makeRightsWriter, readIds, selectNamed } from "./directory-rows.ts";
import { GROUP, USER } from "./directory-tables.ts";
import { makeEndings } from "./endings.ts";
import { REVIEWED } from "./people.ts";

/** The users whom a change of a group may concern. */
function selectConcerned({ mark, isListed, contains }: Engine, { steps, wideNames }: GroupClaim): string {
  const group = mark(1);
  const others =
    steps.isWhole || wideNames !== null
      ? `OR id IN (SELECT user_id FROM directory_membership WHERE group_id = ${group})`
      : "";
  const named = (wideNames ?? []).map((_, at) => contains("issuer_groups", mark(4 + at))).join(" OR ");
  const claimed =
    named === ""
      ? ""
      : `OR member_id IN (SELECT id FROM member WHERE directory_turn IS NOT NULL AND seen_at_ms > 0 AND (${named}))`;
  return `${isListed("id", mark(2))} ${others} ${claimed}`;
}

function readGroupRows(engine: Engine, claim: GroupClaim): readonly Statement[] {
  const { mark, forUpdate, isListed } = engine;
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const { id, displayName, externalId, steps, wideNames, ruleGroups } = claim;
  const listed = JSON.stringify([...steps.users.keys()]);
  const concerned = selectConcerned(engine, claim);
  const of = [
    id,
    listed,
    JSON.stringify(ruleGroups),
    ...(wideNames ?? []).map((name) => JSON.stringify(name)),
  ];
  const ruled = `SELECT id FROM directory_group WHERE ${isListed("display_name", third)} OR ${isListed("external_id", third)}`;
  const users = `SELECT id FROM directory_user WHERE ${concerned}`;
  // Each statement has all of the values, since engines refuse those that no statement takes.
  const all = `AND ${first} = ${first} AND ${second} = ${second} AND ${third} = ${third}`;
  const ofUsers = (text: string) => bind(text, ...of);
  const within = steps.isWhole ? "" : `AND ${isListed("user_id", second)}`;
  return [
    lockDirectory(engine),
    bind(`${selectSql(GROUP)} WHERE id = ${first} AND deleted_at_ms IS NULL`, id),
    bind(
      `SELECT id FROM directory_group WHERE id <> ${first} AND deleted_at_ms IS NULL
        AND (name_folded = ${second} OR external_id = ${third}) LIMIT 1`,
      id,
      displayName,
      externalId,
    ),
    steps.isWhole
      ? bind(`SELECT user_id FROM directory_membership WHERE group_id = ${first}`, id)
      : bind(`SELECT user_id FROM directory_membership WHERE group_id = ${first} ${within}`, id, listed),
    bind(`SELECT count(*) AS size FROM directory_membership WHERE group_id = ${first}`, id),
    bind(`SELECT id FROM directory_user WHERE ${isListed("id", first)}`, listed),
    bind(selectNamed(engine), JSON.stringify(ruleGroups)),
    ofUsers(
      `${selectSql(REVIEWED)} WHERE id IN (SELECT member_id FROM directory_user WHERE ${concerned}) ${all} ${forUpdate}`,
    ),
    ofUsers(`${selectSql(USER)} WHERE (${concerned}) ${all}`),
    ofUsers(`SELECT user_id, group_id FROM directory_membership WHERE user_id IN (${users})
      AND (group_id = ${first} OR group_id IN (${ruled})) ${all}`),
    bind("SELECT count(*) AS counted FROM directory_group WHERE deleted_at_ms IS NULL"),
  ];
}

function toGroupRows(results: readonly Result[]): GroupRows {
  const [, group, taken, members, size, known, groups, people, users, inGroups, counted] = results;
  const [found] = group ?? [];
  return {
    group: found ? GROUP.rowOf(found) : null,
    isTaken: (taken?.length ?? 0) > 0,
    members: readIds(members, "user_id"),
    size: readInteger(size?.[0] ?? {}, "size"),
    known: readIds(known),
    groups: (groups ?? []).map(GROUP.rowOf),
    standings: joinStandings(people, users, inGroups),
    count: readInteger(counted?.[0] ?? {}, "counted"),
  };
}

export function groupChanges(engine: Engine, record: Recorder) {
  const write = makeGroupWriter(engine);
  return {
    changeGroup: (claim, decide) =>
      engine.change<GroupWrite | null>(readGroupRows(engine, claim), (results) => {
        const rows = toGroupRows(results);
        const decided = decide(rows);
        if (decided === null) return { writes: [], toResult: () => null };
        const { group, came, went, left } = decided;
        const after = group.deletedAtMs === null ? group : null;
        const recorded = record({ kind: "directory_group", before: rows.group, after, came, went, left });
        return { writes: [...write(decided), ...recorded], toResult: () => decided };
      }),
  } satisfies Partial<DirectoryChanges>;
}

function makeGroupWriter(engine: Engine) {
  const { mark, isListed } = engine;
  const first = mark(1);
  const second = mark(2);
  const put = upsertSql(GROUP, mark);
  const forget = `DELETE FROM directory_group WHERE id = ${first}`;
  const come = `INSERT INTO directory_membership (user_id, group_id)
    SELECT id, ${first} FROM directory_user WHERE ${isListed("id", second)}
    ON CONFLICT (group_id, user_id) DO NOTHING`;
  const go = `DELETE FROM directory_membership WHERE group_id = ${first} AND ${isListed("user_id", second)}`;
  const endings = makeEndings(engine, () => []);
  const writeRights = makeRightsWriter(engine);
  return ({ group, came, went, rights, left, nowMs }: GroupWrite): readonly Statement[] => {
    const isForgotten = group.deletedAtMs !== null && !group.isFilled;
    return [
      isForgotten ? bind(forget, group.id) : bind(put, ...GROUP.valuesOf(group)),
      ...(went.length > 0 ? [bind(go, group.id, JSON.stringify(went))] : []),
      ...(came.length > 0 ? [bind(come, group.id, JSON.stringify(came))] : []),
      ...writeRights(rights),
      ...endings.endAccess(left, nowMs),
    ];
  };
}
