// Rerank in the playground: documents in the order in which they answer a query.
import type { Counted } from "./ask.ts";
import { makePanel } from "./panel.tsx";
import { Ranked } from "./ranked.tsx";

type Result = Record<"relevance_score", number> & { readonly document: { readonly text: string } };

interface Answer extends Counted {
  readonly results: readonly Result[];
}

const DOCUMENTS = [
  "The giant panda is a bear that lives in the mountains of China.",
  "The Eiffel Tower stands in Paris.",
  "A red panda is no bear.",
].join("\n");

export const RerankPanel = makePanel<Answer>({
  action: "Rank",
  rows: [
    { name: "query", label: "Query", first: "What is a panda?" },
    { name: "documents", label: "Documents", hint: "One on each line", rows: 6, first: DOCUMENTS },
  ],
  ask({ model, query, documents }) {
    const texts = String(documents).split("\n");
    const given = texts.filter((text) => text.trim() !== "");
    return { path: "/v1/rerank", fields: { model, query, documents: given, return_documents: true } };
  },
  Show: ({ answer: { results } }) => (
    <Ranked
      label="Documents, the best first"
      rows={results.map(({ document, relevance_score: score }) => [document.text, score])}
    />
  ),
});
