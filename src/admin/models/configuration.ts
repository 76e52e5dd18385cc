// Where the configuration is written, and what a check says of a change of it.
import { Type } from "@sinclair/typebox";
import type { Settings } from "../../core/settings.ts";
import { allowNull, boolean, closeObject, count, text, type View } from "../schema.ts";

const fieldPlaceSchema = Type.Object({
  path: Type.Array(text, { description: "Names in mappings, and positions in lists from 0." }),
  line: Type.Union([count, Type.Null()], {
    description: "From 1. Null if the command line sets the field instead of the file.",
  }),
});

const signInRuleSchema = Type.Object({ group: text, role: text, accounts: allowNull(Type.Array(text)) });

export const configurationSchema = Type.Object({
  file: Type.Union([text, Type.Null()], {
    description: "The configuration file of the node that answers. Null if it has none.",
  }),
  fields: Type.Array(fieldPlaceSchema, {
    description: "The fields that the file has, at most 2,000; models and prices aren't among them.",
  }),
  sign_in: allowNull(
    Type.Object({
      issuer: text,
      client_id: text,
      scopes: Type.Array(text),
      groups_claim: text,
      domains: Type.Array(text, { description: "Nobody else gets in, if there are any." }),
      rules: Type.Array(signInRuleSchema),
    }),
  ),
});
export type ConfigurationView = View<typeof configurationSchema>;

const CHANGE_CHARACTERS_MAX = 20_000;

export const proposalSchema = closeObject({
  text: Type.String({
    minLength: 1,
    maxLength: CHANGE_CHARACTERS_MAX,
    description: "Sections of the configuration, as YAML. Mappings add to those in use; lists replace them.",
  }),
});

const mistakeSchema = Type.Object({ line: count, column: count, field: text, message: text });
type MistakeView = View<typeof mistakeSchema>;

export const verdictSchema = Type.Object({
  ok: boolean,
  errors: Type.Array(mistakeSchema, { description: "In the order of the text." }),
  warnings: Type.Array(mistakeSchema),
});
export type VerdictView = View<typeof verdictSchema>;

/** Checks a text without applying, keeping or calling anything. */
export type CheckProposal = (
  text: string,
) => Promise<{ readonly errors: readonly MistakeView[]; readonly warnings: readonly MistakeView[] }>;

export function viewConfiguration({ origin, signIn }: Settings): ConfigurationView {
  return {
    file: origin?.file ?? null,
    fields: (origin?.fields ?? []).map(({ path, line }) => ({ path: path.map(String), line })),
    sign_in: signIn === undefined ? null : showRules(signIn),
  };
}

function showRules(rules: NonNullable<Settings["signIn"]>): NonNullable<ConfigurationView["sign_in"]> {
  return {
    issuer: rules.issuer,
    client_id: rules.clientId,
    scopes: rules.scopes,
    groups_claim: rules.groupsClaim,
    domains: rules.domains,
    rules: rules.rules.map(({ group, role, accounts }) => ({ group, role, accounts })),
  };
}

export async function checkChange(
  check: CheckProposal,
  { text: change }: { readonly text: string },
): Promise<VerdictView> {
  const { errors, warnings } = await check(change);
  const view = ({ line, column, field, message }: MistakeView) => ({ line, column, field, message });
  return { ok: errors.length === 0, errors: errors.map(view), warnings: warnings.map(view) };
}
