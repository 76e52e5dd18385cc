// Settings → Limits: the configured limits in plain words.
import type { SettingsView } from "../admin/settings-schema.ts";
import { formatBytes, formatCount, formatDuration, formatPercent, formatUsd } from "./format.ts";
import { type Fact, Facts } from "./parts/figures.tsx";
import { Card, PageHead } from "./parts/page.tsx";
import { Badge, Loaded, Notice } from "./parts/states.tsx";
import { useResource } from "./resource.ts";

export function LimitsPage() {
  const settings = useResource<SettingsView>("/settings");
  return (
    <>
      <PageHead title="Limits">
        What every key and request is held to. A key may have a number of requests of its own.
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
        These come from the configuration file and take effect when it is saved, without a restart (the
        server's own excepted).
      </Notice>
      <div class="charts">
        <Card title="Allowance" note={isAllowanceUsed ? undefined : "Not in use: every request is paid"}>
          <Facts rows={listAllowance(settings)} />
        </Card>
        <Card title="Paying">
          <Facts rows={listPrices(settings)} />
        </Card>
        <Card title="Requests and log">
          <Facts rows={listBounds(settings)} />
        </Card>
        <Card title="Selectors">
          <Facts rows={listRouterRules(settings)} />
        </Card>
        <Card title="Patience with providers">
          {timeouts.length === 0 ? <p class="faint">No provider is on.</p> : <Facts rows={timeouts} />}
        </Card>
        <Card title="This gateway">
          <Facts rows={listServer(settings)} />
        </Card>
      </div>
    </div>
  );
}

function listAllowance({ quota }: SettingsView): readonly Fact[] {
  const { models, budget_usd_per_day: budget } = quota.free;
  return [
    [
      "Free requests a day",
      quota.requests_per_day === null ? "unlimited" : formatCount(quota.requests_per_day),
    ],
    ["After those", quota.throttle_ms === 0 ? "none" : `one every ${formatDuration(quota.throttle_ms)}`],
    ["Counted for", quota.scope === "key" ? "each key by itself" : "all keys of an account together"],
    ["The day begins", `${quota.day_starts} ${quota.time_zone}`],
    ["Models", models.includes("*") ? "all" : models.join(", ")],
    ["Worth at most", budget === null ? "any amount" : `${formatUsd(budget)} a day`],
  ];
}

function listPrices({ billing }: SettingsView): readonly Fact[] {
  return [
    ["Charged", billing.charge === "always" ? "every request" : "requests beyond the allowance"],
    ["Price", billing.markup === 1 ? "as the provider's" : `the provider's × ${billing.markup}`],
    ["Balances", "prepaid, never below zero"],
  ];
}

function listBounds({ limits, server, log }: SettingsView): readonly Fact[] {
  return [
    ["Messages in a request", `${formatCount(limits.messages)} at most`],
    ["Answers to a request (n)", `${formatCount(limits.n)} at most`],
    ["Size of a request", `${formatBytes(server.body_limit)} at most`],
    ["Requests being read", `${formatBytes(server.body_memory)} at most together`],
    ["Log kept for", formatDuration(log.keep_ms)],
    ["Prompts and answers", log.content ? <Badge tone="warn">kept in the log</Badge> : "not kept"],
  ];
}

function listRouterRules({ router }: SettingsView): readonly Fact[] {
  const pins = Object.entries(router.pin);
  return [
    ["Router#fair keeps", `${formatPercent(router.fair.quality)} of the best quality`],
    ["Never chosen", router.deny.length === 0 ? "–" : router.deny.join(", ")],
    ["Pinned", pins.length === 0 ? "–" : pins.map(([kind, model]) => `${kind}: ${model}`).join(", ")],
  ];
}

function listTimeouts({ timeouts }: SettingsView): readonly Fact[] {
  return timeouts.map(({ provider, first_byte_ms, idle_ms, total_ms }) => {
    const first =
      first_byte_ms === null ? "first byte by the model" : `first byte ${formatDuration(first_byte_ms)}`;
    return [provider, `${first} · silence ${formatDuration(idle_ms)} · in all ${formatDuration(total_ms)}`];
  });
}

function listServer({ server, version, store, node }: SettingsView): readonly Fact[] {
  return [
    ["Version", version],
    ["Store", store === "sqlite" ? "SQLite" : "PostgreSQL"],
    ["Node", <code key="node">{node}</code>],
    ["Listens on", `${server.host}:${server.port}`],
    ["Ending waits for", formatDuration(server.drain_ms)],
  ];
}
