// Guards of chat templates that refuse an order of roles. Their words are those that the gateway recognises.
import { asArray, asObject } from "../../src/core/json/json.ts";
import { REFUSAL_SENTENCES } from "../../src/core/models/words/refusal.ts";
import { type ProblemKind, reject } from "../../src/simulator/problem.ts";

export interface TemplateGuard {
  /** A model with such a template. */
  readonly model: string;
  readonly names: RegExp;
  readonly says: string;
  /** `server` for a server that answers 500. */
  readonly kind?: ProblemKind;
  readonly allows: (roles: readonly string[]) => boolean;
}

const [BEGINNING = "", OLLAMA = "", ALTERNATE = "", AFTER_SYSTEM = ""] = REFUSAL_SENTENCES.map(
  ({ says }) => says,
);

/** Sources and dates stand with the sentences. */
export const TEMPLATE_GUARDS: readonly TemplateGuard[] = [
  { model: "qwen3.6-27b", names: /^qwen3\.[5-7]/, says: BEGINNING, allows: isSystemFirst },
  { model: "qwen3.8-27b", names: /^qwen3\.8/, says: OLLAMA, kind: "server", allows: isSystemFirst },
  { model: "gemma-3-27b-it", names: /^gemma-3/, says: ALTERNATE, allows: isAlternating },
  { model: "mistral-7b-instruct-v0.3", names: /^mistral-7b/, says: AFTER_SYSTEM, allows: isAlternating },
];

function isSystemFirst(roles: readonly string[]): boolean {
  return roles.lastIndexOf("system") < 1;
}

/** After an optional system message the user's and the assistant's turns alternate. Results of calls don't count. */
function isAlternating(roles: readonly string[]): boolean {
  const turns = (roles[0] === "system" ? roles.slice(1) : roles).filter((role) => role !== "tool");
  return turns.every((role, at) => role === (at % 2 === 0 ? "user" : "assistant"));
}

/** Throws a Rejection in the template's words if the model's template refuses the order of the messages. */
export function checkTemplate(messages: unknown, model: string): void {
  const guard = TEMPLATE_GUARDS.find(({ names }) => names.test(model));
  const roles = asArray(messages).map((message) => String(asObject(message).role));
  if (guard && !guard.allows(roles)) reject(guard.kind ?? "value", guard.says);
}
