// The control for budgets: a row each, with its amount, its window, its models and when it warns.
import { PERIOD_OPTIONS, readPeriod } from "../../core/fields/budget-text.ts";
import type { WireBudget } from "../../core/fields/field.ts";

import { Button } from "./button.tsx";
import { type LabelProps, SelectField, TextField } from "./field.tsx";
import { ModelsField } from "./models-field.tsx";

/** A row of the form: what is typed, and what the form doesn't show of the budget. */
interface BudgetRow {
  readonly usd: string;
  readonly per: WireBudget["per"];
  readonly models: readonly string[];
  readonly warn: string;
  readonly rest: Pick<WireBudget, "hard" | "extra_usd" | "extra_until">;
}

const DEFAULT = "default";
const WARN_OPTIONS = [
  { value: "", label: "no warning" },
  { value: "50", label: "at 50 %" },
  { value: "80", label: "at 80 %" },
  { value: "90", label: "at 90 %" },
  { value: "80 100", label: "at 80 and 100 %" },
];
const NEW: BudgetRow = { usd: "", per: "month", models: [], warn: "80", rest: {} };

/** Returns the form's text for budgets: `default`, or rows as JSON. */
export function writeBudgets(budgets: readonly WireBudget[] | null | "default" | undefined): string {
  if (budgets === DEFAULT) return DEFAULT;
  return JSON.stringify((budgets ?? []).map(toRow));
}

function toRow({ usd, per, models, warn = [], hard, extra_usd, extra_until }: WireBudget): BudgetRow {
  const rest = {
    ...(hard === undefined ? {} : { hard }),
    ...(extra_usd === undefined ? {} : { extra_usd }),
    ...(extra_until === undefined ? {} : { extra_until }),
  };
  const shares = warn.map((share) => String(Math.round(share * 100))).join(" ");
  return { usd: usd?.toString() ?? "", per, models: models ?? [], warn: shares, rest };
}

export function readBudgets(text: string): readonly WireBudget[] | "default" {
  if (text === DEFAULT) return DEFAULT;
  return parseRows(text).map(({ usd, per, models, warn, rest }) => ({
    ...rest,
    usd: Number(usd),
    per,
    ...(models.length > 0 ? { models } : {}),
    ...(warn === "" ? {} : { warn: warn.split(" ").map((share) => Number(share) / 100) }),
  }));
}

function parseRows(text: string): readonly BudgetRow[] {
  const rows: readonly BudgetRow[] = text === DEFAULT || text === "" ? [] : JSON.parse(text);
  return rows;
}

interface BudgetsFieldProps extends LabelProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** True if those of the configuration may apply instead. */
  readonly hasDefault: boolean;
}

export function BudgetsField({ label, hint, error, value, onInput, hasDefault }: BudgetsFieldProps) {
  const rows = parseRows(value);
  const set = (next: readonly BudgetRow[]) => onInput(JSON.stringify(next));
  const change = (at: number, part: Partial<BudgetRow>) =>
    set(rows.map((row, index) => (index === at ? { ...row, ...part } : row)));
  return (
    <fieldset class="rows-field">
      <legend>{label}</legend>
      {rows.map((row, at) => (
        <Row
          key={at}
          row={row}
          number={at + 1}
          onChange={(part) => change(at, part)}
          onRemove={() => set(rows.filter((_, index) => index !== at))}
        />
      ))}
      {rows.length === 0 && (
        <p class="small faint">
          {value === DEFAULT ? "The gateway's default budgets apply." : "Nothing bounds what it costs."}
        </p>
      )}
      <div class="row tight">
        <Button label="Add a budget" isTiny icon="plus" onClick={() => set([...rows, NEW])} />
        {hasDefault && value !== DEFAULT && (
          <Button label="Use the default" isTiny kind="quiet" onClick={() => onInput(DEFAULT)} />
        )}
        {value === DEFAULT && <Button label="No budget" isTiny kind="quiet" onClick={() => set([])} />}
      </div>
      {error ? (
        <span class="field-error" role="alert">
          {error}
        </span>
      ) : (
        hint && <span class="small faint">{hint}</span>
      )}
    </fieldset>
  );
}

interface BudgetRowProps {
  readonly row: BudgetRow;
  readonly number: number;
  readonly onChange: (part: Partial<BudgetRow>) => void;
  readonly onRemove: () => void;
}

function Row({ row, number, onChange, onRemove }: BudgetRowProps) {
  const { usd, per, models, warn } = row;
  const isKnown = WARN_OPTIONS.some(({ value }) => value === warn);
  const shares = isKnown ? WARN_OPTIONS : [...WARN_OPTIONS, { value: warn, label: `at ${warn} %` }];
  return (
    <div class="rows-field-row">
      <div class="budget-line">
        <TextField
          label="USD"
          type="amount"
          isRequired
          value={usd}
          onInput={(typed) => onChange({ usd: typed })}
        />
        <SelectField
          label="Each"
          options={PERIOD_OPTIONS}
          value={per}
          onInput={(chosen) => onChange({ per: readPeriod(chosen, per) })}
        />
        <SelectField
          label="Warn"
          options={shares}
          value={warn}
          onInput={(chosen) => onChange({ warn: chosen })}
        />
        <Button
          label="Remove"
          about={`budget ${number}`}
          kind="quiet"
          icon="trash"
          isIconOnly
          onClick={onRemove}
        />
      </div>
      <ModelsField
        label="Only for"
        placeholder="All models. Limit it to some: gpt, OpenAI#*"
        chosen={models}
        onChange={(chosen) => onChange({ models: chosen })}
      />
    </div>
  );
}
