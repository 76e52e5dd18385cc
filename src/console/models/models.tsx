// Models: the operator's aliases, and the catalogue with search, filters and sorting in the page.
import type { ListPage } from "../../admin/list.ts";
import type { CardView } from "../../admin/models/settings-schema.ts";
import { formatDay, formatEnd, formatPrice, formatRate, formatTokens } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref, route, setQuery } from "../frame/route.ts";
import { may } from "../frame/session.ts";
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
  type Sorting,
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

/** Sort keys. Unknown values come last in both directions. */
const SORTS: Readonly<Record<string, (model: CardView) => number | string | null>> = {
  name: ({ id }) => id.toLowerCase(),
  context: ({ context_window }) => context_window,
  input: ({ pricing }) => pricing?.input ?? null,
  output: ({ pricing }) => pricing?.output ?? null,
  released: ({ released }) => released,
};

export function ModelsPage() {
  const models = useResource<ListPage<CardView>>("/models", EVERY_MS);
  const { query } = route.value;
  return (
    <>
      <PageHead title="Models">Prices in USD per million tokens, as the providers list them.</PageHead>
      {may("settings.read") && <PriceAge />}
      <div class="stack">
        <div>
          <Loaded of={models}>
            {({ data }) => {
              const found = sortModels(data.filter(filterModels(data, query)), query);
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
                        key={query.toString()}
                        label="Models"
                        columns={COLUMNS}
                        rows={found}
                        keyOf={({ id }) => id}
                        sorting={readSorting(query)}
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

function sortModels(models: readonly CardView[], query: URLSearchParams): readonly CardView[] {
  const { by, isDown } = readOrder(query);
  const value = SORTS[by];
  if (!value) return [...models].sort((a, b) => Number(b.on) - Number(a.on));
  return [...models].sort((a, b) => {
    const x = value(a);
    const y = value(b);
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return (x < y ? -1 : x > y ? 1 : 0) * (isDown ? -1 : 1);
  });
}

function readOrder(query: URLSearchParams): { readonly by: string; readonly isDown: boolean } {
  const sort = query.get("sort") ?? "";
  return { by: sort.replace(/^-/, ""), isDown: sort.startsWith("-") };
}

/** A second click reverses the order, a third restores the default. */
function readSorting(query: URLSearchParams): Sorting {
  const { by, isDown } = readOrder(query);
  const next = (name: string) => (by !== name ? name : isDown ? null : `-${name}`);
  return { by, isDown, onSort: (name) => setQuery({ sort: next(name) }) };
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
        <a href={makeHref(`/models/${encodeURIComponent(model.id)}`)}>
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
      makeNumberColumn("Max output", ({ max_output_tokens }) => formatTokens(max_output_tokens)),
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
