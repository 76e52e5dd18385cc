// Embeddings in the playground: two texts, and how near their vectors are.
import { Meter } from "../parts/states.tsx";
import type { Counted } from "./ask.ts";
import { makePanel } from "./panel.tsx";

interface Answer extends Counted {
  readonly data: readonly { readonly embedding: readonly number[] }[];
}

export const EmbeddingsPanel = makePanel<Answer>({
  action: "Compare",
  rows: [
    { name: "first", label: "First text", rows: 3, first: "The cat sleeps on the sofa." },
    { name: "second", label: "Second text", rows: 3, first: "A kitten is napping on the couch." },
  ],
  ask: ({ model, first, second }) => ({
    path: "/v1/embeddings",
    fields: { model, input: [first, second], encoding_format: "float" },
  }),
  Show({ answer: { data } }) {
    const [one = [], other = []] = data.map(({ embedding }) => embedding);
    const cosine = computeCosine(one, other);
    return (
      <dl class="facts">
        <dt>Cosine similarity</dt>
        <dd class="gauge">
          <span class="tile-value">{cosine.toFixed(4)}</span>
          <Meter share={cosine} label={`Similarity ${cosine.toFixed(4)} of 1`} warns={false} />
        </dd>
        <dt>Dimensions</dt>
        <dd>{one.length}</dd>
      </dl>
    );
  },
});

/** From −1 (opposite) to 1 (the same direction); 0 where a vector has no length. */
function computeCosine(one: readonly number[], other: readonly number[]): number {
  const product = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  const lengths = Math.hypot(...one) * Math.hypot(...other);
  return lengths === 0 ? 0 : product / lengths;
}
