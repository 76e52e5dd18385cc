// Names of models on OpenRouter, wherever they stand in a file: as aliases that go on working.

import { stripProvider } from "../catalogue/catalogue.ts";
import { loadShippedCards } from "../catalogue/rows.ts";
import { dashName } from "../catalogue/spellings.ts";
import type { PlannedConfig } from "./plan.ts";
import type { Report } from "./report.ts";
import { nameKeyVariable } from "./servers.ts";

/** OpenRouter's names of vendors, with the vendor's own API here. */
const VENDORS: Readonly<Record<string, string>> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  google: "Google",
  mistralai: "Mistral",
  deepseek: "DeepSeek",
  "x-ai": "xAI",
  cohere: "Cohere",
  perplexity: "Perplexity",
  moonshotai: "Moonshot",
  qwen: "Qwen",
  "z-ai": "ZAI",
};
/** A name in any text, but in no path or address. Some clients put `openrouter/` in front, and send the rest. */
const NAME =
  /(?<![\w./@#:-])(?:openrouter\/)?(~?([a-z0-9-]{2,40})\/([a-z0-9][\w.-]{0,100}\w)(:(?:free|nitro|floor|online|exacto|extended|thinking|beta))?)(?![\w/-]|[.:]\w)/g;
/** Only OpenRouter has these: free hosts, a search of the web, thinking by the name, and its names of latest models. */
const ONLY_THERE = /^~|:(?:free|online|thinking)$/;
const FILE = /\.[a-z]{1,5}$/i;
const AUTO = "openrouter/auto";

/** OpenRouter stays as a provider: for models that no vendor serves here, and if a vendor fails. */
export function readOpenRouter(text: string, report: Report): PlannedConfig {
  const aliases = new Map<string, string | null>();
  const models = new Map<string, object>();
  const providers = new Map<string, object>();
  for (const { name, line, ...parts } of listNames(text)) {
    if (aliases.has(name)) continue;
    const found = name === AUTO ? { id: "Router#best", vendor: null } : findModel(name, parts);
    if (found === null) continue;
    const { id, vendor } = found;
    const isId = id.replace("#", "/").toLowerCase() === name.toLowerCase();
    aliases.set(name, isId ? null : id);
    report.take(line, name, id);
    if (vendor === null) continue;
    providers.set(vendor.provider, {});
    models.set(id, { fallbacks: [`OpenRouter#${vendor.name}`] });
  }
  if (aliases.size === 0) report.leave(null, "models", "the file has no name like openai/gpt-5.4");
  for (const provider of [...providers.keys(), "OpenRouter"])
    report.need(nameKeyVariable(provider, undefined), `the key of ${provider}`);
  providers.set("OpenRouter", { unlisted_models: true });
  return {
    providers: Object.fromEntries(providers),
    models: Object.fromEntries(models),
    // A name that is an id already needs none.
    aliases: Object.fromEntries(
      [...aliases].flatMap(([name, id]) => (id === null ? [] : [[name, id] as const])),
    ),
  };
}

interface FoundModel {
  readonly id: string;
  /** Null if only OpenRouter serves it. */
  readonly vendor: { readonly provider: string; readonly name: string } | null;
}

/** Returns null for a text that is no name of a model. */
function findModel(text: string, { vendor, model: name, hasVariant }: ModelNameParts): FoundModel | null {
  const isKnown = vendor in VENDORS || KNOWN_OTHERS.has(vendor);
  if (!(hasVariant || isKnown) || FILE.test(text)) return null;
  const provider = VENDORS[vendor];
  const card = loadShippedCards().find(
    (one) =>
      one.provider === provider &&
      dashName(stripProvider(one).toLowerCase()) === dashName(name.toLowerCase()),
  );
  if (card === undefined || provider === undefined || ONLY_THERE.test(text))
    return { id: `OpenRouter#${text}`, vendor: null };
  return { id: card.id, vendor: { provider, name: `${vendor}/${name}` } };
}

/** Vendors whose models only OpenRouter serves. Other texts with a slash, such as paths, are no models. */
const KNOWN_OTHERS: ReadonlySet<string> = new Set([
  "meta-llama",
  "microsoft",
  "nvidia",
  "nousresearch",
  "amazon",
  "minimax",
  "inception",
  "baidu",
  "bytedance",
  "tencent",
  "liquid",
  "ai21",
  "arcee-ai",
  "thedrummer",
  "sao10k",
  "openrouter",
  "inflection",
]);

interface ModelNameParts {
  readonly vendor: string;
  readonly model: string;
  readonly hasVariant: boolean;
}

interface OpenRouterKey extends ModelNameParts {
  readonly name: string;
  /** From 1. */
  readonly line: number;
}

function listNames(text: string): readonly OpenRouterKey[] {
  return text.split("\n").flatMap((line, at) =>
    [...line.matchAll(NAME)].map(([, name = "", vendor = "", model = "", variant]) => ({
      name,
      line: at + 1,
      vendor,
      model,
      hasVariant: variant !== undefined,
    })),
  );
}
