// The playground's operations that answer with text or scores: completion, embeddings, rerank, moderation,
// transcription.
import type { ComponentChildren } from "preact";
import { Facts } from "../parts/figures.tsx";
import { Badge, Meter, Notice } from "../parts/states.tsx";
import type { WithUsage } from "./ask.ts";
import { makePanel } from "./panel.tsx";

interface Completion extends WithUsage {
  readonly choices: readonly { readonly text: string }[];
}

/** Continues a text, or fills a gap in one. */
export const CompletionPanel = makePanel<Completion>({
  action: "Complete",
  tasks: { Complete: "/v1/completions" },
  first: { prompt: "def add(a, b):\n    return ", suffix: "", max_tokens: 64 },
  long: ["prompt", "suffix"],
  Show: ({ answer: { choices } }) =>
    choices.map(({ text }, at) => (
      <pre class="text" key={at}>
        {text}
      </pre>
    )),
});

interface Embeddings extends WithUsage {
  readonly data: readonly { readonly embedding: readonly number[] }[];
}

/** Compares the first two texts by their vectors. */
export const EmbeddingsPanel = makePanel<Embeddings>({
  action: "Compare",
  tasks: { Compare: "/v1/embeddings" },
  lists: ["input"],
  first: {
    input: ["The cat sleeps on the sofa.", "A kitten is napping on the couch."],
    encoding_format: "float",
  },
  hidden: ["encoding_format"],
  Show({ answer: { data } }) {
    const [one = [], other] = data.map(({ embedding }) => embedding);
    const dimensions = ["Dimensions", one.length] as const;
    if (other === undefined) return <Facts rows={[dimensions]} />;
    const cosine = computeCosine(one, other);
    const gauge = (
      <div class="gauge">
        <span class="tile-value">{cosine.toFixed(4)}</span>
        <Meter share={cosine} label={`Similarity ${cosine.toFixed(4)} of 1`} warns={false} />
      </div>
    );
    return <Facts rows={[["Cosine similarity", gauge], dimensions]} />;
  },
});

/** Returns −1 (opposite) to 1 (the same direction), or 0 if a vector is all zeros. */
function computeCosine(one: readonly number[], other: readonly number[]): number {
  const product = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  const lengths = Math.hypot(...one) * Math.hypot(...other);
  return lengths === 0 ? 0 : product / lengths;
}

interface RankedProps {
  readonly label: string;
  readonly rows: readonly (readonly [content: ComponentChildren, score: number])[];
}

/** A list with a score from 0 to 1 for each row. */
function Ranked({ label, rows }: RankedProps) {
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

type RankedText = Record<"relevance_score", number> & { readonly document: { readonly text: string } };

interface RankingAnswer extends WithUsage {
  readonly results: readonly RankedText[];
}

const DOCUMENTS = [
  "The giant panda is a bear that lives in the mountains of China.",
  "The Eiffel Tower stands in Paris.",
  "A red panda is no bear.",
];

/** Sorts documents by their relevance to a query. */
export const RerankPanel = makePanel<RankingAnswer>({
  action: "Rank",
  tasks: { Rank: "/v1/rerank" },
  first: { query: "What is a panda?", documents: DOCUMENTS, return_documents: true },
  hidden: ["return_documents"],
  Show: ({ answer: { results } }) => (
    <Ranked
      label="Documents, best first"
      rows={results.map(({ document, relevance_score: score }) => [document.text, score])}
    />
  ),
});

type ModerationVerdict = Record<"categories", Record<string, boolean>> &
  Record<"category_scores", Record<string, number>>;

interface ModerationAnswer extends WithUsage {
  readonly results: readonly ModerationVerdict[];
}

/** Shows a text's categories, the most likely first. */
export const ModerationPanel = makePanel<ModerationAnswer>({
  action: "Moderate",
  tasks: { Moderate: "/v1/moderations" },
  first: { input: "" },
  long: ["input"],
  Show({ answer: { results } }) {
    const { categories = {}, category_scores: scores = {} } = results[0] ?? {};
    const flagged = Object.keys(categories).filter((name) => categories[name]);
    const sorted = Object.entries(scores).sort(([, one], [, other]) => other - one);
    return (
      <>
        <Notice tone={flagged.length === 0 ? "ok" : "warn"}>
          {flagged.length === 0 ? "No category was flagged." : `Flagged: ${flagged.join(", ")}.`}
        </Notice>
        <Ranked
          label="Categories"
          rows={sorted.map(([name, score]) => [
            <>
              {name} {categories[name] && <Badge text="flagged" tone="warn" />}
            </>,
            score,
          ])}
        />
      </>
    );
  },
});

interface Transcript extends WithUsage {
  readonly text: string;
}

/** Turns an audio file into text. */
export const TranscriptionPanel = makePanel<Transcript>({
  action: "Transcribe",
  tasks: { Transcribe: "/v1/audio/transcriptions", "Translate into English": "/v1/audio/translations" },
  first: { language: "" },
  long: ["prompt"],
  accept: "audio/*,video/*",
  Show: ({ answer: { text } }) => <p class="text">{text}</p>,
});
