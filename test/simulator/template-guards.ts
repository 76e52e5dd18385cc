// Guards of chat templates that refuse an order of roles. Their words are those that the gateway recognises.
import { asArray, asObject } from "../../src/core/json/json.ts";
import { REFUSALS } from "../../src/core/models/refusals.ts";
import { REFUSAL_SENTENCES } from "../../src/core/models/words/refusal.ts";
import { type ProblemKind, reject } from "../../src/simulator/problem.ts";

export interface TemplateGuard {
  /** A model with such a template. */
  readonly model: string;
  readonly names: RegExp;
  readonly says: string;
  /** Stands before it in the server's message. */
  readonly opening?: string;
  /** `server` for a server that answers 500. */
  readonly kind?: ProblemKind;
  /** `call` is the role of an assistant's turn with calls. */
  readonly allows: (roles: readonly string[]) => boolean;
}

const [
  BEGINNING = "",
  OLLAMA = "",
  ALTERNATE = "",
  AFTER_SYSTEM = "",
  BETWEEN_CALLS = "",
  NO_SYSTEM = "",
  USER_AFTER_TOOL = "",
  SYSTEM_AFTER_TOOL = "",
  SYSTEM_AFTER_ASSISTANT = "",
  SEVERAL = "",
  LATE = "",
] = REFUSAL_SENTENCES.filter(isAboutTurns).map(({ says }) => says);

/** True for a sentence about an order of roles. */
export function isAboutTurns({ refuses }: (typeof REFUSAL_SENTENCES)[number]): boolean {
  return refuses.some((word) => REFUSALS[word].concerns === "turns");
}

/** Checked with mistral-common, as by vLLM. */
const COMMON = { model: "mistral-small-4-119b", names: /^mistral-small-4/ };

/** Its API, which says the same whatever the model. */
const MINIMAX = { model: "MiniMax-M2.5", names: /^minimax/i };

/** Sources and dates stand with the sentences. */
export const TEMPLATE_GUARDS: readonly TemplateGuard[] = [
  { model: "qwen3.6-27b", names: /^qwen3\.[5-7]/, says: BEGINNING, allows: isSystemFirst },
  { model: "qwen3.8-27b", names: /^qwen3\.8/, says: OLLAMA, kind: "server", allows: isSystemFirst },
  { model: "gemma-3-27b-it", names: /^gemma-3/, says: ALTERNATE, allows: isAlternating },
  { model: "mistral-7b-instruct-v0.3", names: /^mistral-7b/, says: AFTER_SYSTEM, allows: isAlternating },
  {
    model: "devstral-small-2",
    names: /^devstral-small-2/,
    says: BETWEEN_CALLS,
    kind: "server",
    allows: isAlternating,
  },
  {
    model: "gemma-2-9b-it",
    names: /^gemma-2/,
    says: NO_SYSTEM,
    allows: (roles) => !roles.includes("system"),
  },
  { ...COMMON, says: USER_AFTER_TOOL, allows: (roles) => !isFollowed(roles, "tool", "user") },
  { ...COMMON, says: SYSTEM_AFTER_TOOL, allows: (roles) => !isFollowed(roles, "tool", "system") },
  { ...COMMON, says: SYSTEM_AFTER_ASSISTANT, allows: (roles) => !isFollowed(roles, "assistant", "system") },
  { ...MINIMAX, says: SEVERAL, allows: (roles) => roles[1] !== "system" },
  { ...MINIMAX, says: LATE, opening: "invalid params, ", allows: isSystemFirst },
];

function isFollowed(roles: readonly string[], role: string, next: string): boolean {
  return roles.some((one, at) => one === role && roles[at + 1] === next);
}

function isSystemFirst(roles: readonly string[]): boolean {
  return roles.lastIndexOf("system") < 1;
}

/** After an optional system message the user's and the assistant's turns alternate. Calls and their results don't count. */
function isAlternating(roles: readonly string[]): boolean {
  const rest = roles[0] === "system" ? roles.slice(1) : roles;
  const turns = rest.filter((role) => role !== "tool" && role !== "call");
  return turns.every((role, at) => role === (at % 2 === 0 ? "user" : "assistant"));
}

/** Throws a Rejection in the template's words if the model's template refuses the order of the messages. */
export function checkTemplate(messages: unknown, model: string): void {
  const guards = TEMPLATE_GUARDS.filter(({ names }) => names.test(model));
  if (guards.length === 0) return;
  const roles = asArray(messages).map((message) => {
    const { role, tool_calls: calls } = asObject(message);
    return asArray(calls).length > 0 ? "call" : String(role);
  });
  const guard = guards.find(({ allows }) => !allows(roles));
  if (guard) reject(guard.kind ?? "value", (guard.opening ?? "") + guard.says);
}
