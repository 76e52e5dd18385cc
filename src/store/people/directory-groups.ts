// Changes of a directory's groups, and of the rights of everybody whom they concern.
import type {
  DirectoryChanges,
  DirectoryGroup,
  GroupClaim,
  GroupPart,
  GroupPartWrite,
  GroupRows,
  GroupWrite,
} from "../../core/people/directory.ts";
import { readInteger } from "../columns/found.ts";
import { bind, type Engine, type Result, readFirst, type Statement } from "../engine/engine.ts";
import type { Recorder } from "../engine/recording.ts";
import { selectSql, upsertSql } from "../engine/sql.ts";
import { changeDirectory, joinStandings, makeRightsWriter, readIds, selectNamed } from "./directory-rows.ts";
import { GROUP, GROUP_PART, SELECT_REVIEWED } from "./directory-tables.ts";
import { makeEndings } from "./endings.ts";
import { REVIEWED } from "./people.ts";

/** The users whom a change of a group may concern. */
function selectConcerned(
  { mark, isListed, isAmong, contains }: Engine,
  { steps, wideNames }: GroupClaim,
): string {
  const group = mark(1);
  const others =
    steps.isWhole || wideNames !== null
      ? `OR ${isAmong("id", `SELECT user_id FROM directory_membership WHERE group_id = ${group}`)}`
      : "";
  const named = (wideNames ?? []).map((_, at) => contains("issuer_groups", mark(4 + at))).join(" OR ");
  const claiming = `SELECT id FROM member WHERE directory_turn IS NOT NULL AND seen_at_ms > 0 AND (${named})`;
  const claimed = named === "" ? "" : `OR ${isAmong("member_id", claiming)}`;
  return `${isListed("id", mark(2))} ${others} ${claimed}`;
}

function readGroupRows(engine: Engine, claim: GroupClaim): readonly Statement[] {
  const { mark, forUpdate, isListed, isAmong } = engine;
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const { id, steps, wideNames, ruleGroups } = claim;
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
    findGroup(engine, id),
    findTaken(engine, claim),
    steps.isWhole
      ? bind(`SELECT user_id FROM directory_membership WHERE group_id = ${first}`, id)
      : bind(`SELECT user_id FROM directory_membership WHERE group_id = ${first} ${within}`, id, listed),
    bind(`SELECT count(*) AS size FROM directory_membership WHERE group_id = ${first}`, id),
    bind(`SELECT id FROM directory_user WHERE ${isListed("id", first)}`, listed),
    bind(selectNamed(engine), JSON.stringify(ruleGroups)),
    ofUsers(
      `${selectSql(REVIEWED)} WHERE ${isAmong("id", `SELECT member_id FROM directory_user WHERE ${concerned}`)} ${all} ${forUpdate}`,
    ),
    ofUsers(`${SELECT_REVIEWED} WHERE (${concerned}) ${all}`),
    ofUsers(`SELECT user_id, group_id FROM directory_membership WHERE ${isAmong("user_id", users)}
      AND (group_id = ${first} OR ${isAmong("group_id", ruled)}) ${all}`),
    countGroups(),
    findUnfinished(engine, id),
  ];
}

function toGroupRows(results: readonly Result[]): GroupRows {
  const [, group, taken, members, size, known, groups, people, users, inGroups, counted, left] = results;
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
    isUnfinished: (left?.length ?? 0) > 0,
  };
}

function findGroup({ mark }: Engine, id: string): Statement {
  return bind(`${selectSql(GROUP)} WHERE id = ${mark(1)} AND deleted_at_ms IS NULL`, id);
}

function findTaken(
  { mark }: Engine,
  { id, displayName, externalId }: Pick<GroupClaim, "id" | "displayName" | "externalId">,
): Statement {
  const text = `SELECT id FROM directory_group WHERE id <> ${mark(1)} AND deleted_at_ms IS NULL
    AND (name_folded = ${mark(2)} OR external_id = ${mark(3)}) LIMIT 1`;
  return bind(text, id, displayName, externalId);
}

function countGroups(): Statement {
  return bind("SELECT count(*) AS counted FROM directory_group WHERE deleted_at_ms IS NULL");
}

function findUnfinished({ mark }: Engine, id: string): Statement {
  return bind(`SELECT part FROM directory_part WHERE group_id = ${mark(1)} LIMIT 1`, id);
}

function toGroupHead([, found, taken, counted, left]: readonly Result[]) {
  return {
    group: readFirst(GROUP, found),
    isTaken: (taken?.length ?? 0) > 0,
    count: readInteger(counted?.[0] ?? {}, "counted"),
    isUnfinished: (left?.length ?? 0) > 0,
  };
}

export function groupChanges(engine: Engine, record: Recorder) {
  const { writeAll } = makeGroupWriter(engine);
  return {
    ...beginnings(engine, record),
    ...partChanges(engine, record),
    changeGroup: (claim, decide) =>
      changeDirectory<GroupWrite | null>(engine, readGroupRows(engine, claim), (results) => {
        const rows = toGroupRows(results);
        const decided = decide(rows);
        if (decided === null) return { writes: [], toResult: () => null };
        const { group, came, went, left } = decided;
        const after = group.deletedAtMs === null ? group : null;
        const recorded = record({ kind: "directory_group", before: rows.group, after, came, went, left });
        return { writes: [...writeAll(decided), ...recorded], toResult: () => decided };
      }),
  } satisfies Partial<DirectoryChanges>;
}

