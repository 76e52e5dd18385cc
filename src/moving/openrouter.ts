// Names of models on OpenRouter, wherever they stand in a file: as aliases that go on working.

import { stripProvider } from "../catalogue/catalogue.ts";
import { loadShippedCards } from "../catalogue/rows.ts";
import { dash } from "../catalogue/spellings.ts";
import type { SourceFile } from "./litellm/config.ts";
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
const NAME =
  /^~?([a-z0-9-]{2,40})\/([a-z0-9][\w.-]{1,100})(:(free|nitro|floor|online|exacto|extended|thinking))?$/;
const AUTO = "openrouter/auto";

type At = readonly (string | number)[];

/** OpenRouter stays as a provider: for models that no vendor serves here, and if a vendor fails. */
export function readOpenRouter(file: SourceFile, report: Report): PlannedConfig {
  const aliases = new Map<string, string | null>();
  const models = new Map<string, object>();
  const providers = new Map<string, object>();
  for (const [text, at] of listTexts(file.value)) {
    if (aliases.has(text)) continue;
    const line = file.findLine(at);
    const found = text === AUTO ? { id: "Router#best", vendor: null } : findModel(text);
    if (found === null) continue;
    const { id, vendor } = found;
    const isId = id.replace("#", "/").toLowerCase() === text.toLowerCase();
    aliases.set(text, isId ? null : id);
    report.take(line, text, id);
    if (vendor === null) continue;
    providers.set(vendor.provider, {});
    models.set(id, { fallbacks: [`OpenRouter#${vendor.name}`] });
  }
  if (aliases.size === 0) report.leave(1, "models", "the file names none, such as openai/gpt-5.4");
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
function findModel(text: string): FoundModel | null {
  const [, vendor = "", name = "", variant = ""] = NAME.exec(text) ?? [];
  if (name === "" || !(vendor in VENDORS || variant !== "" || KNOWN_OTHERS.has(vendor))) return null;
  const provider = VENDORS[vendor];
  const card = loadShippedCards().find(
    (one) => one.provider === provider && dash(stripProvider(one).toLowerCase()) === dash(name.toLowerCase()),
  );
  if (card === undefined || provider === undefined)
    return { id: `OpenRouter#${text.replace(/^~/, "")}`, vendor: null };
  return { id: card.id, vendor: { provider, name: `${vendor}/${name}` } };
}

/** Vendors whose models only OpenRouter serves. Other texts with a slash, such as paths, are no models. */
const KNOWN_OTHERS: ReadonlySet<string> = new Set([
  ...["meta-llama", "microsoft", "nvidia", "nousresearch", "amazon", "minimax", "inception", "baidu"],
  ...[
    "bytedance",
    "tencent",
    "liquid",
    "ai21",
    "arcee-ai",
    "thedrummer",
    "sao10k",
    "openrouter",
    "inflection",
  ],
]);

function* listTexts(value: unknown, at: At = []): Generator<readonly [string, At]> {
  if (typeof value === "string") {
    for (const word of value.split(/[\s,"']+/)) yield [word, at];
  } else if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) yield* listTexts(one, [...at, index]);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, one] of Object.entries(value)) {
      yield [name, [...at, name]];
      yield* listTexts(one, [...at, name]);
    }
  }
}
