// The line under an answer of the playground: the model that gave it, what it took and what it cost.
import { span } from "../format.ts";

interface FiguresProps {
  readonly model: string | null;
  readonly totalMs: number;
  /** In the order in which they are shown; null: not known. */
  readonly parts: readonly (string | null)[];
}

export function Figures({ model, totalMs, parts }: FiguresProps) {
  return (
    <p class="figures">
      {model && <span class="strong">{model}</span>}{" "}
      {[...parts, `${span(totalMs)} in all`].filter(Boolean).join(" · ")}
    </p>
  );
}
