// Guards of chat templates that refuse an order of roles. Their words are those that the gateway recognises.
import { asArray, asObject } from "../../src/core/json.ts";
import { REFUSAL_SENTENCES } from "../../src/core/refusal-words.ts";
import { reject } from "../../src/simulator/problem.ts";

export interface TemplateGuard {
  /** A model with such a template. */
  readonly model: string;
  readonly names: RegExp;
  readonly says: string;
  readonly allows: (roles: readonly string[]) => boolean;
}

const [BEGINNING = "", ALTERNATE = "", AFTER_SYSTEM = ""] = REFUSAL_SENTENCES.map(({ says }) => says);

/** Sources and dates stand with the sentences. */
export const TEMPLATE_GUARDS: readonly TemplateGuard[] = [
  {
    model: "qwen3.6-27b",
    names: /^qwen3\.[5-8]/,
    says: BEGINNING,
    allows: (roles) => roles.lastIndexOf("system") < 1,
  },
  { model: "gemma-3-27b-it", names: /^gemma-3/, says: ALTERNATE, allows: isAlternating },
  { model: "mistral-7b-instruct-v0.3", names: /^mistral-7b/, says: AFTER_SYSTEM, allows: isAlternating },
];

/** After an optional system message the user's and the assistant's turns alternate. Results of calls don't count. */
function isAlternating(roles: readonly string[]): boolean {
  const turns = (roles[0] === "system" ? roles.slice(1) : roles).filter((role) => role !== "tool");
  return turns.every((role, at) => role === (at % 2 === 0 ? "user" : "assistant"));
}

/** Throws a Rejection in the template's words if the model's template refuses the order of the messages. */
export function checkTemplate(messages: unknown, model: string): void {
  const guard = TEMPLATE_GUARDS.find(({ names }) => names.test(model));
  const roles = asArray(messages).map((message) => String(asObject(message).role));
  if (guard && !guard.allows(roles)) reject("value", guard.says);
}
