// Warnings of `poundkey check` about groups of the directory and rules of the sign-in that don't meet.
import { type ConfigError, createError } from "../../config/errors.ts";
import type { SignInRules } from "../../core/people/sign-in.ts";

export interface GroupNames {
  readonly name: string;
  readonly externalId: string | null;
}

/** More names help nobody to find a mistake. */
const NAMED_MAX = 10;

/** A directory that has sent no group yet is still to come, so nothing is said of it. */
export function warnOfGroups(
  signIn: SignInRules | undefined,
  groups: readonly GroupNames[],
): readonly ConfigError[] {
  if (signIn?.directory === undefined || groups.length === 0) return [];
  const { rules } = signIn;
  const known = new Set(groups.flatMap(({ name, externalId }) => [name, externalId]));
  const unmet = rules.flatMap(({ group }, at) => (group === "*" || known.has(group) ? [] : [{ group, at }]));
  const ruled = new Set(rules.map(({ group }) => group));
  const without = groups.filter(
    ({ name, externalId }) => !ruled.has(name) && !(externalId !== null && ruled.has(externalId)),
  );
  return [
    ...unmet.map(({ group, at }) =>
      warn(
        `sign_in.oidc.rules[${at}].group`,
        `the directory has no group '${group}', so the rule goes by the claims of the sign-in alone`,
      ),
    ),
    ...(without.length === 0 ? [] : [warn("sign_in.oidc.rules", describeWithout(without))]),
  ];
}

/** With its token, anybody can be put into the groups of these rules. */
export function warnOfDirectory(signIn: SignInRules | undefined): readonly ConfigError[] {
  if (signIn?.directory === undefined || signIn.directory.from.length > 0) return [];
  const high = signIn.rules.filter(({ role }) => role !== "member");
  if (high.length === 0) return [];
  const message =
    "its rules give roles above member, and the directory may come from any address; list its addresses in 'from'";
  return [warn("scim.from", message)];
}

function describeWithout(groups: readonly GroupNames[]): string {
  const names = groups.slice(0, NAMED_MAX).map(({ name }) => `'${name}'`);
  const more = groups.length - names.length;
  return `no rule names these groups of the directory, which give nobody a role: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function warn(field: string, message: string): ConfigError {
  return createError({ file: "", line: 0, column: 0, field, message });
}
