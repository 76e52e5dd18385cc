// A selector's choice for a request, or the Fault that says why there is none and what would help.

import { Fault } from "../../core/faults/fault.ts";
import type { CacheSetting } from "../../core/models/caching.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { type Steering, UNSTEERED } from "../../core/models/steering.ts";
import type { RouterRules } from "../../core/settings.ts";
import type { Choosable } from "../../operations/operation.ts";
import type { ChooseInput, Wishes } from "../../selectors/ask.ts";
import { type Choice, choose } from "../../selectors/choose.ts";
import { explainRemoved } from "../../selectors/removed.ts";
import { BY_RULE, DENIED } from "../../selectors/rules.ts";
import type { SelectorRule } from "../../selectors/selector.ts";
import { CONTEXT } from "../../selectors/sieve.ts";

/** A selector as the meaning of the request's `model`. */
export interface Selecting {
  readonly kind: "selector";
  readonly selector: SelectorRule;
  /** One list for all requests, because tables are made for each. */
  readonly candidates: readonly ModelCard[];
  /** The places of those to choose from. Missing for all. */
  readonly among?: Int32Array | undefined;
  /** The demands of the alias by which the client named it. Missing for none. */
  readonly steering?: Steering;
  /** That alias's setting of the cache. */
  readonly cache?: CacheSetting;
}

/** Live health, what was learned, and what is probably cached. */
export type CurrentFacts = Pick<ChooseInput, "health" | "learned" | "cached" | "heldBy" | "payer">;

export interface ChoiceInput {
  readonly wishes?: Wishes;
  /** Describes the request to the selectors. Null if its operation has none. */
  readonly describe: (() => Choosable) | null;
  readonly rules: RouterRules;
  /** The demands on the choice, the alias's included. Missing for none. */
  readonly steering?: Steering;
  /** The operator's, by which the request's cost is multiplied. Missing for 1. */
  readonly markup?: number;
  /** Facts that selectors use beyond the catalogue. Missing if nothing is known. */
  readonly readKnown?: () => CurrentFacts;
}

/** Throws a Fault if no model is enabled or none can serve the request. */
export function chooseModel({ selector, candidates: cards, among }: Selecting, input: ChoiceInput): Choice {
  const { describe, rules, steering = UNSTEERED, readKnown, wishes, markup = 1 } = input;
  const { name } = selector;
  if (describe === null) {
    const message = `Router#${name} only chooses chat models. Name a model as <Provider>#<model>.`;
    throw new Fault("unsupported_capability", message, { param: "model" });
  }
  const quality = steering.quality ?? rules.fairQuality;
  const asked = { ...describe(), cards, among };
  const choice = choose(selector, {
    ...readKnown?.(),
    ...asked,
    rules,
    steering,
    quality,
    markup,
    ...wishes,
  });
  if (choice.choice === null) throw explainTooLong(choice) ?? explainNone(choice, steering);
  return choice;
}

function explainNone(choice: Choice, steering: Steering): Fault {
  const name = `Router#${choice.selector.name}`;
  const reasons = Object.keys(choice.removed);
  if (reasons.every((reason) => reason === DENIED || reason.startsWith(BY_RULE)))
    return new Fault("no_provider_available", `No model that ${name} may choose is enabled.`);
  const message = [
    `No model behind ${name} can serve this request.`,
    ...explainRemoved(choice, steering),
    "POST /v1/route names each model's reason.",
  ].join(" ");
  return new Fault("unsupported_capability", message, { param: "model" });
}

/**
 * Returns the Fault `context_length_exceeded` if a shorter prompt would find a model, in OpenAI's words: agents compact
 * their conversation on them. `note` names what the other models lack.
 */
function explainTooLong({ asked, removed, roomiest, selector }: Choice): Fault | null {
  if (roomiest === null) return null;
  const name = `Router#${selector.name}`;
  const { promptTokens } = asked;
  const { contextTokensMax, outputTokensMax } = roomiest;
  const others = Object.entries(removed).filter(([reason]) => reason !== CONTEXT);
  const counts = others.map(([reason, count]) => `${reason} (${count})`).join(", ");
  const note = counts === "" ? "" : ` Other models behind ${name} were removed by: ${counts}.`;
  const sizes =
    outputTokensMax === 0
      ? `your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`
      : `you requested ${promptTokens + outputTokensMax} tokens (${promptTokens} in the messages, ${outputTokensMax} in the completion). Please reduce the length of the messages or completion.`;
  const message = `This model's maximum context length is ${contextTokensMax} tokens. However, ${sizes}${note}`;
  const promptTokensMax = Math.max(0, contextTokensMax - outputTokensMax);
  const overflow = { promptTokens, promptTokensMax, note };
  return new Fault("context_length_exceeded", message, { param: "messages", overflow });
}
