// The efforts that xAI's models accept, by name, on both of its interfaces.
import type { ReasoningEffort } from "../../operations/chat/form.ts";

interface GrokEfforts {
  readonly names: RegExp;
  /** Empty for a model that answers any effort with 400. */
  readonly efforts: readonly ReasoningEffort[];
  /** With the month of the latest report. */
  readonly source: string;
  /** True for a row of models that may not exist yet. */
  readonly isGuess?: true;
}

const LOW_TO_HIGH = ["low", "medium", "high"] as const;
const LOW_TO_XHIGH = [...LOW_TO_HIGH, "xhigh"] as const;

/** The first match counts. Names that xAI has retired are those of the models to which they lead now. */
export const GROK_EFFORTS: readonly GrokEfforts[] = [
  {
    names: /^grok-\S*non-reasoning|^grok-2/,
    efforts: [],
    source: "LinguaGacha, issue 771, August 2026",
  },
  {
    names: /^grok-3-mini/,
    efforts: ["low", "high"],
    source: "docs.x.ai, Reasoning; hermes-agent, pull request 23435, a live table, May 2026",
  },
  { names: /^grok-3/, efforts: [], source: "hermes-agent, pull request 23435, May 2026" },
  {
    // The number of agents.
    names: /^grok-4\.20-multi-agent/,
    efforts: LOW_TO_XHIGH,
    source: "docs.x.ai, Reasoning; big-AGI, issue 1104, May 2026",
  },
  {
    names: /^grok-4\.20/,
    efforts: [],
    source: "grok2api, issue 814, July 2026; hermes-agent, pull request 23435, May 2026",
  },
  {
    names: /^grok-(build|code|composer)/,
    efforts: [],
    source: "pi, issue 8381, August 2026; CLIProxyAPI, pull request 3968, live calls, June 2026",
  },
  {
    names: /^grok-4(\.3|-|$)/,
    efforts: ["none", ...LOW_TO_HIGH],
    source: "docs.x.ai, Reasoning; CLIProxyAPI, pull request 3968, for grok-4, June 2026",
  },
  {
    names: /^grok-4\.5/,
    efforts: LOW_TO_HIGH,
    source: "docs.x.ai, Reasoning; llmgateway, pull request 3669, live calls, August 2026",
  },
  {
    names: /^grok-4\.[67]/,
    efforts: LOW_TO_XHIGH,
    source:
      "docs.x.ai, Reasoning; llmgateway, pull request 3669, live calls, August 2026; models.dev, November 2026",
  },
  { names: /^grok-/, efforts: LOW_TO_XHIGH, source: "as those of grok-4.7", isGuess: true },
];

export function findGrokEfforts(name: string): GrokEfforts | undefined {
  return GROK_EFFORTS.find(({ names }) => names.test(name));
}
