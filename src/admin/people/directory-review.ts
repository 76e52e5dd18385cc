// Reviews the rights of everybody in the directory when the rules or the accounts that they name have changed.
import type { SignInRules } from "../../core/people/sign-in.ts";
import { digestSecret } from "../../keys/secret.ts";
import {
  findClaimedRights,
  findRights,
  hasSameRights,
  listRuleGroups,
} from "../../people/directory/deciding.ts";
import type { DirectoryContext } from "../../people/directory/user-changes.ts";
import { makeRecordAs } from "../audit/audit-trail.ts";
import { type DirectoryParts, makeContext } from "./directory.ts";
import { finishGroups } from "./directory-groups.ts";

const SETTING = "directory_rules";
const OFF = "off";
/** One transaction takes some milliseconds for so many. */
const PEOPLE_AT_ONCE = 200;

/** Each node reviews when what it knows has changed, and all find the same rights. */
export class DirectoryReview {
  readonly #parts: DirectoryParts;
  #known: string | null = null;

  constructor(parts: DirectoryParts) {
    this.#parts = parts;
  }

  /** Is called every few seconds. Without a directory, it costs nothing after the first time. */
  async tick(): Promise<void> {
    const { store, rules: read } = this.#parts;
    const rules = read();
    if (rules?.directory === undefined && this.#known === OFF) return;
    this.#known ??= (await store.setting(SETTING)) ?? OFF;
    if (rules?.directory === undefined && this.#known === OFF) return;
    if (rules === undefined) return;
    const context = await makeContext(this.#parts, rules);
    const acting = { ...this.#parts, changes: makeRecordAs(this.#parts)().changes };
    // A node that was killed in the middle of a large group's change has left parts of it.
    if (rules.directory !== undefined) await finishGroups(acting, context, null);
    const digest = rules.directory === undefined ? OFF : describeRules(context);
    if (digest === this.#known) return;
    await this.#reviewAll(context);
    await store.changeSetting(SETTING, () => digest);
    this.#known = digest;
  }

  async #reviewAll(context: DirectoryContext): Promise<void> {
    const { rules, accountsOf, nowMs } = context;
    const { changes } = makeRecordAs(this.#parts)();
    const ruleGroups = listRuleGroups(rules);
    let after: string | null = "";
    while (after !== null) {
      after = await changes.reviewMembers(
        { after, limit: PEOPLE_AT_ONCE, ruleGroups, nowMs },
        (standing, groups) => {
          const { member, user } = standing;
          if (!user.isActive) return null;
          const accounts = accountsOf(member.id);
          const rights =
            rules.directory === undefined
              ? findClaimedRights(member, rules, accounts)
              : findRights(standing, groups, rules, accounts);
          return hasSameRights(member, rights) ? null : rights;
        },
      );
    }
  }
}

function describeRules({ rules, accountsOf, pepper }: DirectoryContext): string {
  const { issuer, domains, rules: all, members }: SignInRules = rules;
  const accounts = [...accountsOf("").ids].sort();
  return digestSecret(JSON.stringify([issuer, domains, all, members.createsAccount, accounts]), pepper);
}
