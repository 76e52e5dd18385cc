// One model: its prices by length of the prompt, the names that lead to it, its health, its usage and its refusals.

import type { ListPage } from "../../admin/list.ts";
import type { AliasView } from "../../admin/models/aliases.ts";
import type { ProviderView } from "../../admin/models/providers.ts";
import type { CardView } from "../../admin/models/settings-schema.ts";
import { nameUnit } from "../../core/fields/piece-prices.ts";
import {
  formatDay,
  formatDuration,
  formatPercent,
  formatPrice,
  formatRate,
  formatTokens,
  isOver,
} from "../frame/format.ts";
import { useNames } from "../frame/names.ts";
import { usePages, useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { useScope } from "../frame/scope.ts";
import { may } from "../frame/session.ts";
import { Breakdown } from "../log/breakdown.tsx";
import { Refusals } from "../log/refusals.tsx";
import { RequestsLink } from "../log/usage-charts.tsx";
import { UsageSection } from "../log/usage-section.tsx";
import { CopyButton } from "../parts/button.tsx";
import { type Fact, Facts, Vitals } from "../parts/figures.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Badge, Empty, Loaded } from "../parts/states.tsx";
import { type Column, makeHeadColumn, makeNumberColumn, Table } from "../parts/table.tsx";
import { describeOff } from "./model-state.ts";
import { PausedPayers } from "./payers.tsx";
import { describeBreaker } from "./provider-state.ts";
import { RefusedFields } from "./refused-fields.tsx";

export function ModelPage({ id }: { readonly id: string }) {
  const models = useResource<ListPage<CardView>>("/models");
  const model = models.data?.data.find((one) => one.id === id);
  return (
    <>
      <PageHead
        back={{ path: "/models", label: "Models" }}
        title={id}
        actions={
          <>
            <CopyButton text={id} label="Copy ID" />
            <RequestsLink filters={{ model: id }} />
            {model?.on && may("playground.own") && (
              <a class="button main" href={makeHref("/playground", { model: id })}>
                Try it
              </a>
            )}
          </>
        }
      />
      <Loaded of={models}>{() => (model ? <Detail model={model} /> : <Unknown id={id} />)}</Loaded>
    </>
  );
}

function Unknown({ id }: { readonly id: string }) {
  return (
    <Card>
      <Empty icon="models" title="Not in the catalogue">
        {id} may be an alias, a model that a provider serves without being listed, or gone.
      </Empty>
    </Card>
  );
}

function Detail({ model }: { readonly model: CardView }) {
  const names = useNames();
  const { period } = useScope("30d");
  const reload = { current: async () => {} };
  return (
    <div class="stack">
      <div class="charts">
        <Card title="Details">
          <Facts rows={listFacts(model)} />
        </Card>
        <div class="stack">
          {may("settings.read") && <Health model={model} />}
          <Routes model={model} />
        </div>
      </div>
      {model.on && <RefusedFields id={model.id} />}
      <Prices model={model} />
      <UsageSection filters={{ model: model.id }} />
      <Breakdown query={{ ...period, model: model.id }} reloadRef={reload} first="key" />
      {may("requests.read") && <Refusals title="Refused" query={{ model: model.id }} names={names} />}
    </div>
  );
}

function listFacts(model: CardView): readonly Fact[] {
  const { operations, capabilities, context_window, max_output_tokens, released, shutdown } = model;
  return [
    [
      "State",
      model.on ? <Badge text="enabled" tone="ok" hasDot /> : <Badge text={describeOff(model.off_because)} />,
    ],
    ["Made by", model.owned_by],
    ["Context", formatTokens(context_window)],
    ["Longest answer", formatTokens(max_output_tokens)],
    ["Operations", (operations ?? ["unknown"]).join(", ")],
    ["Capabilities", capabilities.length === 0 ? "–" : capabilities.join(", ")],
    ["Released", released ? formatDay(released) : "unknown"],
    [shutdown && isOver(shutdown) ? "Ended" : "Ends", shutdown ? formatDay(shutdown) : "no end announced"],
    ["Skills from", model.skills_date ? `${model.skills_source}, ${model.skills_date}` : model.skills_source],
  ];
}

/** The model's recent calls. */
function Health({ model: { id, provider } }: { readonly model: CardView }) {
  const providers = useResource<ListPage<ProviderView>>("/providers?all=true");
  const health = providers.data?.data
    .find(({ name }) => name === provider)
    ?.models.find((one) => one.id === id);
  return (
    <Card
      title="Health"
      actions={<a href={makeHref(`/settings/providers/${encodeURIComponent(provider)}`)}>{provider}</a>}
    >
      {!health || (health.error_rate === null && health.open_for === null) ? (
        <p class="faint">No recent calls.</p>
      ) : (
        <div class="stack">
          <PausedPayers of={health} />
          <Vitals
            rows={[
              ["State", <Badge {...describeBreaker(health)} hasDot />],
              ["Recent errors", health.error_rate === null ? "–" : formatPercent(health.error_rate)],
              ["First token", health.first_token_ms ? formatDuration(health.first_token_ms.p50) : "–"],
              ["In progress", health.in_flight],
            ]}
          />
        </div>
      )}
    </Card>
  );
}

/** Reads the models of an alias's target. A policy chooses by itself. */
function listTargets({ target }: AliasView): readonly string[] {
  if (typeof target === "string") return [target];
  return "selector" in target ? [] : target.map(({ model }) => model);
}

/** The other names that lead to the model, and where its requests go if it fails. */
function Routes({ model: { id, fallbacks } }: { readonly model: CardView }) {
  const aliases = usePages<AliasView>("/aliases").data ?? [];
  const names = aliases.filter((alias) => listTargets(alias).includes(id)).map(({ name }) => name);
  return (
    <Card title="Names and fallbacks">
      <Facts
        rows={[
          ["Aliases", names.length === 0 ? "none" : names.join(", ")],
          [
            "If it fails",
            fallbacks.length === 0
              ? "no other model answers"
              : fallbacks.map((other) => (
                  <div key={other}>
                    <a href={makeHref(`/models/${encodeURIComponent(other)}`)}>{other}</a>
                  </div>
                )),
          ],
        ]}
      />
    </Card>
  );
}

const WEEK_DAYS = 7;

interface PriceRow {
  readonly name: string;
  readonly rates: NonNullable<CardView["pricing"]>;
}

function listPrices({ pricing, later_pricing }: CardView): readonly PriceRow[] {
  if (!pricing) return [];
  const { tiers = [], hours = [], service = {} } = pricing;
  return [
    { name: tiers.length > 0 ? "Short prompts" : "Every request", rates: pricing },
    ...tiers.map((rates) => ({ name: `Prompts above ${formatTokens(rates.above_tokens)} tokens`, rates })),
    ...hours.map(({ days = [], from, to, input = pricing.input, output = pricing.output, ...rates }) => ({
      name: `${from} to ${to} UTC, ${days.length === WEEK_DAYS ? "every day" : days.join(" ")}`,
      rates: { ...rates, input, output },
    })),
    ...Object.entries(service).map(
      ([tier, { input = pricing.input, output = pricing.output, ...rates }]) => ({
        name: `Served as ${tier}`,
        rates: { ...rates, input, output },
      }),
    ),
    ...later_pricing.map(({ from, input = 0, output = 0, ...rates }) => ({
      name: `From ${formatDay(from)}`,
      rates: { ...rates, input, output },
    })),
  ];
}

const PRICES = [
  ["Input", "input"],
  ["Cached", "cached_input"],
  ["Cache write", "cache_write"],
  ["Output", "output"],
  ["Reasoning", "reasoning"],
] as const;

const PRICE_COLUMNS: readonly Column<PriceRow>[] = [
  makeHeadColumn("Applies to", ({ name }) => <span class="strong">{name}</span>),
  ...PRICES.map(([label, field]) =>
    makeNumberColumn<PriceRow>(label, ({ rates }) =>
      field === "input" || field === "output" ? formatRate(rates, field) : formatPrice(rates[field]),
    ),
  ),
];

const PIECES = /^per_/;

function Prices({ model }: { readonly model: CardView }) {
  const pieces = Object.entries(model.pricing ?? {}).filter(([name]) => PIECES.test(name));
  return (
    <Card title="Prices" note="In USD per million tokens" isFlush>
      {model.pricing === null ? (
        <p class="card-body faint">No price is known: requests can't be charged.</p>
      ) : (
        <Table label="Prices" columns={PRICE_COLUMNS} rows={listPrices(model)} keyOf={({ name }) => name} />
      )}
      {pieces.length > 0 && (
        <p class="card-body small">
          {pieces.map(([name, usd]) => `${formatPrice(Number(usd))} per ${nameUnit(name)}`).join(" · ")}
        </p>
      )}
    </Card>
  );
}
