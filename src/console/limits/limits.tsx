// Gateway → Limits: the configured limits in plain words.
import type { SettingsView } from "../../admin/models/settings-schema.ts";
import { LIMITS_CHANGE } from "../configuration/limits-change.ts";
import { type SetFact, SetFacts } from "../configuration/origin.tsx";
import { ProposalButton } from "../configuration/proposal.tsx";
import { formatBytes, formatCount, formatDuration, formatPercent, formatUsd } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { Aliases } from "../models/aliases.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Badge, Loaded, Notice } from "../parts/states.tsx";
import { type Column, makeColumn, makeHeadColumn, Table } from "../parts/table.tsx";

export function LimitsPage() {
  const settings = useResource<SettingsView>("/settings");
  return (
    <>
      <PageHead title="Limits" actions={<ProposalButton label="Change as YAML" proposal={LIMITS_CHANGE} />}>
        Limits of all keys and requests, and where each is set. A key may have its own daily allowance.
      </PageHead>
      <Loaded of={settings}>{(data) => <Rules settings={data} />}</Loaded>
    </>
  );
}

function Rules({ settings }: { readonly settings: SettingsView }) {
  const isAllowanceUsed = settings.billing.charge === "beyond_allowance";
  const timeouts = listTimeouts(settings);
  return (
    <div class="stack">
      <Notice>
        These settings come from the configuration file. Changes take effect without a restart, except those
        under server.
      </Notice>
      <div class="charts">
        <Card title="Allowance" note={isAllowanceUsed ? undefined : "Not in use: every request is charged"}>
          <SetFacts rows={listAllowance(settings)} />
        </Card>
        <Card title="Billing">
          <SetFacts rows={listPrices(settings)} />
        </Card>
        <Card title="Requests and log">
          <SetFacts rows={listBounds(settings)} />
        </Card>
        <Card title="Selectors">
          <SetFacts rows={listRouterRules(settings)} />
        </Card>
        <Card title="Provider timeouts">
          {timeouts.length === 0 ? (
            <p class="faint">No provider is enabled.</p>
          ) : (
            <SetFacts rows={timeouts} />
          )}
        </Card>
        <Card title="This gateway">
          <SetFacts rows={listServer(settings)} />
        </Card>
      </div>
      <SelectorRules rules={settings.router.rules} />
      <Aliases />
    </div>
  );
}

type RouterRule = SettingsView["router"]["rules"][number];

const RULE_COLUMNS: readonly Column<RouterRule>[] = [
  makeHeadColumn("If the request is", ({ category, at_least }) => (
    <span>
      <span class="strong">{category.replaceAll("_", " ")}</span> by {formatPercent(at_least)} or more
    </span>
  )),
  makeColumn("Only these models", ({ models }) => models?.join(", ") ?? "all"),
  makeColumn("Never these", ({ deny }) => (deny.length === 0 ? "–" : deny.join(", "))),
];

/** The rules of the configuration for what selectors choose from. */
function SelectorRules({ rules }: { readonly rules: readonly RouterRule[] }) {
  return (
    <Card title="Rules of the selectors" note="For kinds of requests, from the configuration" isFlush>
      {rules.length === 0 ? (
        <p class="card-body faint">
          No rules. With <code>router.rules</code>, some kinds of requests go to some models only.
        </p>
      ) : (
        <Table label="Rules" columns={RULE_COLUMNS} rows={rules} keyOf={(rule) => JSON.stringify(rule)} />
      )}
    </Card>
  );
}

