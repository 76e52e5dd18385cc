// Settings → Limits: the rules in force, as configured, in plain words.
import type { ComponentChildren } from "preact";
import type { SettingsView } from "../admin/settings-schema.ts";
import { count, describeBytes, percent, span, usd } from "./format.ts";
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
  return (
    <div class="stack">
      <Notice>
        These come from the configuration file and take effect when it is saved, without a restart (the
        server's own excepted).
      </Notice>
      <div class="charts">
        <Quota settings={settings} />
        <Paying settings={settings} />
        <Requests settings={settings} />
        <RouterRules settings={settings} />
        <Timeouts settings={settings} />
        <Server settings={settings} />
      </div>
    </div>
  );
}

interface Part {
  readonly settings: SettingsView;
}

type Row = readonly [label: string, value: ComponentChildren];

function Facts({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <dl class="facts">
      {rows.flatMap(([label, value]) => [
        <dt key={`${label} name`}>{label}</dt>,
        <dd key={label}>{value}</dd>,
      ])}
    </dl>
  );
}

function Quota({ settings: { quota, billing } }: Part) {
  const isUsed = billing.charge === "beyond_allowance";
  const rows: readonly Row[] = [
    ["Free requests a day", quota.requests_per_day === null ? "unlimited" : count(quota.requests_per_day)],
    ["After those", quota.throttle_ms === 0 ? "none" : `one every ${span(quota.throttle_ms)}`],
    ["Counted for", quota.scope === "key" ? "each key by itself" : "all keys of an account together"],
    ["The day begins", `${quota.day_starts} ${quota.time_zone}`],
    ["Models", quota.free.models.includes("*") ? "all" : quota.free.models.join(", ")],
    [
      "Worth at most",
      quota.free.budget_usd_per_day === null ? "any amount" : `${usd(quota.free.budget_usd_per_day)} a day`,
    ],
  ];
  return (
    <Card title="Allowance" note={isUsed ? undefined : "Not in use: every request is paid"}>
      <Facts rows={rows} />
    </Card>
  );
}

function Paying({ settings: { billing } }: Part) {
  const rows: readonly Row[] = [
    ["Charged", billing.charge === "always" ? "every request" : "requests beyond the allowance"],
    ["Price", billing.markup === 1 ? "as the provider's" : `the provider's × ${billing.markup}`],
    ["Balances", "prepaid, never below zero"],
  ];
  return (
    <Card title="Paying">
      <Facts rows={rows} />
    </Card>
  );
}

function Requests({ settings: { limits, server, log } }: Part) {
  const rows: readonly Row[] = [
    ["Messages in a request", `${count(limits.messages)} at most`],
    ["Answers to a request (n)", `${count(limits.n)} at most`],
    ["Size of a request", `${describeBytes(server.body_limit)} at most`],
    ["Requests being read", `${describeBytes(server.body_memory)} at most together`],
    ["Log kept for", span(log.keep_ms)],
    ["Prompts and answers", log.content ? <Badge tone="warn">kept in the log</Badge> : "not kept"],
  ];
  return (
    <Card title="Requests and log">
      <Facts rows={rows} />
    </Card>
  );
}

function RouterRules({ settings: { router } }: Part) {
  const pins = Object.entries(router.pin);
  const rows: readonly Row[] = [
    ["Router#fair keeps", `${percent(router.fair.quality)} of the best quality`],
    ["Never chosen", router.deny.length === 0 ? "–" : router.deny.join(", ")],
    ["Pinned", pins.length === 0 ? "–" : pins.map(([kind, model]) => `${kind}: ${model}`).join(", ")],
  ];
  return (
    <Card title="Selectors">
      <Facts rows={rows} />
    </Card>
  );
}

function Timeouts({ settings: { timeouts } }: Part) {
  const rows = timeouts.map(({ provider, first_byte_ms, idle_ms, total_ms }): Row => {
    const first = first_byte_ms === null ? "first byte by the model" : `first byte ${span(first_byte_ms)}`;
    return [provider, `${first} · silence ${span(idle_ms)} · in all ${span(total_ms)}`];
  });
  return (
    <Card title="Patience with providers">
      {rows.length === 0 ? <p class="faint">No provider is on.</p> : <Facts rows={rows} />}
    </Card>
  );
}

function Server({ settings: { server, version, store, node } }: Part) {
  const rows: readonly Row[] = [
    ["Version", version],
    ["Store", store === "sqlite" ? "SQLite" : "PostgreSQL"],
    ["Node", <code key="node">{node}</code>],
    ["Listens on", `${server.host}:${server.port}`],
    ["Ending waits for", span(server.drain_ms)],
  ];
  return (
    <Card title="This gateway">
      <Facts rows={rows} />
    </Card>
  );
}
