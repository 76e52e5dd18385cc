// Gateway → Limits: the configured limits in plain words.
import type { SettingsView } from "../../admin/models/settings-schema.ts";
import { formatBytes, formatCount, formatDuration, formatPercent, formatUsd } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { Aliases } from "../models/aliases.tsx";
import { type Fact, Facts } from "../parts/figures.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Badge, Loaded, Notice } from "../parts/states.tsx";
import { type Column, makeColumn, makeHeadColumn, Table } from "../parts/table.tsx";

export function LimitsPage() {
  const settings = useResource<SettingsView>("/settings");
  return (
    <>
      <PageHead title="Limits">
        Limits of all keys and requests. A key may have its own daily allowance.
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
          <Facts rows={listAllowance(settings)} />
        </Card>
        <Card title="Billing">
          <Facts rows={listPrices(settings)} />
        </Card>
        <Card title="Requests and log">
          <Facts rows={listBounds(settings)} />
        </Card>
        <Card title="Selectors">
          <Facts rows={listRouterRules(settings)} />
        </Card>
        <Card title="Provider timeouts">
          {timeouts.length === 0 ? <p class="faint">No provider is enabled.</p> : <Facts rows={timeouts} />}
        </Card>
        <Card title="This gateway">
          <Facts rows={listServer(settings)} />
        </Card>
      </div>
      <SelectorRules rules={settings.router.rules} />
      <Aliases />
    </div>
  );
}

type Rule = SettingsView["router"]["rules"][number];

const RULE_COLUMNS: readonly Column<Rule>[] = [
  makeHeadColumn("If the request is", ({ category, at_least }) => (
    <span>
      <span class="strong">{category.replaceAll("_", " ")}</span> by {formatPercent(at_least)} or more
    </span>
  )),
  makeColumn("Only these models", ({ models }) => models?.join(", ") ?? "all"),
  makeColumn("Never these", ({ deny }) => (deny.length === 0 ? "–" : deny.join(", "))),
];

/** The rules of the configuration for what selectors choose from. */
function SelectorRules({ rules }: { readonly rules: readonly Rule[] }) {
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

function listAllowance({ quota }: SettingsView): readonly Fact[] {
  const { models, budget_usd_per_day: budget } = quota.free;
  return [
    [
      "Free requests per day",
      quota.requests_per_day === null ? "unlimited" : formatCount(quota.requests_per_day),
    ],
    ["Beyond those", quota.throttle_ms === 0 ? "none" : `one every ${formatDuration(quota.throttle_ms)}`],
    ["Counted for", quota.scope === "key" ? "each key separately" : "all keys of an account together"],
    ["Day starts at", `${quota.day_starts} ${quota.time_zone}`],
    ["Models", models.includes("*") ? "all" : models.join(", ")],
    ["Total cost", budget === null ? "unlimited" : `up to ${formatUsd(budget)} per day`],
  ];
}

function listPrices({ billing }: SettingsView): readonly Fact[] {
  return [
    ["Charged", billing.charge === "always" ? "every request" : "requests beyond the allowance"],
    ["Price", billing.markup === 1 ? "the provider's price" : `the provider's price × ${billing.markup}`],
    ["Balances", "prepaid, never below zero"],
  ];
}

function listBounds({ limits, server, log }: SettingsView): readonly Fact[] {
  return [
    ["Messages per request", `up to ${formatCount(limits.messages)}`],
    ["Answers per request (n)", `up to ${formatCount(limits.n)}`],
    ["Request size", `up to ${formatBytes(server.body_limit)}`],
    ["Request bodies in memory", `up to ${formatBytes(server.body_memory)} in total`],
    ["Log retention", formatDuration(log.keep_ms)],
    ["Prompts and answers", log.content ? <Badge text="logged" tone="warn" /> : "not logged"],
  ];
}

function listRouterRules({ router }: SettingsView): readonly Fact[] {
  const pins = Object.entries(router.pin);
  return [
    ["Router#fair keeps", `${formatPercent(router.fair.quality)} of the best quality`],
    ["Chosen from", router.allow.includes("*") ? "all enabled models" : router.allow.join(", ")],
    ["Never chosen", router.deny.length === 0 ? "–" : router.deny.join(", ")],
    [
      "Explores with",
      router.explore === 0 ? "no request" : `${formatPercent(router.explore)} of the requests`,
    ],
    ["Models in preview", router.preview ? "may be chosen" : "are left out"],
    ["Pinned", pins.length === 0 ? "–" : pins.map(([kind, model]) => `${kind}: ${model}`).join(", ")],
  ];
}

function listTimeouts({ timeouts }: SettingsView): readonly Fact[] {
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

function listServer({ server, version, store, node }: SettingsView): readonly Fact[] {
  return [
    ["Version", version],
    ["Store", store === "sqlite" ? "SQLite" : "PostgreSQL"],
    ["Node", <code key="node">{node}</code>],
    ["Listens on", `${server.host}:${server.port}`],
    ["Shutdown waits for", formatDuration(server.drain_ms)],
  ];
}
