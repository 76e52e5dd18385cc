// Changes of what a company's directory says. Each takes the directory's row first, so that over all nodes one follows the
// other, and what one reads is what it writes on.

import type { GatewayKey } from "../../core/keys/key.ts";
import type {
  DirectoryChanges,
  GroupClaim,
  GroupRows,
  GroupWrite,
  MemberRights,
  Standing,
  UserClaim,
  UserRows,
  UserWrite,
} from "../../core/people/directory.ts";
import type { Member } from "../../core/people/people.ts";
import { bind, type Engine, type Result, type Statement } from "../engine/engine.ts";
import { readInteger, readText } from "../engine/found.ts";
import type { Recorder } from "../engine/recording.ts";
import { selectSql, upsertSql } from "../engine/sql.ts";
import { KEY } from "../schema/tables.ts";
import { foldCase, GROUP, readUser, toUserRow, USER } from "./directory-tables.ts";
import { makeEndings } from "./endings.ts";
import { MEMBER } from "./people.ts";

const NO_ROWS: Result = Object.assign([], { count: 0 });

const readIds = (found: Result = NO_ROWS, column = "id"): ReadonlySet<string> =>
  new Set(found.map((row) => readText(row, column)));

/** `ofRows` is for changes to rows that decisions depend on. */
export function directoryChanges(engine: Engine, record: Recorder) {
  return {
    ...userChanges(engine, record),
    ...groupChanges(engine, record),
    ...reviewChanges(engine),
  } satisfies DirectoryChanges;
}

function lockDirectory({ forUpdate }: Pick<Engine, "forUpdate">): Statement {
  return bind(`SELECT id FROM directory WHERE id = 'directory' ${forUpdate}`);
}

function selectNamed({ isListed, mark }: Engine): string {
  const names = mark(1);
  return `${selectSql(GROUP)} WHERE ${isListed("display_name", names)} OR ${isListed("external_id", names)}`;
}

function readUserRows(engine: Engine, claim: UserClaim): readonly Statement[] {
  const { mark, forUpdate, isListed } = engine;
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const fourth = mark(4);
  const { id, names, people } = claim;
  const ownPerson = `SELECT member_id FROM directory_user WHERE id = ${first}`;
  const aliased = `SELECT member_id FROM member_alias WHERE ${isListed("id", second)}`;
  const hasEmails = people.emails.length > 0;
  const byEmail = hasEmails ? `OR ${isListed("lower(email)", fourth)}` : "";
  const meant = `id IN (${ownPerson}) OR ${isListed("id", second)} OR id IN (${aliased})
    OR object_id = ${third} ${byEmail}`;
  const of = [
    id,
    JSON.stringify(people.ids),
    people.objectId,
    ...(hasEmails ? [JSON.stringify(people.emails)] : []),
  ];
  const taken = `SELECT id FROM directory_user WHERE id <> ${first} AND (name_folded = ${second} OR external_id = ${third}) LIMIT 1`;
  return [
    lockDirectory(engine),
    bind(`${selectSql(USER)} WHERE id = ${first}`, id),
    bind(taken, id, names?.userName ?? null, names?.externalId ?? null),
    bind(`${selectSql(MEMBER)} WHERE ${meant} ${forUpdate}`, ...of),
    bind(
      `SELECT member_id FROM directory_user WHERE member_id IN (SELECT id FROM member WHERE ${meant})`,
      ...of,
    ),
    bind(`SELECT group_id FROM directory_membership WHERE user_id = ${first}`, id),
    bind(selectNamed(engine), JSON.stringify(claim.ruleGroups)),
    bind("SELECT count(*) AS users FROM directory_user"),
    bind(`${selectSql(KEY)} WHERE member_id IN (${ownPerson}) AND revoked_at_ms IS NULL`, id),
  ];
}

function toUserRows(results: readonly Result[]): UserRows {
  const [, user, taken, members, provisioned, inGroups, groups, counted, keys] = results;
  const [found] = user ?? [];
  return {
    user: found ? readUser(found) : null,
    isTaken: (taken?.length ?? 0) > 0,
    members: (members ?? []).map(MEMBER.rowOf),
    provisioned: readIds(provisioned, "member_id"),
    groupIds: readIds(inGroups, "group_id"),
    groups: (groups ?? []).map(GROUP.rowOf),
    users: readInteger(counted?.[0] ?? {}, "users"),
    keys: (keys ?? []).map(KEY.rowOf),
  };
}

