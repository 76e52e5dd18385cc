// The use-cases of a company's directory: its users, who become people with rights.
import { makeEvent } from "../../core/events/events.ts";
import { Fault } from "../../core/faults/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { DirectoryUser, MemberRights, UserAttributes, UserWrite } from "../../core/people/directory.ts";
import type { SignInRules } from "../../core/people/sign-in.ts";
import type { Log } from "../../core/world/world.ts";
import { mintId } from "../../keys/secret.ts";
import { listRuleGroups } from "../../people/directory/deciding.ts";
import { readOperations } from "../../people/directory/operations.ts";
import { applyUserStep, readUser } from "../../people/directory/user.ts";
import {
  claimUser,
  type DirectoryContext,
  decideNewUser,
  decideUser,
  decideUserEnd,
  noUser,
} from "../../people/directory/user-changes.ts";
import { ensurePersonalAccount, findPersonalAccountId } from "../../people/personal-account.ts";
import { findAccounts } from "../../people/sign-in.ts";
import { describeStays } from "../../people/stays.ts";
import { actAs } from "../audit/audit-trail.ts";
import type { ActingWorld, AdminWorld } from "../world.ts";

export interface DirectoryParts extends AdminWorld {
  readonly log: Log;
  /** Undefined while people can't sign in. */
  readonly rules: () => SignInRules | undefined;
}

/** With the changes of the directory's token. */
export type ActingDirectory = DirectoryParts & Pick<ActingWorld, "act" | "changes">;

/** Returns the rules of the sign-in. Throws the Fault `unknown_url` while no directory is configured. */
export function requireDirectory({ rules }: Pick<DirectoryParts, "rules">): SignInRules {
  const found = rules();
  if (found?.directory !== undefined) return found;
  throw new Fault(
    "unknown_url",
    "No directory is configured here: `scim: { on: true }` turns these routes on.",
  );
}

/** Returns what decisions depend on. The accounts that rules name are read once for all people. */
export async function makeContext(parts: DirectoryParts, rules: SignInRules): Promise<DirectoryContext> {
  const { pepper, clock } = parts;
  const { ids } = await findAccounts(parts, rules, "");
  const accountsOf = (memberId: string) => ({
    ids,
    personalAccountId: findPersonalAccountId(memberId, rules, pepper),
  });
  return { rules, pepper, nowMs: clock.nowMs(), accountsOf };
}

export async function createUser(parts: ActingDirectory, body: JsonObject): Promise<DirectoryUser> {
  const rules = requireDirectory(parts);
  const attributes = readUser(body);
  const context = await makeContext(parts, rules);
  const id = mintId("usr", parts.random);
  const claim = { ...claimUser(context, id, attributes, listRuleGroups(rules)), isNew: true };
  const write = await parts.changes.changeUser(claim, (rows) =>
    decideNewUser(context, claim, attributes, rows),
  );
  if (write === null) throw new Error("A new user was not written.");
  await keepAccounts(parts, context, [write.member]);
  return write.user;
}

/** The rest of an absent attribute is empty, but `active` stays as it is. */
export async function replaceUser(
  parts: ActingDirectory,
  id: string,
  body: JsonObject,
): Promise<DirectoryUser> {
  readUser(body);
  return changeUser(parts, id, (before) => readUser(body, before.isActive));
}

export async function patchUser(
  parts: ActingDirectory,
  id: string,
  body: JsonObject,
): Promise<DirectoryUser> {
  const steps = readOperations(body);
  return changeUser(parts, id, (before) => steps.reduce(applyUserStep, pickAttributes(before)));
}

/** A user's row has more than its attributes. */
function pickAttributes(user: UserAttributes): UserAttributes {
  return { ...user };
}

async function changeUser(
  parts: ActingDirectory,
  id: string,
  change: (before: UserAttributes) => UserAttributes,
): Promise<DirectoryUser> {
  const rules = requireDirectory(parts);
  const before = await findUser(parts, id);
  const context = await makeContext(parts, rules);
  const after = change(before);
  const claim = claimUser(context, id, after, listRuleGroups(rules));
  const isEnd = before.isActive && !after.isActive;
  const { changes } = isEnd ? await tellEnd(parts, "member.deactivated", before) : parts;
  const write: UserWrite | null = await changes.changeUser(claim, (rows) =>
    decideUser(context, claim, change, rows),
  );
  if (write === null) return findUser(parts, id);
  await keepAccounts(parts, context, [write.member]);
  return write.user;
}

export async function deleteUser(parts: ActingDirectory, id: string): Promise<void> {
  const context = await makeContext(parts, requireDirectory(parts));
  const claim = claimUser(context, id, null, []);
  const { changes } = await tellEnd(parts, "member.left", await findUser(parts, id));
  await changes.changeUser(claim, (rows) => decideUserEnd(context, rows));
}

/** Returns changes that tell of the end of a person, and of what stays. */
async function tellEnd(
  parts: ActingDirectory,
  type: "member.deactivated" | "member.left",
  { memberId: member_id }: DirectoryUser,
): Promise<Pick<ActingDirectory, "changes">> {
  const { store, pepper, clock, act } = parts;
  const nowMs = clock.nowMs();
  const email = (await store.people.member(member_id))?.email ?? null;
  const stays = await describeStays({ store, pepper, nowMs }, { id: member_id, email });
  const data = { member_id, reason: "directory", ...stays };
  return actAs(parts, act, [makeEvent(type, member_id, { accountId: "", atMs: nowMs, data })]);
}

/** Throws the refusal `notFound`. */
export async function findUser({ store }: Pick<DirectoryParts, "store">, id: string): Promise<DirectoryUser> {
  const { rows } = await store.directory.users({ id }, { offset: 0, limit: 1 });
  const [user] = rows;
  if (user !== undefined) return user;
  throw noUser();
}

/** Makes the personal accounts of people to whom the rules give one. One that is missing is made at the sign-in. */
export async function keepAccounts(
  parts: Pick<ActingDirectory, "store" | "changes" | "clock">,
  { accountsOf }: DirectoryContext,
  people: readonly Pick<MemberRights, "id" | "ruleGrants">[],
): Promise<void> {
  for (const { id, ruleGrants } of people) {
    await ensurePersonalAccount(parts, { grants: ruleGrants }, accountsOf(id).personalAccountId);
  }
}
