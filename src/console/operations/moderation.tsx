// Moderation in the playground: the categories of a text, the likeliest first.
import { useState } from "preact/hooks";
import { AreaField } from "../parts/field.tsx";
import { Badge, Meter, Notice } from "../parts/states.tsx";
import type { Counted } from "./ask.ts";
import { Panel, type PanelProps } from "./panel.tsx";

interface Verdict {
  readonly categories: Readonly<Record<string, boolean>>;
  readonly scores: Readonly<Record<string, number>>;
}

interface Answer extends Counted {
  readonly results: readonly (Pick<Verdict, "categories"> & Record<"category_scores", Verdict["scores"]>)[];
}

export function ModerationPanel({ model }: PanelProps) {
  const [input, setInput] = useState("");
  return (
    <Panel
      path="/v1/moderations"
      fields={{ model, input }}
      action="Judge"
      isReady={input.trim() !== ""}
      show={({ results: [first] }: Answer) =>
        first && <Categories categories={first.categories} scores={first.category_scores} />
      }
    >
      <AreaField label="Text" value={input} onInput={setInput} />
    </Panel>
  );
}

function Categories({ categories, scores }: Verdict) {
  const flagged = Object.keys(categories).filter((name) => categories[name]);
  const sorted = Object.entries(scores).sort(([, one], [, other]) => other - one);
  return (
    <>
      <Notice tone={flagged.length === 0 ? "ok" : "warn"}>
        {flagged.length === 0 ? "No category is flagged." : `Flagged: ${flagged.join(", ")}.`}
      </Notice>
      <ul class="ranked" aria-label="Categories">
        {sorted.map(([name, score]) => (
          <li key={name}>
            <span>
              {name} {categories[name] && <Badge tone="warn">flagged</Badge>}
            </span>
            <span class="row tight">
              <Meter share={score} label={`Score ${score.toFixed(3)}`} warns={false} />
              {score.toFixed(3)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
