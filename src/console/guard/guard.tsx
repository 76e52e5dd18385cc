// Guard: the rules about personal data and secrets, what they have found, and a box to try them.
import type { GuardRuleView, GuardView } from "../../admin/models/guard.ts";
import { makeGatewayUrl } from "../browser.ts";
import { FIRST_RULES, GUARD_RULE } from "../configuration/guard-rule.ts";
import { ProposalButton } from "../configuration/proposal.tsx";
import { formatCount } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { may } from "../frame/session.ts";
import { Code } from "../parts/button.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Empty, Loaded, Notice } from "../parts/states.tsx";
import { type Column, leaveOutNarrow, makeColumn, makeHeadColumn, Table } from "../parts/table.tsx";
import { ActionBadge } from "./actions.tsx";
import { FindingsCard } from "./guard-findings.tsx";
import { TrialCard } from "./guard-trial.tsx";

const EVERY_MS = 30_000;

export function GuardPage() {
  const guard = useResource<GuardView>("/guard", EVERY_MS);
  return (
    <>
      <PageHead title="Guard" actions={<ProposalButton label="Rule as YAML" proposal={GUARD_RULE} />}>
        Rules that find personal data, secrets and your words in what is sent and answered.{" "}
        <a href={makeGatewayUrl("/docs/guard")} target="_blank" rel="noreferrer">
          How the guard works
        </a>
      </PageHead>
      <div class="stack">
        <Loaded of={guard}>
          {(found) =>
            found.rules.length === 0 ? (
              <>
                <OtherNodes nodes={found.other_nodes ?? []} />
                <Nothing />
              </>
            ) : (
              <>
                <OtherNodes nodes={found.other_nodes ?? []} />
                <RulesCard guard={found} />
                <FindingsCard />
                {may("settings.check") && <TrialCard />}
              </>
            )
          }
        </Loaded>
      </div>
    </>
  );
}

/** After a change each node has its own rules until it has read the file again. */
function OtherNodes({ nodes }: { readonly nodes: NonNullable<GuardView["other_nodes"]> }) {
  if (nodes.length === 0) return null;
  const names = nodes.map(({ id, version }) => (version === null ? `${id} (no rules)` : id)).join(", ");
  return (
    <Notice tone="warn">
      {nodes.length === 1 ? "A node has other rules" : `${formatCount(nodes.length)} nodes have other rules`}{" "}
      than these: <span class="own-words">{names}</span>. Requests there follow those.
    </Notice>
  );
}

function Nothing() {
  return (
    <Card>
      <Empty icon="shield" title="No rules yet">
        Rules stand in the configuration. These two only count what they find, and change no request: read
        after a week what they have found.
      </Empty>
      <Code text={FIRST_RULES} />
    </Card>
  );
}

function RulesCard({ guard: { rules, words, allow } }: { readonly guard: GuardView }) {
  const lists = words.map(({ name, count }) => `words:${name} (${formatCount(count)})`);
  const facts = [
    ...(lists.length > 0 ? [`Lists: ${lists.join(", ")}`] : []),
    ...(allow.length > 0 ? [`${formatCount(allow.length)} allowed, which are never found`] : []),
  ];
  return (
    <Card title="Rules" note={facts.join(". ")} isFlush>
      <Table label="Rules" columns={COLUMNS} rows={rules} keyOf={({ name }) => name} />
    </Card>
  );
}

const COLUMNS: readonly Column<GuardRuleView>[] = [
  makeHeadColumn("Rule", ({ name, detect }) => (
    <div>
      <span class="strong">{name}</span>
      <div class="small faint own-words">{detect.join(", ")}</div>
    </div>
  )),
  makeColumn("Action", ({ action }) => <ActionBadge action={action} />),
  leaveOutNarrow(makeColumn("Searches", ({ at }) => at.map((one) => `${one}s`).join(", "))),
  makeColumn("Applies to", (rule) => <span class="own-words">{describeScope(rule)}</span>),
];

function describeScope({ keys, accounts, models, providers }: GuardRuleView): string {
  const parts = Object.entries({ keys, accounts, models, providers }).flatMap(([name, patterns]) => {
    if (patterns.includes("*") && patterns.length === 1) return [];
    return [patterns.length === 0 ? `no ${name} but those that name it` : `${name} ${patterns.join(", ")}`];
  });
  return parts.length === 0 ? "all requests" : parts.join("; ");
}
