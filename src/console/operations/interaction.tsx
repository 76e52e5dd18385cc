// The playground's interaction: one request in Google's form, whose answer is shown step by step.
import { Code } from "../parts/button.tsx";
import { Notice } from "../parts/states.tsx";
import type { WithUsage } from "./ask.ts";
import { makePanel } from "./panel.tsx";

interface InteractionText {
  readonly text?: string;
}

interface InteractionStep {
  readonly type: string;
  readonly content?: readonly InteractionText[];
  readonly summary?: readonly InteractionText[];
}

interface Interaction extends WithUsage {
  readonly status: string;
  readonly steps: readonly InteractionStep[];
}

export const InteractionPanel = makePanel<Interaction>({
  action: "Send",
  tasks: { Send: "/v1/interactions" },
  first: { input: "", store: false },
  long: ["input", "system_instruction"],
  hidden: ["store"],
  Show: ({ answer: { status, steps } }) => (
    <>
      {status === "completed" || <Notice tone="warn">{`The status is ${status}.`}</Notice>}
      {steps.map((step, at) => (
        <StepView step={step} key={at} />
      ))}
    </>
  ),
});

/** An output's text, a thought's summary, and any other step as it came. */
function StepView({ step }: { readonly step: InteractionStep }) {
  const texts = (step.type === "thought" ? step.summary : step.content) ?? [];
  const text = texts.map((one) => one.text ?? "").join("");
  if (step.type === "model_output") return <pre class="text">{text}</pre>;
  if (step.type === "thought") return text === "" ? null : <p class="small faint">{text}</p>;
  return <Code text={JSON.stringify(step, null, 2)} />;
}
