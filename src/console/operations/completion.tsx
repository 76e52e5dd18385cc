// Legacy completions in the playground: text that goes on, or that fills a gap.
import { useState } from "preact/hooks";
import { AreaField, TextField } from "../parts/field.tsx";
import type { Counted } from "./ask.ts";
import { Panel, type PanelProps } from "./panel.tsx";

interface Answer extends Counted {
  readonly choices: readonly { readonly text: string }[];
}

export function CompletionPanel({ model }: PanelProps) {
  const [prompt, setPrompt] = useState("def add(a, b):\n    return ");
  const [suffix, setSuffix] = useState("");
  const [tokens, setTokens] = useState("64");
  const longest = Number(tokens);
  const isWrong = !Number.isInteger(longest) || longest < 1;
  return (
    <Panel
      path="/v1/completions"
      fields={{ model, prompt, suffix, max_tokens: longest }}
      action="Complete"
      isReady={prompt !== "" && !isWrong}
      show={({ choices: [first] }: Answer) => <pre class="text">{first?.text}</pre>}
    >
      <AreaField label="Prompt" rows={5} value={prompt} onInput={setPrompt} />
      <div class="two">
        <AreaField
          label="Suffix"
          hint="What comes after the gap, for models that fill one"
          rows={2}
          value={suffix}
          onInput={setSuffix}
        />
        <TextField
          label="Longest answer"
          type="number"
          min={1}
          step={1}
          value={tokens}
          onInput={setTokens}
          hint="Tokens"
          error={isWrong ? "A whole number, 1 or more" : null}
        />
      </div>
    </Panel>
  );
}
