// The fields that change what stands before the newest turn of the user's, with the reasons: a row for each kind.
import type { SurfaceWord } from "./conversations.ts";

interface Exception {
  /** The surface and the field. */
  readonly asked: RegExp;
  /** All models if missing. */
  readonly models?: RegExp;
  readonly because: string;
}

const CLIENTS_OWN: readonly Exception[] = [
  { asked: /^\w+ (tools|functions)$/, because: "the tools are the client's own" },
  { asked: /^chat web_search_options/, because: "a search is a tool that the client adds" },
];

const CHOICES =
  /^(chat tool_choice|responses tool_choice|gemini toolConfig|interactions generation_config\.tool_choice)$/;

/** Choices of some of the tools, for which these targets have no way: the others are taken out of the list. */
const UNMET: readonly Exception[] = [
  {
    asked: CHOICES,
    models: /^(Mistral|Local)#/,
    because: "a choice of theirs is a mode or one function, and no list of some",
  },
  {
    asked: CHOICES,
    models: /opus-4-7$/,
    because: "Claude before Opus 4.8 takes no message that removes a tool",
  },
  { asked: CHOICES, models: /^Bedrock#/, because: "Bedrock has no beta of such messages" },
];

/** Returns why a field may change the front for a model. Null if it may not. */
export function findException(surface: SurfaceWord, field: string, model: string): string | null {
  const asked = `${surface} ${field}`;
  const found = [...CLIENTS_OWN, ...UNMET].find(
    (one) => one.asked.test(asked) && (one.models?.test(model) ?? true),
  );
  return found?.because ?? null;
}

export const REASONS: readonly string[] = [...CLIENTS_OWN, ...UNMET].map(({ because }) => because);

/** Fields that mean nothing alone, or name what a gateway keeps: no request has them here. */
export const UNASKED: readonly string[] = [
  "messages tool_choice.name",
  "messages thinking.budget_tokens",
  "interactions previous_interaction_id",
];
