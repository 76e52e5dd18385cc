// Searches a text, or a body of an API, with the guard's rules, and shows it as it would leave: nobody is called, and nothing is
// kept.
import type { GuardTrial, TriedFinding, TriedGuard } from "../../admin/models/guard.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { GuardPlace, GuardRule, GuardSettings } from "../../core/models/guard.ts";
import type { Limits } from "../../core/settings.ts";
import type { TextPlace } from "../../core/text/texts.ts";
import { joinFound, type Union } from "../../guard/join.ts";
import { hideText, writeMask, writePlaceholder } from "../../guard/placeholders.ts";
import { createScanner, type Match } from "../../guard/scanner.ts";
import { TextsSearch } from "../../guard/texts.ts";
import { listTriedTexts, type TriedTexts } from "../../http/models/tried-texts.ts";
import type { FindAccountName } from "../../steps/applies.ts";
import { chooseWriting } from "../../steps/guard/hide.ts";
import { listApplying, listAt } from "../../steps/guard/rules.ts";
import { RuleChoice } from "../../steps/guard/search.ts";
import { isActing, SwappedValues } from "../../steps/guard/terms.ts";
import { findUnsearchable } from "../../steps/guard/unsearchable.ts";
import { isToolName } from "../../steps/unseen.ts";
import { random } from "../world.ts";

interface TrialParts {
  readonly guard: GuardSettings;
  readonly limits: Limits;
  readonly findAccountName: FindAccountName;
  /** Returns the models that may answer a request that names this one. Null if any may. */
  readonly listModels: (model: string) => readonly ModelCard[] | null;
  /** Returns the key of placeholders. Null stands for no account. */
  readonly accountKey: (key: GatewayKey | null) => string;
}

const KEY_BYTES = 32;

/** Returns a key whose placeholders mean nothing afterwards. */
export function drawKey(): string {
  return Buffer.from(random.bytes(KEY_BYTES)).toString("hex");
}

/** About ten milliseconds of search. Other requests have their turn in between. */
const CHARACTERS_A_TURN = 100_000;
/** No operation's name: a trial calls no tool. */
const TRIED = "";

/**
 * Throws the Faults of a path that no API has, of a body that it doesn't take, of a part of it that no rule can search if one
 * insists, and of too many values.
 */
export async function searchTrial(
  { guard, accountKey, ...parts }: TrialParts,
  { content, at, key }: GuardTrial,
): Promise<TriedGuard> {
  const tried = "text" in content ? makeText(content.text) : listTriedTexts({ ...content, at }, parts.limits);
  const applying = key === null ? guard.rules : await listApplied(guard.rules, key, tried.model, parts);
  const unsearchable = tried.request && findUnsearchable(tried.request, applying);
  if (unsearchable) throw unsearchable;
  const applied = listAt(applying, at);
  const texts = tried.texts.filter(({ place }) => !isToolName(place));
  const detectors = [...new Set(applied.flatMap(({ detect }) => detect))];
  const search = new TextsSearch(
    createScanner(detectors, guard.words, guard.allow),
    texts.map(({ text, place: { field: before = "" } }) => ({ text, before })),
  );
  while (!search.run(CHARACTERS_A_TURN)) await Bun.sleep(0);
  const hiding = new TriedHiding(applied, at, accountKey(key));
  const replaced = new Map(
    texts.map(({ text, place, visit }, index) => [
      visit,
      hiding.hide(text, place, search.found[index] ?? []),
    ]),
  );
  const { findings } = hiding;
  if (!("text" in content)) return { findings, body: tried.replace(replaced) };
  return {
    findings: findings.map((one) => ({ ...one, path: null })),
    text: replaced.get(0) ?? content.text,
  };
}

const ALONE: TextPlace = { kind: "text", isSealed: false, isPiece: false, path: "" };

function makeText(text: string): TriedTexts {
  return { request: null, model: null, texts: [{ text, place: ALONE, visit: 0 }], replace: () => ({}) };
}

/** Hides values as the guard's step does, and lists what was found. */
class TriedHiding {
  readonly findings: TriedFinding[] = [];
  readonly #choice: RuleChoice;
  /** A request's thinking that its maker signed passes as it is. */
  readonly #sealedChoice: RuleChoice;
  readonly #swapped: SwappedValues;

  constructor(rules: readonly GuardRule[], at: GuardPlace, key: string) {
    this.#choice = new RuleChoice(rules);
    this.#sealedChoice =
      at === "answer" ? this.#choice : new RuleChoice(rules.filter((rule) => !isActing(rule)));
    this.#swapped = new SwappedValues(key);
  }

  hide(text: string, place: TextPlace, found: readonly Match[]): string {
    const choice = place.isSealed && place.kind === "thinking" ? this.#sealedChoice : this.#choice;
    return hideText(text, joinFound(found), (union, value) => {
      const rule = choice.find(union);
      if (rule === undefined) return null;
      const { from, to, detector } = union;
      this.findings.push({ path: place.path, from, to, detector, action: rule.action, rule: rule.name });
      return this.#write(rule, union, value, place);
    });
  }

  /** A refused text doesn't leave at all, and stays as it came. */
  #write({ action }: GuardRule, { detector }: Union, value: string, place: TextPlace): string | null {
    if (action === "mask") return writeMask(detector, chooseWriting(place));
    if (action === "swap") return writePlaceholder(this.#swapped.swap(detector, value), chooseWriting(place));
    return null;
  }
}

/** The rules of a key. Where any model may answer, their patterns of models and providers decide nothing. */
function listApplied(
  rules: readonly GuardRule[],
  key: GatewayKey,
  model: string | null,
  { listModels, findAccountName }: Pick<TrialParts, "listModels" | "findAccountName">,
): Promise<readonly GuardRule[]> {
  const cards = model === null ? null : listModels(model);
  const asked = { key, ask: { model: model ?? "" }, operation: { name: TRIED } };
  if (cards !== null) return listApplying(rules, asked, cards, findAccountName);
  const anywhere = rules.map((rule) => ({ ...rule, models: ["*"], providers: ["*"] }));
  return listApplying(anywhere, asked, [], findAccountName);
}
