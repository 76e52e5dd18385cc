// The words of `models: { X#y: { refuses } }`, split into those that the model refuses and those that it takes after all.
import type { ModelCard } from "../../core/models/card.ts";
import type { DialectName } from "../../core/models/dialect-names.ts";
import {
  explainNoEffect,
  parseRefusal,
  type Refusal,
  type RefusalRules,
} from "../../core/models/refusals.ts";
import type { KnownProvider, ProviderSetup } from "../../core/settings.ts";

/** Reports the word at a place of the list. */
type Wrong = (at: number, message: string) => void;

/** `spoken` are the dialects in which the model may be called. */
export function buildRefusals(
  texts: readonly string[],
  spoken: readonly DialectName[],
  wrong: Wrong,
): RefusalRules {
  const rules = { refuses: new Set<Refusal>(), accepts: new Set<Refusal>() };
  for (const [at, text] of texts.entries()) {
    const parsed = parseRefusal(text);
    // The schema has reported it.
    if (parsed === null) continue;
    const { word, isTaken } = parsed;
    const [own, other] = isTaken ? [rules.accepts, rules.refuses] : [rules.refuses, rules.accepts];
    if (other.has(word)) wrong(at, "contradicts a word before it in this list");
    const problem = explainNoEffect(parsed, spoken);
    if (problem !== null) wrong(at, problem);
    own.add(word);
  }
  return rules;
}

/** Returns the dialects in which a model may be called. A provider that isn't known speaks OpenAI's. */
export function listDialects(
  card: ModelCard,
  setup: ProviderSetup | undefined,
  known: readonly KnownProvider[],
): readonly DialectName[] {
  if (card.dialects) return card.dialects;
  if (setup?.dialect) return [setup.dialect];
  const row = known.find(({ name, platform }) =>
    setup?.platform === undefined ? name === card.provider : platform === setup.platform,
  );
  return row?.dialects?.map(({ name }) => name) ?? ["openai"];
}
