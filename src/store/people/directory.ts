// Reads what a company's directory says: lists of users and groups, and who is in which.
import type {
  DirectoryPage,
  DirectoryStore,
  GroupFilter,
  UserFilter,
  UserMatch,
} from "../../core/people/directory.ts";
import { type FoundRow, readInteger, readText, type Value } from "../columns/found.ts";
import { bind, type Engine, readFirst } from "../engine/engine.ts";
import { selectSql } from "../engine/sql.ts";
import { makeUserPages } from "./directory-positions.ts";
import { SIZE } from "./directory-size.ts";
import { foldCase, GROUP, GROUP_PART, readUser, USER } from "./directory-tables.ts";

/** Conditions whose values are numbered as they come. */
class Conditions {
  readonly values: Value[] = [];
  readonly #texts: string[] = [];
  readonly #mark: Engine["mark"];

  constructor(mark: Engine["mark"]) {
    this.#mark = mark;
  }

  bind(value: Value): string {
    return this.#mark(this.values.push(value));
  }

  add(text: string): void {
    this.#texts.push(text);
  }

  equal(column: string, value: Value | undefined): void {
    if (value !== undefined) this.add(`${column} = ${this.bind(value)}`);
  }

  get where(): string {
    return this.#texts.length === 0 ? "" : `WHERE ${this.#texts.join(" AND ")}`;
  }
}

export function directoryMethods(engine: Engine) {
  return {
    ...listMethods(engine),
    ...findMethods(engine),
    ...summaryMethods(engine),
    ...groupUserMethods(engine),
  } satisfies DirectoryStore;
}

function narrowUsers({ mark, isAmong }: Engine, filter: UserFilter): Conditions {
  const by = new Conditions(mark);
  by.equal("id", filter.id);
  by.equal("name_folded", filter.userName);
  by.equal("external_id", filter.externalId);
  by.equal("display_folded", filter.displayName);
  if (filter.isActive !== undefined) by.equal("is_active", filter.isActive ? 1 : 0);
  if (filter.email !== undefined) {
    const { value, type } = filter.email;
    const typed = type === null ? "" : ` AND type_folded = ${by.bind(type)}`;
    const mailed = `SELECT user_id FROM directory_email WHERE value_folded = ${by.bind(value)}${typed}`;
    by.add(isAmong("id", mailed));
  }
  return by;
}

function narrowGroups(mark: Engine["mark"], filter: GroupFilter): Conditions {
  const by = new Conditions(mark);
  by.add("deleted_at_ms IS NULL");
  by.equal("id", filter.id);
  by.equal("name_folded", filter.displayName);
  by.equal("external_id", filter.externalId);
  if (filter.member !== undefined) {
    by.add(`id IN (SELECT group_id FROM directory_membership WHERE user_id = ${by.bind(filter.member)})`);
  }
  return by;
}

function listMethods(engine: Engine) {
  const { mark, run, isAmong } = engine;
  const findPage = makeUserPages(engine);
  const list = async (table: string, columns: string, by: Conditions, { offset, limit }: DirectoryPage) => {
    const [counted = {}] = await run({
      text: `SELECT count(*) AS total FROM ${table} ${by.where}`,
      values: by.values,
    });
    const total = readInteger(counted, "total");
    if (limit === 0 || offset >= total) return { total, found: [] };
    const values = [...by.values];
    const end = `LIMIT ${mark(values.push(limit))} OFFSET ${mark(values.push(offset))}`;
    // The rows are found by their ids, so that only the index is read of those that are left out.
    const ids = `SELECT id FROM ${table} ${by.where} ORDER BY created_at_ms, id ${end}`;
    const text = `${columns} WHERE ${isAmong("id", ids)} ORDER BY created_at_ms, id`;
    return { total, found: await run({ text, values }) };
  };
  return {
    users: async (filter, page) => {
      const by = narrowUsers(engine, filter);
      const { total, found } =
        by.values.length === 0 ? await findPage(page) : await list(USER.name, selectSql(USER), by, page);
      return { total, rows: found.map(readUser) };
    },
    groups: async (filter, page) => {
      const { total, found } = await list(GROUP.name, selectSql(GROUP), narrowGroups(mark, filter), page);
      return { total, rows: found.map(GROUP.rowOf) };
    },
  } satisfies Partial<DirectoryStore>;
}

