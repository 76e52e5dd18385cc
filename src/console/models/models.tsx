// Models: the operator's aliases, and the catalogue with search, filters and sorting in the page.
import type { ListPage } from "../../admin/list.ts";
import type { CardView } from "../../admin/models/settings-schema.ts";
import { MODEL_VALUES, type SortOf, sortRows } from "../../core/things/sorts.ts";
import { formatDay, formatEnd, formatPrice, formatRate, formatTokens } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref, route, setQuery } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { useChosenOrder } from "../lists/chosen-order.ts";
import { Check, SearchField } from "../parts/field.tsx";
import { Card, PageHead, QueryFilter } from "../parts/page.tsx";
import { Badge, Empty, Loaded } from "../parts/states.tsx";
import {
  type Column,
  GrowingTable,
  giveWay,
  leaveOutNarrow,
  makeColumn,
  makeHeadColumn,
  makeNumberColumn,
} from "../parts/table.tsx";
import { Aliases } from "./aliases.tsx";
import { MissingModels } from "./missing.tsx";
import { describeOff } from "./model-state.ts";
import { PriceAge } from "./price-age.tsx";
import { Retiring } from "./retiring.tsx";

const SHOWN = { first: 50, step: 100 };
const EVERY_MS = 15_000;
const CONTEXTS = [
  { value: "", label: "Any context" },
  { value: "32000", label: "32K or more" },
  { value: "128000", label: "128K or more" },
  { value: "200000", label: "200K or more" },
  { value: "1000000", label: "1M or more" },
];
const PRICES = [
  { value: "", label: "Any price" },
  { value: "0.5", label: "up to $0.50 output" },
  { value: "2", label: "up to $2 output" },
  { value: "10", label: "up to $10 output" },
];
const CAPABILITIES = ["vision", "tools", "reasoning", "structured", "files", "audio"] as const;

export function ModelsPage() {
  const models = useResource<ListPage<CardView>>("/models", EVERY_MS);
  const { query } = route.value;
  const { sorting, order } = useChosenOrder("models");
  return (
    <>
      <PageHead title="Models">Prices in USD per million tokens, as the providers list them.</PageHead>
      {may("settings.read") && <PriceAge />}
      <div class="stack">
        <div>
          <Loaded of={models}>
            {({ data }) => {
              const found = sortModels(data.filter(filterModels(data, query)), order);
              return (
                <>
                  <Filters all={data} query={query} />
                  <p class="small faint summary" role="status">
                    {found.length} of {data.length} models
                  </p>
                  <Card isFlush>
                    {found.length === 0 ? (
                      <Empty icon="search" title="No matching models">
                        Remove a filter, or show those that aren't enabled, too.
                      </Empty>
                    ) : (
                      <GrowingTable
                        key={`${query} ${order?.by} ${order?.isDown}`}
                        label="Models"
                        columns={COLUMNS}
                        rows={found}
                        keyOf={({ id }) => id}
                        sorting={sorting}
                        {...SHOWN}
                      />
                    )}
                  </Card>
                </>
              );
            }}
          </Loaded>
        </div>
        {models.data && may("requests.read") && <MissingModels />}
        {models.data && <Aliases />}
        {models.data && <Retiring />}
      </div>
    </>
  );
}

function filterModels(all: readonly CardView[], query: URLSearchParams): (model: CardView) => boolean {
  const words = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const provider = query.get("provider");
  const needed = CAPABILITIES.filter((capability) => query.has(capability));
  const context = Number(query.get("context") ?? 0);
  const highest = query.get("price");
  const isAll = query.has("all") || !all.some(({ on }) => on);
  return (model) =>
    words.every((word) => model.id.toLowerCase().includes(word)) &&
    (!provider || model.provider === provider) &&
    needed.every((capability) => hasCapability(model, capability)) &&
    (context === 0 || (model.context_window ?? 0) >= context) &&
    (!highest || (model.pricing !== null && model.pricing.output <= Number(highest))) &&
    (isAll || model.on);
}