function listAllowance({ quota }: SettingsView): readonly SetFact[] {
  const { models, budget_usd_per_day: budget } = quota.free;
  return [
    [
      "Free requests per day",
      quota.requests_per_day === null ? "unlimited" : formatCount(quota.requests_per_day),
      ["quota", "requests_per_day"],
    ],
    [
      "Beyond those",
      quota.throttle_ms === 0 ? "none" : `one every ${formatDuration(quota.throttle_ms)}`,
      ["quota", "throttle"],
    ],
    [
      "Counted for",
      quota.scope === "key" ? "each key separately" : "all keys of an account together",
      ["quota", "scope"],
    ],
    ["Day starts at", `${quota.day_starts} ${quota.time_zone}`, ["quota", "day_starts"]],
    ["Models", models.includes("*") ? "all" : models.join(", "), ["quota", "free", "models"]],
    [
      "Total cost",
      budget === null ? "unlimited" : `up to ${formatUsd(budget)} per day`,
      ["quota", "free", "budget_usd_per_day"],
    ],
  ];
}

function listPrices({ billing }: SettingsView): readonly SetFact[] {
  return [
    [
      "Charged",
      billing.charge === "always" ? "every request" : "requests beyond the allowance",
      ["billing", "charge"],
    ],
    [
      "Price",
      billing.markup === 1 ? "the provider's price" : `the provider's price × ${billing.markup}`,
      ["billing", "markup"],
    ],
    ["Balances", "prepaid, never below zero"],
  ];
}

function listBounds({ limits, server, log }: SettingsView): readonly SetFact[] {
  return [
    ["Messages per request", `up to ${formatCount(limits.messages)}`, ["limits", "messages"]],
    ["Answers per request (n)", `up to ${formatCount(limits.n)}`, ["limits", "n"]],
    ["Request size", `up to ${formatBytes(server.body_limit)}`, ["server", "body_limit"]],
    [
      "Request bodies in memory",
      `up to ${formatBytes(server.body_memory)} in total`,
      ["server", "body_memory"],
    ],
    ["Log retention", formatDuration(log.keep_ms), ["log", "keep"]],
    [
      "Prompts and answers",
      log.content ? <Badge text="logged" tone="warn" /> : "not logged",
      ["log", "content"],
    ],
  ];
}

function listRouterRules({ router }: SettingsView): readonly SetFact[] {
  const pins = Object.entries(router.pin);
  return [
    [
      "Router#fair keeps",
      `${formatPercent(router.fair.quality)} of the best quality`,
      ["router", "fair", "quality"],
    ],
    [
      "Chosen from",
      router.allow.includes("*") ? "all enabled models" : router.allow.join(", "),
      ["router", "allow"],
    ],
    ["Never chosen", router.deny.length === 0 ? "–" : router.deny.join(", "), ["router", "deny"]],
    [
      "Explores with",
      router.explore === 0 ? "no request" : `${formatPercent(router.explore)} of the requests`,
      ["router", "explore"],
    ],
    ["Models in preview", router.preview ? "may be chosen" : "are left out", ["router", "preview"]],
    [
      "Pinned",
      pins.length === 0 ? "–" : pins.map(([kind, model]) => `${kind}: ${model}`).join(", "),
      ["router", "pin"],
    ],
  ];
}

function listTimeouts({ timeouts }: SettingsView): readonly SetFact[] {
  const rows = timeouts.map(({ provider, first_byte_ms, idle_ms, total_ms }) => {
    const first = first_byte_ms === null ? "set by the model" : `within ${formatDuration(first_byte_ms)}`;
    const words = `first byte ${first} · ${formatDuration(idle_ms)} without data · ${formatDuration(total_ms)} in total`;
    return [provider, words] as const;
  });
  const [common = ""] = rows.map(([, words]) => words);
  const others = rows.filter(([, words]) => words !== common);
  if (rows.length < 2) return rows;
  return [[others.length === 0 ? "All providers" : "Most providers", common], ...others];
}

function listServer({ server, version, store, node }: SettingsView): readonly SetFact[] {
  return [
    ["Version", version],
    ["Store", store === "sqlite" ? "SQLite" : "PostgreSQL", ["store"]],
    ["Node", <code key="node">{node}</code>],
    ["Listens on", `${server.host}:${server.port}`, ["server", "port"]],
    ["Shutdown waits for", formatDuration(server.drain_ms), ["server", "drain"]],
  ];
}
