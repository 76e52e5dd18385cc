// What OpenAI's own models accept on Chat Completions and Responses, by name ("Models" and the API reference, November 2026).
import type { JsonObject } from "../core/json.ts";

export interface Family {
  readonly pattern: RegExp;
  /** Accepted `reasoning_effort`s; empty: the model doesn't reason. */
  readonly efforts: readonly string[];
  /** The effort when none is asked for. */
  readonly effort: string;
  /** Chat Completions serves it. */
  readonly chat: boolean;
  /** Function tools together with reasoning on Chat Completions. */
  readonly toolsWhileReasoning: boolean;
}

const family = (
  pattern: RegExp,
  efforts: string,
  effort = "medium",
  rules: Partial<Family> = {},
): Family => ({
  pattern,
  efforts: efforts === "" ? [] : efforts.split(" "),
  effort,
  chat: true,
  toolsWhileReasoning: true,
  ...rules,
});

const FAMILIES: readonly Family[] = [
  family(/^gpt-.*(-pro|-codex)/, "low medium high xhigh", "high", { chat: false }),
  family(/^o\d/, "low medium high"),
  family(/^gpt-5(-mini|-nano)?(-\d{4}|$)/, "minimal low medium high"),
  family(/^gpt-5\.1/, "none low medium high", "none"),
  family(/^gpt-5\.[2-5]/, "none low medium high xhigh", "none"),
  family(/^gpt-5/, "none low medium high xhigh max", "medium", { toolsWhileReasoning: false }),
  family(/^gpt-6(-luna|-sol|\.1-terra)/, "none low medium high xhigh max", "medium", {
    toolsWhileReasoning: false,
  }),
  family(/^gpt-[6-9]/, "low medium high xhigh max", "medium", { toolsWhileReasoning: false }),
  family(/^(gpt|chatgpt)-/, ""),
];

/** The rules for one of OpenAI's own names; null for any other name, which is a compatible server's and taken leniently. */
export function familyOf(model: string): Family | null {
  return FAMILIES.find(({ pattern }) => pattern.test(model)) ?? null;
}

/** Whether this request makes this model reason. */
export function reasons(body: JsonObject, family: Family): boolean {
  return family.efforts.length > 0 && (body.reasoning_effort ?? family.effort) !== "none";
}
