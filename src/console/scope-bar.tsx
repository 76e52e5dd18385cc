// The controls of what a page shows of the log: the period, and the filters that it has fields for or came with.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { formatFullTime } from "./format.ts";
import { type Models, type Names, SELECTORS, useModels, useNames } from "./names.ts";
import { Button, Segments } from "./parts/button.tsx";
import { type Choice, Combobox } from "./parts/combobox.tsx";
import { FormDialog } from "./parts/dialog.tsx";
import { TextField } from "./parts/field.tsx";
import { PERIODS, type Period } from "./period.ts";
import { setQuery } from "./route.ts";
import { FILTERS, type Filters, type LogScope } from "./scope.ts";
import { may } from "./session.ts";
import { useForm } from "./task.ts";

const ANY_TIME = { value: "any", label: "Any time" } as const;

interface PeriodPickerProps {
  readonly scope: Pick<LogScope, "range" | "period">;
  /** True if the page can show the log without a bound in time. */
  readonly hasAny?: boolean;
}

export function PeriodPicker({ scope: { range, period }, hasAny = false }: PeriodPickerProps) {
  const [isOpen, setOpen] = useState(false);
  const isUnbounded = period.from === undefined && period.to === undefined;
  const value = range ?? (isUnbounded ? ANY_TIME.value : "custom");
  const options = [...(hasAny ? [ANY_TIME] : []), ...PERIODS, { value: "custom", label: "Custom…" } as const];
  const choose = (name: (typeof options)[number]["value"]) => {
    if (name === "custom") setOpen(true);
    else setQuery({ range: name === "any" ? null : name, from: null, to: null });
  };
  return (
    <>
      <Segments label="Period" options={options} value={value} onChange={choose} />
      {isOpen && <CustomPeriod period={period} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Returns the value of a field for local time. */
function toLocal(instant: string | undefined): string {
  if (!instant) return "";
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function toInstant(local: string): string | null {
  return local === "" ? null : new Date(local).toISOString();
}

interface CustomPeriodProps {
  readonly period: Period;
  readonly onClose: () => void;
}

function CustomPeriod({ period, onClose }: CustomPeriodProps) {
  const form = useForm(
    () => ({ from: toLocal(period.from), to: toLocal(period.to) }),
    async ({ from, to }) => {
      if (from !== "" && to !== "" && from >= to) throw new Error("The period ends before it begins.");
      setQuery({ range: null, from: toInstant(from), to: toInstant(to) });
      onClose();
    },
  );
  return (
    <FormDialog title="Period" action="Show" form={form} onClose={onClose}>
      <div class="two">
        <TextField label="From" type="moment" {...form.field("from")} />
        <TextField label="Until before" type="moment" {...form.field("to")} />
      </div>
    </FormDialog>
  );
}

/** Names a period that the address gives by its moments, and takes it back. */
export function CustomChip({ scope: { range, period } }: Pick<PeriodPickerProps, "scope">) {
  const { from, to } = period;
  if (range !== null || (!from && !to)) return null;
  const text = [from && `from ${formatFullTime(from)}`, to && `until ${formatFullTime(to)}`]
    .filter(Boolean)
    .join(" ");
  return <RemovableFilter what={text} onRemove={() => setQuery({ from: null, to: null })} />;
}

type FilterName = (typeof FILTERS)[number];

function listModels({ on }: Models): readonly Choice[] {
  return [
    ...SELECTORS.map(({ id, what }) => ({ value: id, label: id, note: what })),
    ...on.map(({ id }) => ({ value: id, label: id })),
  ];
}

/** The filters with a field: its label, and what it offers. */
const FIELDS = {
  key_id: {
    label: "Key",
    list: ({ keys }: Names): readonly Choice[] => [
      ...keys.map(({ id, name, last4 }) => ({ value: id, label: name, note: `…${last4}` })),
      { value: "console", label: "Playground" },
    ],
  },
  account_id: {
    label: "Account",
    list: ({ accounts }: Names): readonly Choice[] =>
      accounts.map(({ id, name }) => ({ value: id, label: name })),
  },
  provider: {
    label: "Provider",
    list: (_: Names, { on }: Models): readonly Choice[] =>
      [...new Set(on.map(({ provider }) => provider))].map((name) => ({ value: name, label: name })),
  },
  model: { label: "Model", list: (_: Names, models: Models): readonly Choice[] => listModels(models) },
} as const;
type FieldName = keyof typeof FIELDS;
const FIELD_NAMES = ["model", "key_id", "account_id", "provider"] as const satisfies readonly FieldName[];

interface ScopeFiltersProps {
  readonly filters: Filters;
  /** Further fields of the page. */
  readonly children?: ComponentChildren;
  /** The page's other fields, whose filters need no chip. */
  readonly shown?: readonly FilterName[];
  /** Called with a part of a model's name. Missing if the page only takes whole names. */
  readonly onText?: (text: string) => void;
}

export function ScopeFilters({ filters, children, shown = [], onText }: ScopeFiltersProps) {
  const names = useNames();
  const models = useModels();
  const nameOf = (name: FilterName, value: string) => `${name.replace(/_id$/, "")} ${value}`;
  const isField = (name: FilterName) => FIELD_NAMES.some((one) => one === name) || shown.includes(name);
  const others = FILTERS.filter((name) => !isField(name) && filters[name]);
  return (
    <div class="row filters">
      {FIELD_NAMES.filter((name) => name !== "account_id" || may("accounts.read")).map((name) => {
        const { label, list } = FIELDS[name];
        const value = filters[name] ?? "";
        const text = name === "model" && onText ? { onText } : {};
        const options = withChosen(list(names, models), value);
        const choose = (chosen: string) => setQuery({ [name]: chosen || null });
        return <Combobox key={name} {...{ label, value, options, ...text }} isClearable onChoose={choose} />;
      })}
      {children}
      {others.map((name) => (
        <RemovableFilter
          key={name}
          what={nameOf(name, filters[name] ?? "")}
          onRemove={() => setQuery({ [name]: null })}
        />
      ))}
    </div>
  );
}

/** The lists have only the latest names, so the chosen one may be missing. */
function withChosen(options: readonly Choice[], value: string): readonly Choice[] {
  const isThere = value === "" || options.some((option) => option.value === value);
  return isThere ? options : [{ value, label: value }, ...options];
}

interface RemovableProps {
  readonly what: string;
  readonly onRemove: () => void;
}

function RemovableFilter({ what, onRemove }: RemovableProps) {
  return <Button label={what} icon="close" about="(remove this filter)" onClick={onRemove} />;
}
