// Embeddings in the playground: two texts, and how near their vectors are.
import { useState } from "preact/hooks";
import { AreaField } from "../parts/field.tsx";
import { Meter } from "../parts/states.tsx";
import type { Counted } from "./ask.ts";
import { Panel, type PanelProps } from "./panel.tsx";

interface Answer extends Counted {
  readonly data: readonly { readonly embedding: readonly number[] }[];
}

export function EmbeddingsPanel({ model }: PanelProps) {
  const [first, setFirst] = useState("The cat sleeps on the sofa.");
  const [second, setSecond] = useState("A kitten is napping on the couch.");
  return (
    <Panel
      path="/v1/embeddings"
      fields={{ model, input: [first, second], encoding_format: "float" }}
      action="Compare"
      isReady={first.trim() !== "" && second.trim() !== ""}
      show={({ data: [one, other] }: Answer) =>
        one && other && <Similarity one={one.embedding} other={other.embedding} />
      }
    >
      <div class="two">
        <AreaField label="First text" value={first} onInput={setFirst} />
        <AreaField label="Second text" value={second} onInput={setSecond} />
      </div>
    </Panel>
  );
}

interface SimilarityProps {
  readonly one: readonly number[];
  readonly other: readonly number[];
}

function Similarity({ one, other }: SimilarityProps) {
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
}

/** From −1 (opposite) to 1 (the same direction); 0 where a vector has no length. */
export function computeCosine(one: readonly number[], other: readonly number[]): number {
  const product = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  const lengths = Math.hypot(...one) * Math.hypot(...other);
  return lengths === 0 ? 0 : product / lengths;
}
