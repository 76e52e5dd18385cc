// The configured sign-in: the identity provider, and the roles of its groups.
import type { ConfigurationView } from "../../admin/models/configuration.ts";
import { Origin, SetFacts, useOrigins } from "../configuration/origin.tsx";
import { ProposalButton } from "../configuration/proposal.tsx";
import { SIGN_IN_RULE } from "../configuration/sign-in-change.ts";
import { Card } from "../parts/page.tsx";
import { type Column, makeColumn, makeHeadColumn, Table } from "../parts/table.tsx";

type SignIn = NonNullable<ConfigurationView["sign_in"]>;
type SignInRuleView = SignIn["rules"][number];

const OIDC = ["sign_in", "oidc"];

/** Nothing for those who may not see the configuration. */
export function SignInRules() {
  const signIn = useOrigins().configuration?.sign_in;
  if (!signIn) return null;
  const { issuer, client_id, scopes, groups_claim, domains, rules } = signIn;
  return (
    <Card
      title="Sign-in"
      note="Roles come from groups at the identity provider"
      actions={<ProposalButton label="Rule as YAML" proposal={SIGN_IN_RULE} />}
    >
      <div class="stack">
        <SetFacts
          rows={[
            ["Issuer", issuer, [...OIDC, "issuer"]],
            ["Client", client_id, [...OIDC, "client_id"]],
            ["Scopes", scopes.join(" "), [...OIDC, "scopes"]],
            ["Groups in", groups_claim, [...OIDC, "groups_claim"]],
            ["Only from", domains.length === 0 ? "anywhere" : domains.join(", "), [...OIDC, "allow"]],
          ]}
        />
        <Table
          label="Rules of the sign-in"
          columns={listColumns(rules)}
          rows={rules}
          keyOf={(rule) => JSON.stringify(rule)}
        />
      </div>
    </Card>
  );
}

function listColumns(rules: readonly SignInRuleView[]): readonly Column<SignInRuleView>[] {
  return [
    makeHeadColumn("Group", ({ group }) => <span class="strong own-words">{group}</span>),
    makeColumn("Role", ({ role }) => role),
    makeColumn("Accounts", ({ accounts }) => accounts?.join(", ") ?? "all"),
    makeColumn("Set in", (rule) => <Origin path={[...OIDC, "rules", String(rules.indexOf(rule))]} />),
  ];
}
