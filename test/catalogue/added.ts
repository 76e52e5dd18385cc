// Models that the lists of the catalogue lack: the same model at another host, at its maker's price or a multiple of it.
// From LiteLLM 1.110.2 (PyPI, read on 2026-11-26), which names the vendors' own price pages.

interface Added {
  readonly id: string;
  /** The card of the same model, whose limits, capabilities and price it has. */
  readonly like: string;
  /** A region's part of the price. 1 if missing. */
  readonly factor?: number;
  readonly dialects?: readonly string[];
}

const REGION = 1.1;

/** AWS, "Amazon Bedrock pricing": a region's profiles cost a tenth more than global ones. */
function onBedrock(name: string, regions: readonly string[]): readonly Added[] {
  const like = `Anthropic#${name}`;
  return [
    { id: `Bedrock#global.anthropic.${name}`, like },
    ...regions.map((region) => ({ id: `Bedrock#${region}.anthropic.${name}`, like, factor: REGION })),
  ];
}

const EVERYWHERE = ["us", "eu", "au", "jp", "apac"];
const NEW_CLAUDE = [
  "claude-opus-5-5",
  "claude-sonnet-5-5",
  "claude-haiku-5-5",
  "claude-fable-5-1",
  "claude-fable-5-2",
];
const NEW_GPT = [
  "gpt-5.6-sol",
  "gpt-5.6-terra",
  "gpt-5.6-luna",
  "gpt-6-astra",
  "gpt-6-sol",
  "gpt-6-luna",
  "gpt-6.1-sol",
  "gpt-6.1-terra",
  "gpt-6.2-sol",
  "gpt-6.2-astra",
];
const NEW_GEMINI = [
  "gemini-3.5-flash-lite",
  "gemini-3.7-flash",
  "gemini-3.8-flash",
  "gemini-4-argon",
  "gemini-4-hydrogen",
  "gemini-4-carbon",
  "gemini-4-neon",
];
/** OpenRouter's names of the newest models, as collected in models.dev (in @earendil-works/pi-ai 1.6.0, npm, read on 2026-11-28). */
const ON_OPEN_ROUTER: Readonly<Record<string, string>> = {
  "anthropic/claude-fable-5.2": "Anthropic#claude-fable-5-2",
  "openai/gpt-6.2-sol": "OpenAI#gpt-6.2-sol",
  "openai/gpt-6.2-astra": "OpenAI#gpt-6.2-astra",
  "google/gemini-4-carbon": "Google#gemini-4-carbon",
  "google/gemini-4-neon": "Google#gemini-4-neon",
};

export const ADDED: readonly Added[] = [
  ...NEW_CLAUDE.flatMap((name) => onBedrock(name, name.includes("fable") ? ["us", "eu"] : EVERYWHERE)),
  ...NEW_CLAUDE.map((name) => ({
    id: `Vertex#${name}@default`,
    like: `Anthropic#${name}`,
    dialects: ["anthropic"],
  })),
  ...[...NEW_CLAUDE, "claude-opus-5", "claude-opus-4-7"].map((name) => ({
    id: `Azure#${name}`,
    like: `Anthropic#${name}`,
    dialects: ["anthropic"],
  })),
  { id: "Vertex#claude-opus-5@default", like: "Anthropic#claude-opus-5", dialects: ["anthropic"] },
  { id: "Vertex#claude-fable-5@default", like: "Anthropic#claude-fable-5", dialects: ["anthropic"] },
  ...NEW_GPT.map((name) => ({ id: `Azure#${name}`, like: `OpenAI#${name}`, dialects: ["openai"] })),
  ...NEW_GEMINI.map((name) => ({ id: `Vertex#${name}`, like: `Google#${name}`, dialects: ["gemini"] })),
  ...Object.entries(ON_OPEN_ROUTER).map(([name, like]) => ({ id: `OpenRouter#${name}`, like })),
  // OpenAI: the name of the family is that of its largest model. DeepSeek: v4-flash is another name of it.
  { id: "OpenAI#gpt-5.6", like: "OpenAI#gpt-5.6-sol" },
  { id: "DeepSeek#deepseek-flash", like: "DeepSeek#deepseek-v4-flash" },
];

/**
 * The prices of services, as multiples of the usual rates: OpenAI, "Pricing" (priority, flex) and its model pages, Anthropic,
 * "Fast mode", and Google, "Gemini Developer API pricing", as collected there or read on 2026-11-28. All rates of a model have
 * the same multiple. A row with a first day replaces the earlier multiple from then on.
 */
export const SERVICES: readonly {
  readonly ids: RegExp;
  readonly service: Readonly<Record<string, number>>;
  readonly from?: string;
}[] = [
  { ids: /^OpenAI#(gpt-4\.1|o3$)/, service: { priority: 1.75 } },
  { ids: /^OpenAI#gpt-4o(-2024|$)/, service: { priority: 1.7 } },
  { ids: /^OpenAI#gpt-5-mini$/, service: { priority: 1.8 } },
  { ids: /^OpenAI#gpt-(5(\.[1234])?|5\.4-mini|5\.3-codex|5\.6-.*|5\.6|6.*)$/, service: { priority: 2 } },
  { ids: /^OpenAI#gpt-5\.5$/, service: { priority: 2.5 } },
  {
    ids: /^OpenAI#(gpt-5(-mini|-nano)?|gpt-5\.[1245]|gpt-5\.4-(mini|nano|pro)|gpt-5\.5-pro|gpt-5\.6.*|gpt-6(?!\.2).*|o3)$/,
    service: { flex: 0.5 },
  },
  { ids: /^OpenAI#gpt-6(-astra|\.1-sol)$/, service: { ultrafast: 6 } },
  { ids: /^OpenAI#gpt-6\.2-/, service: { ultrafast: 3 } },
  { ids: /^OpenAI#gpt-6\.2-/, from: "2027-03-01", service: { ultrafast: 6 } },
  { ids: /^Anthropic#claude-opus-(4-8|5|5-5)$/, service: { fast: 2 } },
  { ids: /^(Google|Vertex)#gemini-4-neon$/, service: { priority: 1.8, flex: 0.5 } },
];
