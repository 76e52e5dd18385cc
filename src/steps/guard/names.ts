// Names that clients give beside their texts, such as a session's: they are kept as the guard's rules leave them.
import type { GatewayKey } from "../../core/keys/key.ts";
import type { GuardRule } from "../../core/models/guard.ts";
import type { TextPlace } from "../../core/text/texts.ts";
import { joinInSteps, type Union } from "../../guard/join.ts";
import { hideInSteps, writeMask, writePlaceholder } from "../../guard/placeholders.ts";
import { takeAll } from "../../guard/steps.ts";
import { type GuardSearch, RuleChoice } from "./search.ts";
import { type AccountKey, isActing, SwappedValues } from "./terms.ts";

const PLACE: TextPlace = { kind: "text", isSealed: false, isPiece: false, path: "" };

/** Hides by every rule that acts: a request may name rules that its key has nothing to do with, and may be refused before it is known which apply. */
export class NameHider {
  readonly #search: GuardSearch;
  readonly #accountKey: AccountKey;
  readonly #rules: readonly GuardRule[];
  readonly #choice: RuleChoice;

  constructor(search: GuardSearch, accountKey: AccountKey, rules: readonly GuardRule[]) {
    this.#search = search;
    this.#accountKey = accountKey;
    this.#rules = rules.filter(isActing);
    this.#choice = new RuleChoice(this.#rules);
  }

  /** Returns a name with a mark or placeholder for what a rule finds. It is short, so it is searched at once. */
  hide(key: GatewayKey, name: string): string {
    const [found = []] = takeAll(this.#search.find(this.#rules, [{ text: name, place: PLACE }]));
    if (found.length === 0) return name;
    const swapped = new SwappedValues(this.#accountKey(key));
    const write = (union: Union, value: string): string | null => {
      const rule = this.#choice.find(union);
      if (rule === undefined) return null;
      return rule.action === "swap"
        ? writePlaceholder(swapped.swap(union.detector, value), "text")
        : writeMask(union.detector, "text");
    };
    return takeAll(hideInSteps(name, takeAll(joinInSteps(found)), write));
  }
}
