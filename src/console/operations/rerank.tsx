// Rerank in the playground: documents in the order in which they answer a query.
import { useState } from "preact/hooks";
import { AreaField, TextField } from "../parts/field.tsx";
import { Meter } from "../parts/states.tsx";
import type { Counted } from "./ask.ts";
import { Panel, type PanelProps } from "./panel.tsx";

interface Answer extends Counted {
  readonly results: readonly (Record<"index" | "relevance_score", number> & {
    readonly document: { readonly text: string };
  })[];
}

const DOCUMENTS = [
  "The giant panda is a bear that lives in the mountains of China.",
  "The Eiffel Tower stands in Paris.",
  "A red panda is no bear.",
];

export function RerankPanel({ model }: PanelProps) {
  const [query, setQuery] = useState("What is a panda?");
  const [text, setText] = useState(DOCUMENTS.join("\n"));
  const documents = text.split("\n").filter((line) => line.trim() !== "");
  return (
    <Panel
      path="/v1/rerank"
      fields={{ model, query, documents, return_documents: true }}
      action="Rank"
      isReady={query.trim() !== "" && documents.length > 0}
      show={({ results }: Answer) => (
        <ol class="ranked">
          {results.map(({ index, relevance_score: score, document }) => (
            <li key={index}>
              <span>{document.text}</span>
              <span class="row tight">
                <Meter share={score} label={`Score ${score.toFixed(3)}`} warns={false} />
                {score.toFixed(3)}
              </span>
            </li>
          ))}
        </ol>
      )}
    >
      <TextField label="Query" value={query} onInput={setQuery} />
      <AreaField label="Documents" hint="One on each line" rows={6} value={text} onInput={setText} />
    </Panel>
  );
}
