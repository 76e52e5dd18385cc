// The usage that each dialect reports in its own fields, and its cost at prices that differ for every kind of token.

import { asNumber, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { type Answer, readCount } from "./asking.ts";

/** USD per million tokens, different for each kind so that a mix-up changes the sum. */
const PRICE =
  "{ input: 3, output: 15, cached_input: 0.3, cache_write: 3.75, reasoning: 20, per_request: 0.001, per_search: 0.005 }";
/** Of 1000 input tokens 300 were read from a cache and 100 written to one. 50 of 200 output tokens were thinking. */
const TOKENS = "~tokens=1000:200:300:50:100";

export interface UsageRow {
  readonly provider: string;
  readonly dialect: string;
  readonly path: string;
  readonly name: string;
  /** The details that the dialect reports. */
  readonly prompt: Readonly<Record<string, number>>;
  readonly completion: Readonly<Record<string, number>>;
  /** In USD: input, cached, written, output, thinking, the request, a search. */
  readonly cost: number;
}

const READ = { cached_tokens: 300 };
const THOUGHT = { reasoning_tokens: 50 };
const ALL = (700 * 3 + 300 * 0.3 + 150 * 15 + 50 * 20) / 1e6 + 0.001;
const UNTHOUGHT = (700 * 3 + 300 * 0.3 + 200 * 15) / 1e6 + 0.001;
const WRITTEN = (600 * 3 + 300 * 0.3 + 100 * 3.75 + 150 * 15 + 50 * 20) / 1e6 + 0.001;

export const USAGE_ROWS: readonly UsageRow[] = [
  row("openai", "/openai/v1", "house", READ, THOUGHT, ALL),
  row("responses", "/openai/v1", "house", READ, THOUGHT, ALL),
  row(
    "anthropic",
    "/anthropic/v1",
    "claude-opus-4-8",
    { ...READ, cache_write_tokens: 100 },
    THOUGHT,
    WRITTEN,
  ),
  row("gemini", "/gemini/v1beta", "gemini-2.5-flash", READ, THOUGHT, ALL),
  row("mistral", "/mistral/v1", "mistral-large", READ, {}, UNTHOUGHT),
  row(
    "bedrock",
    "/bedrock",
    "amazon.nova-pro",
    { ...READ, cache_write_tokens: 100 },
    {},
    (600 * 3 + 300 * 0.3 + 100 * 3.75 + 200 * 15) / 1e6 + 0.001,
  ),
  row("cohere", "/cohere/v2", "command-a", READ, THOUGHT, ALL),
  row(
    "perplexity",
    "/perplexity/v1",
    "sonar",
    { ...READ, cache_write_tokens: 100 },
    THOUGHT,
    WRITTEN + 0.005,
  ),
];

function row(
  dialect: string,
  path: string,
  name: string,
  prompt: UsageRow["prompt"],
  completion: UsageRow["completion"],
  cost: number,
): UsageRow {
  return { provider: `Priced-${dialect}`, dialect, path, name: `${name}${TOKENS}`, prompt, completion, cost };
}

/** The rows as providers behind a simulator, in the configuration's form. */
export function pricedProviders(url: string): string {
  return USAGE_ROWS.map(
    ({ provider, dialect, path, name }) =>
      `  ${provider}: { dialect: ${dialect}, keys: ["sim-key"], base_url: "${url}${path}", models: [{ name: "${name}", price: ${PRICE} }] }`,
  ).join("\n");
}

/** Returns an answer's cost at the model list's prices. Nothing is cached here, and no prompt reaches a tier. */
export function computeCost(pricing: JsonObject, answer: Answer): number {
  const rate = (name: string, otherwise = 0) => asNumber(pricing[name]) ?? otherwise;
  const usage = asObject(answer.reply.usage);
  const { reasoning_tokens: told } = asObject(usage.completion_tokens_details);
  const thought = asNumber(told) ?? 0;
  const searches = asNumber(asObject(usage.server_tool_use).web_search_requests) ?? 0;
  const read = readCount(answer, "prompt_tokens") * rate("input");
  const said = (readCount(answer, "completion_tokens") - thought) * rate("output");
  const reasoned = thought * rate("reasoning", rate("output"));
  return (read + said + reasoned) / 1e6 + rate("per_request") + searches * rate("per_search");
}
