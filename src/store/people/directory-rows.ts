// The statements and rows that all changes of a company's directory share.
import type { MemberRights, ReviewedMember, Standing } from "../../core/people/directory.ts";
import { type FoundRow, readText } from "../columns/found.ts";
import { bind, type Change, type Engine, type Result, type Statement } from "../engine/engine.ts";
import { selectSql } from "../engine/sql.ts";
import { SIZE } from "./directory-size.ts";
import { GROUP, readReviewedUser } from "./directory-tables.ts";
import { REVIEWED } from "./people.ts";

const NO_ROWS: Result = Object.assign([], { count: 0 });

export const readIds = (found: readonly FoundRow[] = NO_ROWS, column = "id"): ReadonlySet<string> =>
  new Set(found.map((row) => readText(row, column)));

export function lockDirectory({ forUpdate }: Pick<Engine, "forUpdate">): Statement {
  return bind(`${SIZE} ${forUpdate}`);
}

/** Takes the directory's row before all else. Its result, the number of users, is the first one. */
export function changeDirectory<T>(
  engine: Engine,
  firsts: readonly Statement[],
  then: (results: readonly Result[]) => Change<T>,
): Promise<T> {
  const { byIndexes, change } = engine;
  return change([...byIndexes, lockDirectory(engine), ...firsts], (results) =>
    then(results.slice(byIndexes.length)),
  );
}

export function selectNamed({ isListed, mark }: Engine): string {
  const names = mark(1);
  return `${selectSql(GROUP)} WHERE ${isListed("display_name", names)} OR ${isListed("external_id", names)}`;
}

export function joinStandings(
  people: Result = NO_ROWS,
  users: Result = NO_ROWS,
  inGroups: Result = NO_ROWS,
): readonly Standing[] {
  const members = new Map(
    people.map(REVIEWED.rowOf).map((member): [string, ReviewedMember] => [member.id, member]),
  );
  const groupIds = new Map<string, Set<string>>();
  for (const row of inGroups) {
    groupIds.getOrInsertComputed(readText(row, "user_id"), () => new Set()).add(readText(row, "group_id"));
  }
  return users.map(readReviewedUser).flatMap((user) => {
    const member = members.get(user.memberId);
    return member === undefined ? [] : [{ user, member, groupIds: groupIds.get(user.id) ?? new Set() }];
  });
}

/** Many people have the same rights: there is one statement for all who do. */
export function makeRightsWriter({ mark, isListed }: Engine) {
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
