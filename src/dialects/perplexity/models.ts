// Finds the Agent API's model or preset for a card. Those that replace Sonar search on every call, as Sonar did.

/** The body's `model` or `preset` (Perplexity, "Model and preset mapping: Sonar -> Agent API"). */
export interface ModelTraits {
  readonly selects: { readonly model: string } | { readonly preset: string };
  /** True if the search tool must be sent. Presets have their own. */
  readonly searches: boolean;
}

const sonar: ModelTraits = { selects: { model: "perplexity/sonar" }, searches: true };

function findPreset(name: string): ModelTraits {
  return { selects: { preset: name }, searches: false };
}

/** The vendor's equivalents for Sonar models that no longer have a slug of their own. */
const SONAR: ReadonlyMap<string, ModelTraits> = new Map([
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

/** Accepts Sonar's old names, preset names and slugs (`openai/gpt-6`). Other bare names are Perplexity's models. */
export function isServedBy(name: string): ModelTraits {
  const known = SONAR.get(name);
  if (known) return known;
  if (PRESETS.has(name)) return findPreset(name);
  if (name.includes("/")) return { selects: { model: name }, searches: false };
  return { selects: { model: `perplexity/${name}` }, searches: true };
}
