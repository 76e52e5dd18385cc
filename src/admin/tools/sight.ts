// The tools that an operator sees, and those that a key may call.
import type { GatewayKey } from "../../core/keys/key.ts";
import { type AllowedTools, findMemberTools } from "../../core/limits/member-limits.ts";
import type { LimitRules } from "../../core/settings.ts";
import type { Store } from "../../core/store.ts";
import { isToolAllowed } from "../../core/tools/patterns.ts";
import { listToolLevels, resolveAccountTools } from "../../core/tools/rights.ts";
import type { ListedTool } from "../../core/tools/tool-directory.ts";
import type { Access } from "../../people/access.ts";
import { noKey } from "../keys/keys.ts";

export interface SightParts {
  readonly store: Pick<Store, "account"> & { readonly people: Pick<Store["people"], "memberTerms"> };
  readonly limitRules: () => LimitRules;
}

type Sees = (tool: Pick<ListedTool, "fullName">) => boolean;

/** Those who see single accounts see the tools that these, and they themselves as members, may call. */
export async function findSight(parts: SightParts, access: Access): Promise<Sees> {
  const accountIds = access.accountsWith("tools.read");
  if (accountIds === null) return () => true;
  const levels = await Promise.all(accountIds.map((id) => findAccountLevels(parts, access, id)));
  return ({ fullName }) => levels.some((one) => isToolAllowed(one, fullName));
}

async function findAccountLevels(
  { store, limitRules }: SightParts,
  access: Access,
  id: string,
): Promise<readonly AllowedTools[]> {
  const { toolRights, memberDefaults } = limitRules();
  const account = await store.account(id);
  if (account === null) return [[]];
  const own = resolveAccountTools(account, toolRights);
  if (access.memberId === null || access.roleIn(id) !== "member") return [own];
  const terms = await store.people.memberTerms(access.memberId);
  return [own, findMemberTools(account, terms ?? { rules: [] }, memberDefaults)];
}

/** Returns the lists of which a tool has to pass every one if this key calls it. */
export async function findKeyLevels(
  { store, limitRules }: SightParts,
  key: GatewayKey,
): Promise<readonly AllowedTools[]> {
  const { toolRights, memberDefaults } = limitRules();
  const [account, terms] = await Promise.all([
    store.account(key.accountId),
    key.memberId === null ? null : store.people.memberTerms(key.memberId),
  ]);
  if (account === null) throw noKey();
  const memberTools = terms && findMemberTools(account, terms, memberDefaults);
  return listToolLevels({ ...key, ...(memberTools && { memberTools }) }, account, toolRights);
}
