// The tools of tool servers that a key may call: by the lists of its account, of its member and of its own.

/** Visible ASCII without commas, which separate patterns on the command line and in the console. */
import type { AllowedTools } from "../limits/member-limits.ts";
export const TOOL_PATTERN = /^(?=.{1,128}$)!?[\x22-\x2b\x2d-\x7e][\x21-\x2b\x2d-\x7e]*$/;
export const TOOL_PATTERN_EXPECTED =
  "a tool like github_search_code, a pattern like github_*, or one with ! before it for what is taken away";

/** The configuration's part of it. */
export interface ToolRights {
  /** The tools of accounts that say nothing themselves. */
  readonly accountDefault: readonly string[];
  /** The tools of keys that say nothing themselves. Null for all that their account and member may call. */
  readonly keyDefault: AllowedTools;
  /** The most that roles below admin may give a key. Null for no bound. */
  readonly keyMaximum: AllowedTools;
}

export const TOOL_RIGHTS: ToolRights = { accountDefault: [], keyDefault: null, keyMaximum: null };

interface ToolAllowing {
  readonly allowedTools: AllowedTools;
}

/** Returns the account's own list, or that of accounts that say nothing. */
export function resolveAccountTools(
  { allowedTools }: ToolAllowing,
  { accountDefault }: Pick<ToolRights, "accountDefault">,
): readonly string[] {
  return allowedTools ?? accountDefault;
}

/** Returns the key's own list, or that of keys that say nothing. */
export function resolveKeyTools(
  { allowedTools }: ToolAllowing,
  { keyDefault }: Pick<ToolRights, "keyDefault">,
): AllowedTools {
  return allowedTools ?? keyDefault;
}

/** Returns the lists of which a tool has to pass every one. The key is one that was proven, with what binds its member. */
export function listToolLevels(
  key: ToolAllowing & { readonly memberTools?: readonly string[] },
  account: ToolAllowing,
  rules: ToolRights,
): readonly AllowedTools[] {
  return [resolveAccountTools(account, rules), key.memberTools ?? null, resolveKeyTools(key, rules)];
}
