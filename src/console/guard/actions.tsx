// The actions of the guard's rules: their words and colours.
import type { GuardRuleView } from "../../admin/models/guard.ts";
import type { Option } from "../parts/button.tsx";
import { Badge, type Tone } from "../parts/states.tsx";

type RuleAction = GuardRuleView["action"];

/** The word for each action once it is done. */
export const DONE: Readonly<Record<RuleAction, string>> = {
  report: "reported",
  mask: "masked",
  swap: "swapped",
  refuse: "refused",
};

/** The milder, the fainter: a count has no colour. */
const TONES: Readonly<Partial<Record<string, Tone>>> = { swap: "accent", mask: "warn", refuse: "bad" };

export function ActionBadge({ action }: { readonly action: string }) {
  return <Badge text={action} tone={TONES[action]} />;
}

/** The first is what a rule does that doesn't say it. */
export const ACTION_OPTIONS: readonly Option<string>[] = [
  { value: "", label: "counts it (report)" },
  { value: "swap", label: "swaps it, and puts it back into the answer (swap)" },
  { value: "mask", label: "masks it (mask)" },
  { value: "refuse", label: "refuses the request or answer (refuse)" },
];
