// Finds the model or preset of the Agent API that serves a card. Those that stand for Sonar search on every call, as it did.

/** The body's `model` or `preset` (Perplexity, "Model and preset mapping: Sonar -> Agent API"). */
export interface Served {
  readonly selects: { readonly model: string } | { readonly preset: string };
  /** True if the search tool must be sent for the model to search; presets have their own. */
  readonly searches: boolean;
}

const sonar: Served = { selects: { model: "perplexity/sonar" }, searches: true };

function findPreset(name: string): Served {
  return { selects: { preset: name }, searches: false };
}

/** The vendor's equivalents by behaviour of the Sonar models that have no slug of their own any more. */
const SONAR: ReadonlyMap<string, Served> = new Map([
  ["sonar", sonar],
  ["sonar-pro", findPreset("low")],
  ["sonar-reasoning", findPreset("low")],
  ["sonar-reasoning-pro", findPreset("low")],
  ["sonar-deep-research", findPreset("medium")],
]);

const PRESETS: ReadonlySet<string> = new Set([
  "fast",
  "low",
  "medium",
  "high",
  "xhigh",
  "wide-research",
  "fast-search",
  "pro-search",
  "deep-research",
  "advanced-deep-research",
]);

/** Sonar's old names, presets by name, slugs (`openai/gpt-6`) as they are; another bare name is a model of Perplexity's own. */
export function isServedBy(name: string): Served {
  const known = SONAR.get(name);
  if (known) return known;
  if (PRESETS.has(name)) return findPreset(name);
  if (name.includes("/")) return { selects: { model: name }, searches: false };
  return { selects: { model: `perplexity/${name}` }, searches: true };
}
