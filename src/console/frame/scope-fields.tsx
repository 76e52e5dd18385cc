// The filters of the log that have a field: each offers what is known, and finds others as one types.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ResultView } from "../../admin/log/search-result.ts";
import type { UsageSums } from "../../admin/log/usage.ts";
import { Button } from "../parts/button.tsx";
import { addChoice, type Choice, Combobox, unifyChoices } from "../parts/combobox.tsx";
import { Filters as FilterRow } from "../parts/filters.tsx";
import { withQuery } from "./api.ts";
import { type Models, type Names, SELECTORS, useFound, useModels, useNames } from "./names.ts";
import { useResource } from "./resource.ts";
import { setQuery } from "./route.ts";
import { FILTERS, type Filters } from "./scope.ts";
import { may } from "./session.ts";

type FilterName = (typeof FILTERS)[number];

interface FieldRow {
  readonly label: string;
  /** Lists what is offered before anything is typed. */
  readonly list: (names: Names, models: Models) => readonly Choice[];
  readonly nameOf?: (names: Names, value: string) => string;
  /** Returns the search's type of what the list lacks. Undefined if it is whole. */
  readonly lacks?: (names: Names) => ResultView["type"] | undefined;
}

const FIELDS = {
  model: { label: "Model", list: (_, models) => listModels(models) },
  key_id: {
    label: "Key",
    list: ({ keys }) => [
      ...keys.map(({ id, name, last4 }) => ({ value: id, label: name, note: `…${last4}` })),
      { value: "console", label: "Playground" },
    ],
    nameOf: (names, value) => names.key(value),
    lacks: ({ isWhole }) => (isWhole.keys ? undefined : "key"),
  },
  account_id: {
    label: "Account",
    list: ({ accounts }) => accounts.map(({ id, name }) => ({ value: id, label: name })),
    nameOf: (names, value) => names.account(value),
    lacks: ({ isWhole }) => (isWhole.accounts ? undefined : "account"),
  },
  provider: {
    label: "Provider",
    list: (_, { on }) =>
      [...new Set(on.map(({ provider }) => provider))].map((name) => ({ value: name, label: name })),
  },
  tag: { label: "Tag", list: () => [] },
} as const satisfies Readonly<Partial<Record<FilterName, FieldRow>>>;
type FieldName = keyof typeof FIELDS;

/** The fields of what sums can be narrowed to. */
const SUM_FIELDS = ["model", "key_id", "account_id", "provider"] as const satisfies readonly FieldName[];
export const REQUEST_FIELDS = [...SUM_FIELDS, "tag"] as const satisfies readonly FieldName[];

function listModels({ on }: Models): readonly Choice[] {
  return [
    ...SELECTORS.map(({ id, what }) => ({ value: id, label: id, note: what })),
    ...on.map(({ id }) => ({ value: id, label: id })),
  ];
}

interface ScopeFiltersProps {
  readonly filters: Filters;
  /** Further fields of the page. */
  readonly children?: ComponentChildren;
  /** The page's other fields, whose filters need no chip. */
  readonly shown?: readonly FilterName[];
  /** Missing if the page has those of sums. */
  readonly fields?: readonly FieldName[];
  /** Called with a part of a model's name. Missing if the page only takes whole names. */
  readonly onText?: (text: string) => void;
}

export function ScopeFilters({
  filters,
  children,
  shown = [],
  fields = SUM_FIELDS,
  onText,
}: ScopeFiltersProps) {
  const isField = (name: FilterName) => fields.some((one) => one === name) || shown.includes(name);
  const others = FILTERS.filter((name) => !isField(name) && filters[name]);
  return (
    <FilterRow count={Object.keys(filters).length}>
      {fields
        .filter((name) => name !== "account_id" || may("accounts.read"))
        .map((name) => (
          <ScopeField
            key={name}
            name={name}
            value={filters[name] ?? ""}
            {...(name === "model" && onText ? { onText } : {})}
          />
        ))}
      {children}
      {others.map((name) => (
        <RemovableFilter
          key={name}
          what={`${name.replace(/_id$/, "")} ${filters[name]}`}
          onRemove={() => setQuery({ [name]: null })}
        />
      ))}
    </FilterRow>
  );
}

interface ScopeFieldProps {
  readonly name: FieldName;
  readonly value: string;
  readonly onText?: (text: string) => void;
}

function ScopeField({ name, value, onText }: ScopeFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const names = useNames();
  const models = useModels();
  const { label, list, nameOf, lacks }: FieldRow = FIELDS[name];
  const found = useFound(lacks?.(names), typed);
  const tags = useTags(name === "tag" && typed !== null);
  const options = addChoice(
    unifyChoices([...list(names, models), ...tags, ...found]),
    value,
    nameOf?.(names, value) ?? value,
  );
  return (
    <Combobox
      {...{ label, value, options, ...(onText ? { onText } : {}) }}
      isClearable
      onType={setTyped}
      onChoose={(chosen) => setQuery({ [name]: chosen || null })}
    />
  );
}

/** The row of tags beyond the day's first ones, by which no request is found. */
export const OTHER_TAGS = "other";

/** Reads the tags of the last 30 days once they are wanted. */
function useTags(isWanted: boolean): readonly Choice[] {
  const path = isWanted && may("usage.read") ? withQuery("/usage", { group_by: "tag" }) : null;
  const { data } = useResource<UsageSums>(path);
  const tags = data?.data.flatMap(({ tag }) => (tag && tag !== OTHER_TAGS ? [tag] : [])) ?? [];
  return tags.toSorted().map((tag) => ({ value: tag, label: tag }));
}

interface RemovableProps {
  readonly what: string;
  readonly onRemove: () => void;
}

export function RemovableFilter({ what, onRemove }: RemovableProps) {
  return <Button label={what} icon="close" about="(remove this filter)" onClick={onRemove} />;
}
