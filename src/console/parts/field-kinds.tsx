// The form's control for each kind of field that an operator can set. A form keeps one text for each field.
import type { ComponentType } from "preact";
import type { AliasView } from "../../admin/models/aliases.ts";
import { parseCacheText, writeCacheText } from "../../core/fields/cache-text.ts";
import type { ControlWords, Field, KindName, Wire } from "../../core/fields/field.ts";
import { parseModelLimit, writeModelLimit } from "../../core/fields/model-limit-text.ts";
import { formatTags, parseTags } from "../../core/fields/tags-text.ts";
import { nowMs } from "../browser.ts";
import { DAY_MS } from "../frame/format.ts";
import { toDayEnd, toLocalDay } from "../frame/local-time.ts";
import { usePages } from "../frame/resource.ts";
import { AccountField } from "../money/account-field.tsx";
import { BudgetsField, readBudgets, writeBudgets } from "./budgets-field.tsx";
import { readTools, ToolsField, writeTools } from "./chips/tools-field.tsx";
import { SelectField, TextField } from "./field.tsx";
import { EXPIRY_OPTIONS, LIMIT_OPTIONS } from "./field-options.ts";
import { ModelsField } from "./models-field.tsx";

interface ControlProps<Name extends KindName> extends ControlWords {
  readonly field: Field<Name>;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly error: string | null;
}

interface ControlRenderer<Name extends KindName> {
  readonly Control: ComponentType<ControlProps<Name>>;
  /** True if it shares a line with its neighbours. */
  readonly isNarrow?: true;
  /** Returns the form's text for a value that an answer showed. Undefined if the entity is new. */
  readonly toText: (wire: Wire<Name> | undefined, field: Field<Name>) => string;
  /** Returns the value for a request. Undefined if it is to be left as it is. */
  readonly toWire: (
    text: string,
    before: Wire<Name> | undefined,
    field: Field<Name>,
  ) => Wire<Name> | undefined;
}

export const RENDERERS: { readonly [Name in KindName]: ControlRenderer<Name> } = {
  name: {
    Control: ({ field: _, ...shown }) => <TextField {...shown} isRequired isFocused />,
    toText: (name = "") => name,
    toWire: (text) => text.trim(),
  },
  text: {
    Control: ({ field, ...shown }) => <TextField {...shown} rows={field.isMultiline ? 2 : undefined} />,
    toText: (text) => text ?? "",
    toWire: (text) => text,
  },
  account: {
    Control: ({ field: _, ...shown }) => <AccountField {...shown} />,
    isNarrow: true,
    toText: (id, { initial = "" }) => id ?? initial,
    toWire: (text) => text,
  },
  expiry: {
    Control: ExpiryControl,
    isNarrow: true,
    toText: (moment) => (moment ? joinChoice("date", toLocalDay(moment)) : ""),
    toWire: readExpiry,
  },
  patterns: {
    Control: PatternsControl,
    toText: joinWords,
    toWire: readList,
  },
  tool_patterns: {
    Control: ({ field, ...shown }) => <ToolsField {...shown} defaultLabel={field.defaultLabel} />,
    toText: writeTools,
    toWire: readTools,
  },
  addresses: {
    Control: ({ field: _, ...shown }) => <TextField {...shown} />,
    toText: joinWords,
    toWire: readList,
  },
  usd: {
    Control: ({ field: _, ...shown }) => <TextField {...shown} type="amount" />,
    isNarrow: true,
    toText: (amount) => amount?.toString() ?? "",
    toWire: (text) => (text === "" ? null : Number(text)),
  },
  count_or_default: {
    Control: ({ field, ...shown }) => <LimitControl {...shown} ownLabel={field.countLabel} type="count" />,
    isNarrow: true,
    toText: writeLimit,
    toWire: readLimit,
  },
  usd_or_default: {
    Control: ({ field, ...shown }) => <LimitControl {...shown} ownLabel={field.amountLabel} type="amount" />,
    isNarrow: true,
    toText: writeLimit,
    toWire: readLimit,
  },
  time_zone: {
    Control: ({ field: _, ...shown }) => <TextField {...shown} />,
    isNarrow: true,
    toText: (zone) => zone ?? "",
    toWire: (text) => text.trim() || null,
  },
  budgets: {
    Control: ({ field: { hasDefault }, placeholder: _, hint: _hint, ...shown }) => (
      <BudgetsField {...shown} hasDefault={hasDefault} />
    ),
    toText: (budgets, { hasDefault }) =>
      writeBudgets(budgets === undefined && hasDefault ? "default" : budgets),
    toWire: (text) => readBudgets(text),
  },
  model_limits: {
    Control: ({ field: _, ...shown }) => <TextField {...shown} rows={2} />,
    toText: (limits = "default") =>
      limits === "default" ? limits : (limits ?? []).map(writeModelLimit).join("\n"),
    toWire: readModelLimits,
  },
  member_defaults: {
    // No form shows it: it has no control.
    Control: () => null,
    toText: () => "",
    toWire: () => undefined,
  },
  weight: {
    Control: ({ field: _, ...shown }) => <TextField {...shown} type="amount" />,
    toText: (weight, { initial }) => String(weight ?? initial ?? ""),
    toWire: Number,
  },
  limit: {
    Control: ({ field, ...shown }) => <TextField {...shown} type="number" min={field.min} step={1} />,
    toText: (limit) => limit?.toString() ?? "",
    toWire: (text) => (text.trim() === "" ? null : Number(text)),
  },
  role: {
    Control: ({ field, ...shown }) => (
      <SelectField {...shown} options={field.options.map((role) => ({ value: role, label: role }))} />
    ),
    isNarrow: true,
    toText: (role, { options }) => role ?? options[0] ?? "",
    toWire: (text, before, { options }) => options.find((role) => role === text) ?? before,
  },
  accounts: {
    // A name may contain spaces, and commas too.
    Control: ({ field: _, ...shown }) => <TextField {...shown} rows={3} />,
    toText: (names) => names?.join("\n") ?? "",
    toWire: (text) => {
      const names = text.split("\n").map((name) => name.trim());
      return names.some((name) => name !== "") ? names.filter((name) => name !== "") : null;
    },
  },
  cache: {
    Control: ({ field: _, ...shown }) => <TextField {...shown} placeholder="1h" />,
    isNarrow: true,
    toText: (setting) => (setting ? writeCacheText(setting) : ""),
    toWire: (text) => (text.trim() === "" ? null : parseCacheText(text)),
  },
  tags: {
    Control: ({ field: _, ...shown }) => <TextField {...shown} />,
    toText: (tags) => (tags ? formatTags(tags).replaceAll(",", ", ") : ""),
    // The gateway refuses a text that can't be read.
    toWire: (text) => (text.trim() === "" ? null : (parseTags(text) ?? { [text]: "" })),
  },
  hooks: {
    Control: ({ field: _, ...shown }) => <TextField {...shown} />,
    toText: joinWords,
    toWire: readList,
  },
  flag: {
    Control: FlagControl,
    isNarrow: true,
    toText: (isOn, { initial = false }) => ((isOn ?? initial) ? "yes" : "no"),
    toWire: (text) => text === "yes",
  },
};

