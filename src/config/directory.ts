// `scim`: how the company's directory tells who is here.
import { type Static, Type } from "@sinclair/typebox";
import type { SignInRules } from "../core/people/sign-in.ts";
import type { Issues } from "./errors.ts";
import { addressBlock, choice, list, options } from "./field-types.ts";

export const scim = options(
  {
    on: Type.Boolean(),
    link: choice(["id", "id_or_email"]),
    from: list(addressBlock),
  },
  "The company's directory, by SCIM.",
);

type ScimConfig = Static<typeof scim>;

/** Returns the rules with those of the directory, if it is on. */
export function addDirectory(
  rules: SignInRules | undefined,
  given: ScimConfig | undefined,
  issues: Issues,
): { readonly signIn?: SignInRules } {
  if (given?.on !== true) return rules === undefined ? {} : { signIn: rules };
  if (rules === undefined) {
    issues.atKey(["scim"], "needs sign_in.oidc, whose rules say what the directory's groups may do");
    return {};
  }
  const linksByEmail = given.link === "id_or_email";
  if (linksByEmail && rules.trustsEmail) {
    const message =
      "id_or_email needs sign_in.oidc.email: verified, since whoever can set an unverified address would become somebody else";
    issues.atValue(["scim", "link"], message);
  }
  return { signIn: { ...rules, directory: { linksByEmail, from: given.from ?? [] } } };
}
