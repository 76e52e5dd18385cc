// Lists of labelled figures and facts, and the line under a playground answer.
import type { ComponentChildren } from "preact";
import { formatDuration } from "../frame/format.ts";

/** A label and the content beside or under it. */
export type Fact = readonly [label: string, value: ComponentChildren];

interface FactsProps {
  readonly rows: readonly Fact[];
}

export function Facts({ rows }: FactsProps) {
  return (
    <dl class="facts">
      {rows.flatMap(([label, value]) => [
        <dt key={`${label} name`} class="faint">
          {label}
        </dt>,
        <dd key={label}>{value}</dd>,
      ])}
    </dl>
  );
}

/** Shows figures side by side. */
export function Vitals({ rows }: FactsProps) {
  return (
    <dl class="vitals">
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt class="small faint">{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface FiguresProps {
  /** The model that answered. */
  readonly model: string | null;
  readonly totalMs: number;
  /** In display order. Null if unknown. */
  readonly parts: readonly (string | null)[];
}

export function Figures({ model, totalMs, parts }: FiguresProps) {
  return (
    <p class="small faint">
      {model && <span class="strong">{model}</span>}{" "}
      {[...parts, `${formatDuration(totalMs)} in total`].filter(Boolean).join(" · ")}
    </p>
  );
}
