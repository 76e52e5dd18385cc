// Changes of what a company's directory says. Each takes the directory's row first, so that over all nodes one follows the
// other, and what one reads is what it writes on.

import type {
  DirectoryChanges,
  DirectoryUser,
  UserClaim,
  UserRows,
  UserWrite,
} from "../../core/people/directory.ts";
import { readInteger, readText } from "../columns/found.ts";
import { bind, type Engine, type Result, type Statement } from "../engine/engine.ts";
import type { Recorder } from "../engine/recording.ts";
import { joinNames, selectSql, upsertSql } from "../engine/sql.ts";
import { FREE_EMAIL } from "../schema/directory-step.ts";
import { KEY } from "../schema/tables.ts";
import { groupChanges } from "./directory-groups.ts";
import { changeDirectory, joinStandings, makeRightsWriter, readIds, selectNamed } from "./directory-rows.ts";
import { countAdded, countRemoved } from "./directory-size.ts";
import { foldCase, GROUP, readUser, SELECT_REVIEWED, toUserRow, USER } from "./directory-tables.ts";
import { makeEndings } from "./endings.ts";
import { MEMBER, REVIEWED } from "./people.ts";

/** `ofRows` is for changes to rows that decisions depend on. */
export function directoryChanges(engine: Engine, record: Recorder) {
  return {
    ...userChanges(engine, record),
    ...groupChanges(engine, record),
    ...reviewChanges(engine),
  } satisfies DirectoryChanges;
}

/** People, and how many users each of them is. */
const SELECT_PEOPLE = `SELECT ${joinNames(MEMBER.columns)},
  (SELECT count(*) FROM directory_user WHERE directory_user.member_id = member.id) AS users FROM member`;

function readUserRows(engine: Engine, claim: UserClaim): readonly Statement[] {
  const { mark, forUpdate, isListed, isAmong } = engine;
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const fourth = mark(4);
  const { id, names, people, isNew } = claim;
  const ownPerson = `SELECT member_id FROM directory_user WHERE id = ${first}`;
  const hasEmails = people.emails.length > 0;
  const meant = [
    isAmong("id", ownPerson),
    isListed("id", second),
    isAmong("id", `SELECT member_id FROM member_alias WHERE ${isListed("id", second)}`),
    `object_id = ${third}`,
    ...(hasEmails ? [isListed(FREE_EMAIL, fourth)] : []),
  ].join(" OR ");
  const taken = `SELECT id FROM directory_user WHERE id <> ${first} AND (name_folded = ${second} OR external_id = ${third}) LIMIT 1`;
  return [
    bind(`${selectSql(USER)} WHERE id = ${first}`, id),
    bind(taken, id, names?.userName ?? null, names?.externalId ?? null),
    bind(
      `${SELECT_PEOPLE} WHERE ${meant} ${forUpdate}`,
      id,
      JSON.stringify(people.ids),
      people.objectId,
      ...(hasEmails ? [JSON.stringify(people.emails)] : []),
    ),
    bind(selectNamed(engine), JSON.stringify(claim.ruleGroups)),
    ...(isNew
      ? []
      : [
          bind(`SELECT group_id FROM directory_membership WHERE user_id = ${first}`, id),
          bind(`${selectSql(KEY)} WHERE member_id IN (${ownPerson}) AND revoked_at_ms IS NULL`, id),
        ]),
  ];
}

/** A new user is in no group, and its person has no keys by it. */
function toUserRows(results: readonly Result[]): UserRows {
  const [directory, user, taken, members, groups, inGroups, keys] = results;
  const [found] = user ?? [];
  return {
    user: found ? readUser(found) : null,
    isTaken: (taken?.length ?? 0) > 0,
    members: (members ?? []).map(MEMBER.rowOf),
    provisioned: readIds((members ?? []).filter((found) => readInteger(found, "users") > 0)),
    groupIds: readIds(inGroups, "group_id"),
    groups: (groups ?? []).map(GROUP.rowOf),
    users: readInteger(directory?.[0] ?? {}, "users"),
    keys: (keys ?? []).map(KEY.rowOf),
  };
}

