// The controls of the period that a page shows.
import { useState } from "preact/hooks";
import { Segments } from "../parts/button.tsx";
import { FormDialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { formatFullTime } from "./format.ts";
import { toLocalMinute } from "./local-time.ts";
import { PERIODS, type Period } from "./period.ts";
import { setQuery } from "./route.ts";
import type { LogScope } from "./scope.ts";
import { RemovableFilter } from "./scope-fields.tsx";
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

function showMoment(instant: string | undefined): string {
  return instant ? toLocalMinute(instant) : "";
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
    () => ({ from: showMoment(period.from), to: showMoment(period.to) }),
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