function userChanges(engine: Engine, record: Recorder) {
  const { mark, change } = engine;
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
  const write = (write: UserWrite, before: readonly GatewayKey[]): readonly Statement[] => {
    const { user, member, isDeleted, replaces, aliases, endsAccess, keys } = write;
    const emails = isDeleted ? [] : user.emails;
    return [
      bind(forgetEmails, user.id),
      ...(isDeleted
        ? [bind(leave, user.id), bind(remove, user.id)]
        : [bind(putUser, ...USER.valuesOf(toUserRow(user)))]),
      ...emails.map(({ value, type }) => bind(addEmail, user.id, foldCase(value), foldCase(type ?? ""))),
      bind(putMember, ...MEMBER.valuesOf(member)),
      ...(replaces === null ? [] : [bind(forget, replaces)]),
      ...aliases.map((one) => bind(alias, one, member.id)),
      ...(endsAccess ? endings.endAccess([member.id], user.changedAtMs) : []),
      ...endings.changeKeys(before, keys),
    ];
  };
  return {
    changeUser: (claim, decide) =>
      change(readUserRows(engine, claim), (results) => {
        const rows = toUserRows(results);
        const decided = decide(rows);
        if (decided === null) return { writes: [], toResult: () => null };
        const after = decided.isDeleted ? null : decided.user;
        const recorded = record({ kind: "directory_user", before: rows.user, after });
        return { writes: [...write(decided, rows.keys), ...recorded], toResult: () => decided };
      }),
  } satisfies Partial<DirectoryChanges>;
}

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
      `${selectSql(MEMBER)} WHERE id IN (SELECT member_id FROM directory_user WHERE ${concerned}) ${all} ${forUpdate}`,
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

function joinStandings(
  people: Result = NO_ROWS,
  users: Result = NO_ROWS,
  inGroups: Result = NO_ROWS,
): readonly Standing[] {
  const members = new Map(people.map(MEMBER.rowOf).map((member): [string, Member] => [member.id, member]));
  const groupIds = new Map<string, Set<string>>();
  for (const row of inGroups) {
    groupIds.getOrInsertComputed(readText(row, "user_id"), () => new Set()).add(readText(row, "group_id"));
  }
  return users.map(readUser).flatMap((user) => {
    const member = members.get(user.memberId);
    return member === undefined ? [] : [{ user, member, groupIds: groupIds.get(user.id) ?? new Set() }];
  });
}

function groupChanges(engine: Engine, record: Recorder) {
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

/** Many people have the same rights: there is one statement for all who do. */
function makeRightsWriter({ mark, isListed }: Engine) {
  const update = `UPDATE member SET rule_grants = ${mark(1)}, rule_limits = ${mark(2)},
    reads_content = CAST(${mark(3)} AS BIGINT), directory_turn = directory_turn + 1
    WHERE directory_turn IS NOT NULL AND ${isListed("id", mark(4))}`;
  return (rights: readonly MemberRights[]): readonly Statement[] => {
    const alike = Map.groupBy(rights, ({ ruleGrants, ruleLimits, readsContent }) =>
      JSON.stringify([ruleGrants, ruleLimits, readsContent]),
    );
    return [...alike.values()].flatMap((people) => {
      const [one] = people;
      if (one === undefined) return [];
      const { ruleGrants, ruleLimits, readsContent } = one;
      const ids = JSON.stringify(people.map(({ id }) => id));
      return [bind(update, JSON.stringify(ruleGrants), ruleLimits, readsContent ? 1 : 0, ids)];
    });
  };
}

function reviewChanges(engine: Engine) {
  const { mark, change, isListed } = engine;
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
        lockDirectory(engine),
        bind(
          `${selectSql(MEMBER)} WHERE id IN (SELECT member_id FROM directory_user WHERE id IN (${page}))`,
          after,
          limit,
        ),
        bind(`${selectSql(USER)} WHERE id IN (${page}) ORDER BY id`, after, limit),
        bind(
          `SELECT user_id, group_id FROM directory_membership WHERE user_id IN (${page}) AND group_id IN (${ruled})`,
          after,
          limit,
          listed,
        ),
        bind(selectNamed(engine), listed),
      ];
      return change(firsts, ([, people, users, inGroups, named]) => {
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
