// Moderation in the playground: the categories of a text, the likeliest first.
import { Badge, Notice } from "../parts/states.tsx";
import type { Counted } from "./ask.ts";
import { makePanel } from "./panel.tsx";
import { Ranked } from "./ranked.tsx";

type Result = Record<"categories", Record<string, boolean>> &
  Record<"category_scores", Record<string, number>>;

interface Answer extends Counted {
  readonly results: readonly Result[];
}

export const ModerationPanel = makePanel<Answer>({
  action: "Judge",
  rows: [{ name: "input", label: "Text", rows: 3 }],
  ask: (fields) => ({ path: "/v1/moderations", fields }),
  Show({ answer: { results } }) {
    const { categories = {}, category_scores: scores = {} } = results[0] ?? {};
    const flagged = Object.keys(categories).filter((name) => categories[name]);
    const sorted = Object.entries(scores).sort(([, one], [, other]) => other - one);
    return (
      <>
        <Notice tone={flagged.length === 0 ? "ok" : "warn"}>
          {flagged.length === 0 ? "No category is flagged." : `Flagged: ${flagged.join(", ")}.`}
        </Notice>
        <Ranked
          label="Categories"
          rows={sorted.map(([name, score]) => [
            <>
              {name} {categories[name] && <Badge tone="warn">flagged</Badge>}
            </>,
            score,
          ])}
        />
      </>
    );
  },
});
