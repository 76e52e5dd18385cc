// The limits of OpenAI's own models on Chat Completions and Responses, by name ("Models" and the API reference, November 2026).
import type { JsonObject } from "../../src/core/json/json.ts";
import { TOOLS_OR_THINKING } from "../../src/dialects/openai/models.ts";

export interface Family {
  readonly pattern: RegExp;
  /** The accepted values of `reasoning_effort`. Empty if the model doesn't reason. */
  readonly efforts: readonly string[];
  /** The default effort. */
  readonly effort: string;
  /** True if Chat Completions serves the model. */
  readonly chat: boolean;
}

const defineFamily = (
  pattern: RegExp,
  efforts: string,
  effort = "medium",
  rules: Partial<Family> = {},
): Family => ({
  pattern,
  efforts: efforts === "" ? [] : efforts.split(" "),
  effort,
  chat: true,
  ...rules,
});

const FAMILIES: readonly Family[] = [
  defineFamily(/^gpt-.*(-pro|-codex)/, "low medium high xhigh", "high", { chat: false }),
  defineFamily(/^o\d/, "low medium high"),
  defineFamily(/^gpt-5(-mini|-nano)?(-\d{4}|$)/, "minimal low medium high"),
  defineFamily(/^gpt-5\.1/, "none low medium high", "none"),
  defineFamily(/^gpt-5\.[2-4]/, "none low medium high xhigh", "none"),
  // It reasons by default (llm-memory-api, pull request 178, April 2026).
  defineFamily(/^gpt-5\.5/, "none low medium high xhigh"),
  defineFamily(/^gpt-5/, "none low medium high xhigh max"),
  defineFamily(/^gpt-6(-luna|-sol|\.1-terra)/, "none low medium high xhigh max"),
  defineFamily(/^gpt-[6-9]/, "low medium high xhigh max"),
  defineFamily(/^(gpt|chatgpt)-/, ""),
];

/** Returns the family of one of OpenAI's own models, or null for a compatible server's model. */
export function findFamily(model: string): Family | null {
  return FAMILIES.find(({ pattern }) => pattern.test(model)) ?? null;
}

/** `'low', 'medium', and 'high'`, as OpenAI lists the values that it takes. */
export function listEfforts({ efforts }: Family): string {
  return new Intl.ListFormat("en").format(efforts.map((effort) => `'${effort}'`));
}

/** True if the request makes a model of the family reason. */
export function isReasoning(body: JsonObject, family: Family): boolean {
  return family.efforts.length > 0 && (body.reasoning_effort ?? family.effort) !== "none";
}

/** True if Chat Completions accepts function tools while the model reasons. Sources and dates stand with the names. */
export function takesToolsWhileReasoning(model: string): boolean {
  return !TOOLS_OR_THINKING.some(({ names }) => names.test(model));
}
