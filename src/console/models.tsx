// Models: the catalogue, searched, filtered and sorted where it is shown.
import { useState } from "preact/hooks";
import type { Listed } from "../admin/list.ts";
import type { CardView } from "../admin/settings-schema.ts";
import { Aliases } from "./aliases.tsx";
import { day, price, tokens } from "./format.ts";
import { Check, Filter, SearchField } from "./parts/field.tsx";
import { Card, PageHead } from "./parts/page.tsx";
import { Badge, Empty, Loaded } from "./parts/states.tsx";
import { type Column, MoreRows, type Sorting, Table } from "./parts/table.tsx";
import { useResource } from "./resource.ts";
import { makeAddress, place, setFields } from "./route.ts";

const SHOWN = 50;
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
  { value: "0.5", label: "up to $0.50 answer" },
  { value: "2", label: "up to $2 answer" },
  { value: "10", label: "up to $10 answer" },
];
const CAPABILITIES = ["vision", "tools", "reasoning", "structured", "files", "audio"] as const;

/** Numbers by which to sort; what is not known comes last, whichever way. */
const SORTS: Readonly<Record<string, (model: CardView) => number | string | null>> = {
  name: ({ id }) => id.toLowerCase(),
  context: ({ context_window }) => context_window,
  input: ({ pricing }) => pricing?.input ?? null,
  output: ({ pricing }) => pricing?.output ?? null,
  released: ({ released }) => released,
};

export function ModelsPage() {
  const models = useResource<Listed<CardView>>("/models", EVERY_MS);
  const { query } = place.value;
  const [shown, setShown] = useState(SHOWN);
  const set = (fields: Readonly<Record<string, string | null>>) => {
    setFields(fields);
    setShown(SHOWN);
  };
  return (
    <>
      <PageHead title="Models">Prices in USD per million tokens, as the providers list them.</PageHead>
      <div class="stack">
        <div>
          <Loaded of={models}>
            {({ data }) => {
              const found = sorted(data.filter(matching(query)), query);
              return (
                <>
                  <Filters all={data} query={query} set={set} />
                  <p class="small faint summary" role="status">
                    {found.length} of {data.length} models
                  </p>
                  <Card isFlush>
                    {found.length === 0 ? (
                      <Empty icon="search" title="No model matches">
                        Take a filter away, or turn on more providers.
                      </Empty>
                    ) : (
                      <>
                        <Table
                          label="Models"
                          columns={COLUMNS}
                          rows={found.slice(0, shown)}
                          keyOf={({ id }) => id}
                          sorting={sortingOf(query, set)}
                        />
                        <MoreRows
                          shown={Math.min(shown, found.length)}
                          more={found.length > shown ? () => setShown(shown + 100) : null}
                        />
                      </>
                    )}
                  </Card>
                </>
              );
            }}
          </Loaded>
        </div>
        <Aliases />
      </div>
    </>
  );
}

function matching(query: URLSearchParams): (model: CardView) => boolean {
  const words = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const provider = query.get("provider");
  const needed = CAPABILITIES.filter((capability) => query.has(capability));
  const context = Number(query.get("context") ?? 0);
  const highest = query.get("price");
  return (model) =>
    words.every((word) => model.id.toLowerCase().includes(word)) &&
    (!provider || model.provider === provider) &&
    needed.every((capability) => hasCapability(model, capability)) &&
    (context === 0 || (model.context_window ?? 0) >= context) &&
    (!highest || (model.pricing !== null && model.pricing.output <= Number(highest))) &&
    (!query.has("on") || model.on);
}

/** Models that take tools without being forced to call one take tools too. */
function hasCapability({ capabilities }: CardView, capability: string): boolean {
  return capabilities.includes(capability) || (capability === "tools" && capabilities.includes("tools_auto"));
}

function sorted(models: readonly CardView[], query: URLSearchParams): readonly CardView[] {
  const { by, isDown } = orderOf(query);
  const value = SORTS[by];
  if (!value) return [...models].sort((a, b) => Number(b.on) - Number(a.on));
  return [...models].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return (x < y ? -1 : x > y ? 1 : 0) * (isDown ? -1 : 1);
  });
}