/** Returns a control's choice, and what was typed beside it. */
function splitChoice(value: string): readonly [choice: string, typed: string] {
  const [choice = "", typed = ""] = value.split(":");
  return [choice, typed];
}

function joinChoice(choice: string, typed: string): string {
  return `${choice}:${typed}`;
}

/** A key may also name aliases, but none that stands for many names. */
function PatternsControl({ field: _, value, onInput, ...shown }: ControlProps<"patterns">) {
  const aliases = usePages<AliasView>("/aliases").data ?? [];
  const names = aliases.map(({ name }) => name).filter((name) => !/[*,]/.test(name));
  return (
    <ModelsField
      {...shown}
      others={names}
      chosen={splitWords(value)}
      onChange={(patterns) => onInput(patterns.join(" "))}
    />
  );
}

function ExpiryControl({ field: _, label, value, onInput, error }: ControlProps<"expiry">) {
  const [choice, date] = splitChoice(value);
  const isDate = choice === "date";
  return (
    <>
      <SelectField
        label={label}
        options={EXPIRY_OPTIONS}
        value={choice}
        onInput={(chosen) => onInput(joinChoice(chosen, date))}
        error={isDate ? null : error}
      />
      {isDate && (
        <TextField
          label="Expiry date"
          type="date"
          isRequired
          value={date}
          onInput={(typed) => onInput(joinChoice(choice, typed))}
          error={error}
        />
      )}
    </>
  );
}

/** Leaves an expiry on the same day as it is, since the form doesn't show its time. */
function readExpiry(text: string, before: Wire<"expiry"> | undefined): string | null | undefined {
  const moment = computeExpiry(text);
  return before && moment && toLocalDay(moment) === toLocalDay(before) ? undefined : moment;
}

function computeExpiry(text: string): string | null {
  const [choice, date] = splitChoice(text);
  if (choice === "") return null;
  if (choice === "date") return date === "" ? null : toDayEnd(date);
  return new Date(nowMs() + Number(choice) * DAY_MS).toISOString();
}

interface LimitProps extends Omit<ControlProps<"count_or_default">, "field"> {
  /** The label of the operator's own number. */
  readonly ownLabel: string;
  readonly type: "count" | "amount";
}

function LimitControl({ label, ownLabel, type, value, onInput, error }: LimitProps) {
  const [choice, number] = splitChoice(value);
  const isOwn = choice === "own";
  return (
    <>
      <SelectField
        label={label}
        options={LIMIT_OPTIONS}
        value={choice}
        onInput={(chosen) => onInput(joinChoice(chosen, number))}
        error={isOwn ? null : error}
      />
      {isOwn && (
        <TextField
          label={ownLabel}
          type={type}
          isRequired
          value={number}
          onInput={(typed) => onInput(joinChoice(choice, typed))}
          error={error}
        />
      )}
    </>
  );
}

function writeLimit(limit: Wire<"count_or_default"> = "default"): string {
  return typeof limit === "number" ? joinChoice("own", String(limit)) : (limit ?? "unlimited");
}

function readLimit(text: string): Wire<"count_or_default"> {
  const [choice, number] = splitChoice(text);
  if (choice === "own") return Number(number);
  return choice === "unlimited" ? null : "default";
}

/** A line that isn't a limit is sent for the gateway to refuse. */
function readModelLimits(text: string): Wire<"model_limits"> {
  if (text.trim() === "default") return "default";
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => parseModelLimit(line) ?? { models: [line.trim()] });
}

function FlagControl({ field, ...shown }: ControlProps<"flag">) {
  const { yes, no } = field.options ?? { yes: "Yes", no: "No" };
  const options = [
    { value: "yes", label: yes },
    { value: "no", label: no },
  ];
  return <SelectField {...shown} options={options} />;
}

function splitWords(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}

function joinWords(words: readonly string[] | null | undefined): string {
  return words?.join(" ") ?? "";
}

function readList(text: string): readonly string[] | null {
  const words = splitWords(text);
  return words.length === 0 ? null : words;
}
