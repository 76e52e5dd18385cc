// A list with a score from 0 to 1 for each row.
import type { ComponentChildren } from "preact";
import { Meter } from "../parts/states.tsx";

interface RankedProps {
  readonly label: string;
  readonly rows: readonly (readonly [content: ComponentChildren, score: number])[];
}

export function Ranked({ label, rows }: RankedProps) {
  return (
    <ol class="ranked" aria-label={label}>
      {rows.map(([content, score], at) => (
        <li key={at}>
          <span>{content}</span>
          <span class="row tight">
            <Meter share={score} label={`Score ${score.toFixed(3)}`} warns={false} />
            {score.toFixed(3)}
          </span>
        </li>
      ))}
    </ol>
  );
}
