// Legacy completions in the playground: text that goes on, or that fills a gap.
import type { Counted } from "./ask.ts";
import { makePanel } from "./panel.tsx";

interface Answer extends Counted {
  readonly choices: readonly { readonly text: string }[];
}

export const CompletionPanel = makePanel<Answer>({
  action: "Complete",
  rows: [
    { name: "prompt", label: "Prompt", rows: 5, first: "def add(a, b):\n    return " },
    { name: "suffix", label: "Suffix", hint: "The text behind the gap", rows: 2, isOptional: true },
    { name: "tokens", label: "Longest answer, in tokens", first: "64", options: ["16", "64", "256", "1024"] },
  ],
  ask: ({ tokens, ...fields }) => ({
    path: "/v1/completions",
    fields: { ...fields, max_tokens: Number(tokens) },
  }),
  Show: ({ answer: { choices } }) => <pre class="text">{choices[0]?.text}</pre>,
});