function userChanges(engine: Engine, record: Recorder) {
  const { mark } = engine;
  const first = mark(1);
  const putUser = upsertSql(USER, mark);
  const putMember = upsertSql(MEMBER, mark);
  const forgetEmails = `DELETE FROM directory_email WHERE user_id = ${first}`;
  const addEmail = `INSERT INTO directory_email (user_id, value_folded, type_folded)
    VALUES (${first}, ${mark(2)}, ${mark(3)}) ON CONFLICT (user_id, value_folded, type_folded) DO NOTHING`;
  const alias = `INSERT INTO member_alias (id, member_id) VALUES (${first}, ${mark(2)})
    ON CONFLICT (id) DO UPDATE SET member_id = excluded.member_id`;
  const leave = `DELETE FROM directory_membership WHERE user_id = ${first}`;
  const remove = `DELETE FROM directory_user WHERE id = ${first}`;
  const forget = `DELETE FROM member WHERE id = ${first} AND seen_at_ms = 0`;
  const endings = makeEndings(engine, record);
  const writeUser = ({ user, isDeleted }: UserWrite, before: DirectoryUser | null): readonly Statement[] =>
    isDeleted
      ? [bind(leave, user.id), countRemoved(mark, "id", user.id), bind(remove, user.id)]
      : [
          ...(before === null ? [countAdded(engine, user)] : []),
          bind(putUser, ...USER.valuesOf(toUserRow(user))),
        ];
  const write = (write: UserWrite, before: UserRows): readonly Statement[] => {
    const { user, member, isDeleted, replaces, aliases, endsAccess, keys } = write;
    const emails = isDeleted ? [] : user.emails;
    return [
      ...(before.user === null ? [] : [bind(forgetEmails, user.id)]),
      ...writeUser(write, before.user),
      ...emails.map(({ value, type }) => bind(addEmail, user.id, foldCase(value), foldCase(type ?? ""))),
      bind(putMember, ...MEMBER.valuesOf(member)),
      ...(replaces === null ? [] : [bind(forget, replaces)]),
      ...aliases.map((one) => bind(alias, one, member.id)),
      ...(endsAccess ? endings.endAccess([member.id], user.changedAtMs) : []),
      ...endings.changeKeys(before.keys, keys),
    ];
  };
  return {
    changeUser: (claim, decide) =>
      changeDirectory(engine, readUserRows(engine, claim), (results) => {
        const rows = toUserRows(results);
        const decided = decide(rows);
        if (decided === null) return { writes: [], toResult: () => null };
        const after = decided.isDeleted ? null : decided.user;
        const recorded = record({ kind: "directory_user", before: rows.user, after });
        return { writes: [...write(decided, rows), ...recorded], toResult: () => decided };
      }),
  } satisfies Partial<DirectoryChanges>;
}

function reviewChanges(engine: Engine) {
  const { mark, isListed, isAmong } = engine;
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const page = `SELECT id FROM directory_user WHERE id > ${first} ORDER BY id LIMIT ${second}`;
  const ruled = `SELECT id FROM directory_group WHERE ${isListed("display_name", third)} OR ${isListed("external_id", third)}`;
  const writeRights = makeRightsWriter(engine);
  const endings = makeEndings(engine, () => []);
  return {
    reviewMembers: ({ after, limit, ruleGroups, nowMs }, decide) => {
      const listed = JSON.stringify(ruleGroups);
      const firsts = [
        bind(
          `${selectSql(REVIEWED)} WHERE ${isAmong("id", `SELECT member_id FROM directory_user WHERE ${isAmong("id", page)}`)}`,
          after,
          limit,
        ),
        bind(`${SELECT_REVIEWED} WHERE ${isAmong("id", page)} ORDER BY id`, after, limit),
        bind(
          `SELECT user_id, group_id FROM directory_membership WHERE ${isAmong("user_id", page)} AND ${isAmong("group_id", ruled)}`,
          after,
          limit,
          listed,
        ),
        bind(selectNamed(engine), listed),
      ];
      return changeDirectory(engine, firsts, ([, people, users, inGroups, named]) => {
        const groups = (named ?? []).map(GROUP.rowOf);
        const standings = joinStandings(people, users, inGroups);
        const rights = standings.flatMap((standing) => decide(standing, groups) ?? []);
        const had = new Map(standings.map(({ member }) => [member.id, member.ruleGrants.length > 0]));
        const left = rights.filter(({ id, ruleGrants }) => ruleGrants.length === 0 && had.get(id) === true);
        const writes = [
          ...writeRights(rights),
          ...endings.endAccess(
            left.map(({ id }) => id),
            nowMs,
          ),
        ];
        const last = users?.at(-1);
        const isEnd = (users?.length ?? 0) < limit;
        return { writes, toResult: () => (isEnd || last === undefined ? null : readText(last, "id")) };
      });
    },
  } satisfies Partial<DirectoryChanges>;
}