function orderOf(query: URLSearchParams): { readonly by: string; readonly isDown: boolean } {
  const sort = query.get("sort") ?? "";
  return { by: sort.replace(/^-/, ""), isDown: sort.startsWith("-") };
}

type Set = (fields: Readonly<Record<string, string | null>>) => void;

/** A second press turns the order round, a third gives the first order back. */
function sortingOf(query: URLSearchParams, set: Set): Sorting {
  const { by, isDown } = orderOf(query);
  const next = (name: string) => (by !== name ? name : isDown ? null : `-${name}`);
  return { by, isDown, onSort: (name) => set({ sort: next(name) }) };
}

interface FiltersProps {
  readonly all: readonly CardView[];
  readonly query: URLSearchParams;
  readonly set: Set;
}

function Filters({ all, query, set }: FiltersProps) {
  const providers = [...new Set(all.map(({ provider }) => provider))].sort();
  const options = [
    { value: "", label: "Every provider" },
    ...providers.map((name) => ({ value: name, label: name })),
  ];
  const fieldOf = (name: string) => query.get(name) ?? "";
  return (
    <>
      <div class="filters">
        <SearchField label="Search models" value={fieldOf("q")} onInput={(q) => set({ q })} />
        <Filter
          label="Provider"
          value={fieldOf("provider")}
          options={options}
          onChange={(provider) => set({ provider })}
        />
        <Filter
          label="Context"
          value={fieldOf("context")}
          options={CONTEXTS}
          onChange={(context) => set({ context })}
        />
        <Filter
          label="Price"
          value={fieldOf("price")}
          options={PRICES}
          onChange={(value) => set({ price: value })}
        />
      </div>
      <div class="row checks">
        <Check label="on" isOn={query.has("on")} onChange={(isOn) => set({ on: isOn ? "1" : null })} />
        {CAPABILITIES.map((capability) => (
          <Check
            key={capability}
            label={capability}
            isOn={query.has(capability)}
            onChange={(isOn) => set({ [capability]: isOn ? "1" : null })}
          />
        ))}
      </div>
    </>
  );
}

/** A chat model's capabilities; of another, what it is for. */
function listAbilities({ operations, capabilities }: CardView): readonly string[] {
  return [...(operations ?? []).filter((one) => one !== "chat"), ...capabilities];
}

const COLUMNS: readonly Column<CardView>[] = [
  {
    name: "name",
    label: "Model",
    isHead: true,
    canSort: true,
    cell: (model) => (
      <div>
        <div>
          <span class="faint">{model.provider}#</span>
          <span class="strong">{model.name}</span>
        </div>
        <div class="small faint">{listAbilities(model).join(" · ")}</div>
      </div>
    ),
  },
  {
    name: "context",
    label: "Context",
    isNumber: true,
    canSort: true,
    cell: ({ context_window }) => tokens(context_window),
  },
  {
    name: "longest",
    label: "Longest answer",
    isNumber: true,
    cell: ({ max_output_tokens }) => tokens(max_output_tokens),
  },
  {
    name: "input",
    label: "Prompt",
    isNumber: true,
    canSort: true,
    cell: ({ pricing }) => price(pricing?.input),
  },
  {
    name: "cached",
    label: "Cached",
    isNumber: true,
    cell: ({ pricing }) => <span class="faint">{price(pricing?.cached_input)}</span>,
  },
  {
    name: "output",
    label: "Answer",
    isNumber: true,
    canSort: true,
    cell: ({ pricing }) => price(pricing?.output),
  },
  {
    name: "released",
    label: "Released",
    canSort: true,
    cell: ({ released }) => <span class="nowrap">{released ? day(released) : "–"}</span>,
  },
  {
    name: "state",
    label: "State",
    cell: ({ id, on, off_because }) =>
      on ? (
        <a href={makeAddress("/playground", { model: id })}>
          <Badge tone="ok" hasDot>
            on
          </Badge>
        </a>
      ) : (
        <Badge>{off_because === "disabled" ? "disabled" : "provider off"}</Badge>
      ),
  },
];