/** The start of a change that concerns too many people for one transaction. */
function beginnings(engine: Engine, record: Recorder) {
  const { mark } = engine;
  const put = upsertSql(GROUP_PART, mark);
  const { writeGroup } = makeGroupWriter(engine);
  return {
    beginGroup: (claim, { before, group, came, went, parts, names }, check) =>
      changeDirectory(
        engine,
        [
          findGroup(engine, group.id),
          findTaken(engine, claim),
          countGroups(),
          findUnfinished(engine, group.id),
        ],
        (results) => {
          const head = toGroupHead(results);
          // A transaction that runs again finds its own group.
          if (head.group?.changedAtMs === group.changedAtMs) return { writes: [], toResult: () => undefined };
          check(head);
          const after = group.deletedAtMs === null ? group : null;
          const recorded = record({ kind: "directory_group", before, after, came, went, left: [] });
          const looks = names.length === 0 ? [] : [{ came: [], went: [], others: [], names }];
          const stored = [...parts, ...looks].map((moves, part) =>
            bind(put, ...GROUP_PART.valuesOf({ names: [], ...moves, groupId: group.id, part, after: "" })),
          );
          return { writes: [writeGroup(group), ...stored, ...recorded], toResult: () => undefined };
        },
      ),
  } satisfies Partial<DirectoryChanges>;
}

/** The parts of such a change. */
function partChanges(engine: Engine, record: Recorder) {
  const { mark } = engine;
  const remove = `DELETE FROM directory_part WHERE group_id = ${mark(1)} AND part = ${mark(2)}`;
  const go = `UPDATE directory_part SET after_id = ${mark(3)} WHERE group_id = ${mark(1)} AND part = ${mark(2)}`;
  const found = `SELECT part FROM directory_part WHERE group_id = ${mark(1)} AND part = ${mark(2)} AND after_id = ${mark(3)}`;
  const writer = makeGroupWriter(engine);
  return {
    stepGroup: (part, end, ruleGroups, decide) =>
      changeDirectory(
        engine,
        [bind(found, part.groupId, part.part, part.after), ...readPart(engine, part, ruleGroups)],
        ([, still, people, users, inGroups, groups]) => {
          if ((still?.length ?? 0) === 0) return { writes: [], toResult: () => null };
          const standings = joinStandings(people, users, inGroups);
          const decided = decide({ standings, groups: (groups ?? []).map(GROUP.rowOf) });
          const writes = [
            ...writer.writeMoves(part.groupId, part),
            ...writer.writeRights(decided),
            ...(decided.left.length > 0 ? record({ kind: "people_left", left: decided.left }) : []),
            end === null ? bind(remove, part.groupId, part.part) : bind(go, part.groupId, part.part, end),
          ];
          return { writes, toResult: () => decided };
        },
      ),
  } satisfies Partial<DirectoryChanges>;
}

function readPart(engine: Engine, { came, went, others, groupId }: GroupPart, ruleGroups: readonly string[]) {
  const { mark, isListed, isAmong, forUpdate } = engine;
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const ids = JSON.stringify([...came, ...went, ...others]);
  const listed = JSON.stringify(ruleGroups);
  const ruled = `SELECT id FROM directory_group WHERE ${isListed("display_name", second)} OR ${isListed("external_id", second)}`;
  return [
    bind(
      `${selectSql(REVIEWED)} WHERE ${isAmong("id", `SELECT member_id FROM directory_user WHERE ${isListed("id", first)}`)} ${forUpdate}`,
      ids,
    ),
    bind(`${SELECT_REVIEWED} WHERE ${isListed("id", first)}`, ids),
    bind(
      `SELECT user_id, group_id FROM directory_membership WHERE ${isListed("user_id", first)}
        AND (group_id = ${third} OR ${isAmong("group_id", ruled)})`,
      ids,
      listed,
      groupId,
    ),
    bind(selectNamed(engine), listed),
  ];
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
  const writeAlike = makeRightsWriter(engine);
  const writeMoves = (groupId: string, { came, went }: Pick<GroupWrite, "came" | "went">) => [
    ...(went.length > 0 ? [bind(go, groupId, JSON.stringify(went))] : []),
    ...(came.length > 0 ? [bind(come, groupId, JSON.stringify(came))] : []),
  ];
  const writeRights = ({ rights, left, nowMs }: GroupPartWrite) => [
    ...writeAlike(rights),
    ...endings.endAccess(left, nowMs),
  ];
  const writeGroup = (group: DirectoryGroup) =>
    group.deletedAtMs !== null && !group.isFilled
      ? bind(forget, group.id)
      : bind(put, ...GROUP.valuesOf(group));
  return {
    writeGroup,
    writeMoves,
    writeRights,
    writeAll: (write: GroupWrite): readonly Statement[] => [
      writeGroup(write.group),
      ...writeMoves(write.group.id, write),
      ...writeRights(write),
    ],
  };
}
