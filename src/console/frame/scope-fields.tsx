// The filters of the log that have a field: each offers what is known, and finds others as one types.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ResultView } from "../../admin/log/search-result.ts";
import type { UsageSums } from "../../admin/log/usage.ts";
import { Button } from "../parts/button.tsx";
import { addChoice, type Choice, Combobox, unifyChoices } from "../parts/combobox.tsx";
import { Filters as FilterRow } from "../parts/filters.tsx";
import { withQuery } from "./api.ts";
import {
  type Models,
  type Names,
  namePerson,
  type People,
  SELECTORS,
  useFound,
  useModels,
  useNames,
  usePeople,
} from "./names.ts";
import { useResource } from "./resource.ts";
import { setQuery } from "./route.ts";
import { FILTERS, type Filters } from "./scope.ts";
import { may, type SessionPermission } from "./session.ts";

type FilterName = (typeof FILTERS)[number];

/** Everything that has a name. */
interface ScopeNames extends Names {
  readonly models: Models;
  readonly people: People;
}

interface FieldRow {
  readonly label: string;
  /** Missing if everybody has the field. */
  readonly needs?: SessionPermission;
  /** Lists what is offered before anything is typed. */
  readonly list: (names: ScopeNames) => readonly Choice[];
  readonly nameOf?: (names: ScopeNames, value: string) => string;
  /** Returns the search's type of what the list lacks. Undefined if it is whole. */
  readonly lacks?: (names: ScopeNames) => ResultView["type"] | undefined;
}

const FIELDS = {
  model: { label: "Model", list: ({ models }) => listModels(models) },
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
    needs: "accounts.read",
    list: ({ accounts }) => accounts.map(({ id, name }) => ({ value: id, label: name })),
    nameOf: (names, value) => names.account(value),
    lacks: ({ isWhole }) => (isWhole.accounts ? undefined : "account"),
  },
  provider: {
    label: "Provider",
    list: ({ models: { on } }) =>
      [...new Set(on.map(({ provider }) => provider))].map((name) => ({ value: name, label: name })),
  },
  member: {
    label: "Person",
    needs: "members.read",
    list: ({ people }) =>
      people.all.map((person) => ({ value: person.id, label: namePerson(person), note: person.email ?? "" })),
    nameOf: ({ people }, value) => people.nameOf(value),
    lacks: ({ people }) => (people.isWhole ? undefined : "person"),
  },
  tag: { label: "Tag", list: () => [] },
} as const satisfies Readonly<Partial<Record<FilterName, FieldRow>>>;
type ScopeFieldName = keyof typeof FIELDS;

/** The fields of what sums can be narrowed to. */
const SUM_FIELDS = [
  "model",
  "key_id",
  "member",
  "account_id",
  "provider",
] as const satisfies readonly ScopeFieldName[];
export const REQUEST_FIELDS = [...SUM_FIELDS, "tag"] as const satisfies readonly ScopeFieldName[];

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
  readonly fields?: readonly ScopeFieldName[];
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
  const own = fields.filter((name) => isShown(FIELDS[name]));
  const isField = (name: FilterName) => own.some((one) => one === name) || shown.includes(name);
  const others = FILTERS.filter((name) => !isField(name) && filters[name]);
  return (
    <FilterRow count={Object.keys(filters).length}>
      {own.map((name) => (
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

function isShown({ needs }: FieldRow): boolean {
  return needs === undefined || may(needs);
}

interface ScopeFieldProps {
  readonly name: ScopeFieldName;
  readonly value: string;
  readonly onText?: (text: string) => void;
}

function ScopeField({ name, value, onText }: ScopeFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const names = { ...useNames(), models: useModels(), people: usePeople(name === "member") };
  const { label, list, nameOf, lacks }: FieldRow = FIELDS[name];
  const found = useFound(lacks?.(names), typed);
  const tags = useTags(name === "tag" && typed !== null);
  const options = addChoice(
    unifyChoices([...list(names), ...tags, ...found]),
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