/** `tools_auto` counts as tools: the model calls tools but can't be forced to. */
function hasCapability({ capabilities }: CardView, capability: string): boolean {
  return capabilities.includes(capability) || (capability === "tools" && capabilities.includes("tools_auto"));
}

/** Those that are enabled come first, unless an order was chosen. */
function sortModels(
  models: readonly CardView[],
  order: Parameters<typeof sortRows<SortOf<"models">, CardView>>[2] | null,
): readonly CardView[] {
  if (order !== null) return sortRows(models, MODEL_VALUES, order);
  return models.toSorted((one, other) => Number(other.on) - Number(one.on));
}

function Filters({ all, query }: { readonly all: readonly CardView[]; readonly query: URLSearchParams }) {
  const providers = [...new Set(all.map(({ provider }) => provider))].sort();
  const options = [
    { value: "", label: "Any provider" },
    ...providers.map((name) => ({ value: name, label: name })),
  ];
  return (
    <>
      <div class="row filters">
        <SearchField
          label="Search models"
          value={query.get("q") ?? ""}
          onInput={(q) => setQuery({ q }, { isTyping: true })}
        />
        <QueryFilter name="provider" label="Provider" options={options} />
        <QueryFilter name="context" label="Context" options={CONTEXTS} />
        <QueryFilter name="price" label="Price" options={PRICES} />
      </div>
      <div class="row checks">
        {["all", ...CAPABILITIES].map((name) => (
          <Check
            key={name}
            label={name === "all" ? "Not enabled, too" : name.replace(/^./, (first) => first.toUpperCase())}
            isOn={query.has(name)}
            onChange={(isOn) => setQuery({ [name]: isOn ? "1" : null })}
          />
        ))}
      </div>
    </>
  );
}

/** Returns a model's operations other than chat, and its capabilities. */
function listAbilities({ operations, capabilities }: CardView): readonly string[] {
  return [...(operations ?? []).filter((one) => one !== "chat"), ...capabilities];
}

const COLUMNS: readonly Column<CardView>[] = [
  makeHeadColumn(
    "Model",
    (model) => (
      <div class="beside yields">
        <a
          class="clip name model-name"
          href={makeHref(`/models/${encodeURIComponent(model.id)}`)}
          title={model.id}
        >
          <span class="faint">{model.provider}#</span>
          <span class="strong">{model.name}</span>
        </a>
        <div class="small faint" title={listAbilities(model).join(" · ")}>
          {listAbilities(model).join(" · ")}
        </div>
        {model.shutdown && <div class="small whole">{formatEnd(model.shutdown)}</div>}
      </div>
    ),
    "name",
  ),
  leaveOutNarrow(
    makeNumberColumn("Context", ({ context_window }) => formatTokens(context_window), "context"),
  ),
  giveWay(
    3,
    leaveOutNarrow(
      makeNumberColumn(
        "Max output",
        ({ max_output_tokens }) => formatTokens(max_output_tokens),
        "max_output",
      ),
    ),
  ),
  makeNumberColumn("Input", ({ pricing }) => formatRate(pricing, "input"), "input"),
  leaveOutNarrow(
    makeNumberColumn("Cached", ({ pricing }) => (
      <span class="faint">{formatPrice(pricing?.cached_input)}</span>
    )),
  ),
  makeNumberColumn("Output", ({ pricing }) => formatRate(pricing, "output"), "output"),
  giveWay(
    2,
    leaveOutNarrow(
      makeColumn(
        "Released",
        ({ released }) => <span class="nowrap">{released ? formatDay(released) : "–"}</span>,
        "released",
      ),
    ),
  ),
  makeColumn("State", ({ id, on, off_because }) =>
    on ? <Enabled id={id} /> : <Badge text={describeOff(off_because)} />,
  ),
];

/** Leads to the playground those who may use it. */
function Enabled({ id }: { readonly id: string }) {
  const word = <span class="soft">enabled</span>;
  return may("playground.own") ? <a href={makeHref("/playground", { model: id })}>{word}</a> : word;
}