function findMethods({ mark, run, isListed, isAmong }: Engine) {
  const first = mark(1);
  const ofUsers = `SELECT user_id, group_id, display_name AS display FROM directory_membership
    JOIN directory_group ON directory_group.id = group_id WHERE ${isListed("user_id", first)} ORDER BY user_id, group_id`;
  const ofPeople = `SELECT directory_user.member_id AS user_id, group_id, display_name AS display
    FROM directory_user JOIN directory_membership ON user_id = directory_user.id
    JOIN directory_group ON directory_group.id = group_id
    WHERE ${isListed("directory_user.member_id", first)} ORDER BY directory_user.member_id, display_name`;
  const ofGroups = `SELECT user_id, group_id, '' AS display FROM directory_membership
    WHERE ${isListed("group_id", first)} ORDER BY group_id, user_id`;
  const named = `${selectSql(GROUP)} WHERE ${isListed("display_name", first)} OR ${isListed("external_id", first)}`;
  const users = (where: string) => `${selectSql(USER)} WHERE ${where} ORDER BY created_at_ms, id LIMIT 2`;
  const groupIds = `SELECT group_id FROM directory_membership WHERE user_id = ${first}`;
  const alias = `SELECT member_id FROM member_alias WHERE id = ${first}`;
  const match = async (where: string, ...values: readonly Value[]): Promise<readonly UserMatch[]> => {
    const found = (await run(bind(users(where), ...values))).map(readUser);
    const withGroups = found.map(async (user) => ({
      user,
      groupIds: new Set((await run(bind(groupIds, user.id))).map((row) => readText(row, "group_id"))),
    }));
    return Promise.all(withGroups);
  };
  return {
    memberships: async (of) => {
      const [text, ids] =
        "users" in of ? [ofUsers, of.users] : "people" in of ? [ofPeople, of.people] : [ofGroups, of.groups];
      return ids.length === 0 ? [] : (await run(bind(text, JSON.stringify(ids)))).map(readMembership);
    },
    usersOf: async ({ memberId, externalIds, email }) => {
      const own = await match(`member_id = ${first}`, memberId);
      if (own.length > 0) return own;
      const named = await match(isListed("external_id", first), JSON.stringify(externalIds));
      if (named.length > 0 || email === null) return named;
      const mailed = isAmong("id", `SELECT user_id FROM directory_email WHERE value_folded = ${first}`);
      return match(`(name_folded = ${first} OR ${mailed}) AND is_linked = 0`, foldCase(email));
    },
    groupsNamed: async (names) =>
      names.length === 0 ? [] : (await run(bind(named, JSON.stringify(names)))).map(GROUP.rowOf),
    aliased: async (id) => {
      const [found] = await run(bind(alias, id));
      return found ? readText(found, "member_id") : null;
    },
  } satisfies Partial<DirectoryStore>;
}

function readMembership(row: FoundRow) {
  return {
    userId: readText(row, "user_id"),
    groupId: readText(row, "group_id"),
    display: readText(row, "display"),
  };
}

function summaryMethods({ mark, run }: Engine) {
  const users = `SELECT count(*) AS users, coalesce(sum(is_active), 0) AS active,
    coalesce(sum(1 - is_linked), 0) AS unlinked FROM directory_user`;
  const groups = `${selectSql(GROUP)} WHERE deleted_at_ms IS NULL ORDER BY created_at_ms, id LIMIT ${mark(1)}`;
  const sizes = "SELECT group_id, count(*) AS members FROM directory_membership GROUP BY group_id";
  return {
    summary: async (most) => {
      const [counted = {}] = await run(bind(users));
      const found = (await run(bind(groups, most))).map(GROUP.rowOf);
      const counts = (await run(bind(sizes))).map(
        (row) => [readText(row, "group_id"), readInteger(row, "members")] as const,
      );
      const members = new Map(counts);
      return {
        users: readInteger(counted, "users"),
        active: Number(counted.active),
        unlinked: Number(counted.unlinked),
        groups: found.map((group) => ({ group, members: members.get(group.id) ?? 0 })),
      };
    },
  } satisfies Partial<DirectoryStore>;
}

/** Reads of a group's users, page by page, since a large group has too many for one statement. */
function groupUserMethods({ mark, run, isListed, contains }: Engine) {
  const first = mark(1);
  const second = mark(2);
  const members = `SELECT count(*) AS found FROM directory_membership WHERE group_id = ${first}`;
  const known = `SELECT id FROM directory_user WHERE ${isListed("id", first)}`;
  const ofGroup = `SELECT user_id AS id FROM directory_membership
    WHERE user_id > ${first} AND group_id = ${mark(3)} ORDER BY user_id LIMIT ${second}`;
  /** Those who claim one of the names, and at the end the last one who was looked at, with the number of them. */
  const claiming = (names: readonly string[]) => {
    const named = names.map((_, at) => contains("issuer_groups", mark(3 + at))).join(" OR ");
    const page = `(SELECT id, member_id FROM directory_user WHERE id > ${first} ORDER BY id LIMIT ${second}) AS page`;
    return `SELECT page.id AS id, 0 AS looked FROM ${page} JOIN member ON member.id = page.member_id
      WHERE seen_at_ms > 0 AND (${named})
      UNION ALL SELECT coalesce(max(page.id), '') AS id, count(*) AS looked FROM ${page} ORDER BY looked, id`;
  };
  const parts = selectSql(GROUP_PART);
  const next = "ORDER BY group_id, part LIMIT 1";
  const count = async (statement: Parameters<typeof run>[0]) =>
    readInteger((await run(statement))[0] ?? {}, "found");
  return {
    measureGroup: async (id) => ({
      members: await count(bind(members, id)),
      users: readInteger((await run(bind(SIZE)))[0] ?? {}, "users"),
    }),
    groupUsers: async (of, { after, limit }) => {
      const readId = (row: FoundRow) => readText(row, "id");
      if ("group" in of) {
        const ids = (await run(bind(ofGroup, after, limit, of.group))).map(readId);
        return { ids, next: ids.length < limit ? null : (ids.at(-1) ?? null) };
      }
      const names = of.names.map((name) => JSON.stringify(name));
      const found = await run(bind(claiming(of.names), after, limit, ...names));
      const end = found.at(-1) ?? {};
      const isEnd = readInteger(end, "looked") < limit;
      return { ids: found.slice(0, -1).map(readId), next: isEnd ? null : readId(end) };
    },
    knownUsers: async (ids) =>
      new Set((await run(bind(known, JSON.stringify(ids)))).map((row) => readText(row, "id"))),
    nextGroupPart: async (groupId) => {
      const asked =
        groupId === null
          ? bind(`${parts} ${next}`)
          : bind(`${parts} WHERE group_id = ${first} ${next}`, groupId);
      return readFirst(GROUP_PART, await run(asked));
    },
  } satisfies Partial<DirectoryStore>;
}
