// Searches a text, or a body of an API, with the guard's rules: nobody is called, and nothing is kept.
import type { GuardTrial, TriedFinding } from "../../admin/models/guard.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { GuardRule, GuardSettings } from "../../core/models/guard.ts";
import type { Limits } from "../../core/settings.ts";
import { joinFound, type Union } from "../../guard/join.ts";
import { createScanner } from "../../guard/scanner.ts";
import { type SearchedText, TextsSearch } from "../../guard/texts.ts";
import { listTriedTexts } from "../../http/models/tried-texts.ts";
import type { FindAccountName } from "../../steps/applies.ts";
import { findStrictestRule, listApplying, listAt } from "../../steps/guard/rules.ts";

interface TrialParts {
  readonly guard: GuardSettings;
  readonly limits: Limits;
  readonly findAccountName: FindAccountName;
  /** Returns the models that may answer a request that names this one. Null if any may. */
  readonly listModels: (model: string) => readonly ModelCard[] | null;
}

/** About ten milliseconds of search. Other requests have their turn in between. */
const CHARACTERS_A_TURN = 100_000;
/** No operation's name: a trial calls no tool. */
const TRIED = "";

interface Place extends SearchedText {
  readonly path: string | null;
}

/** Throws the Faults of a path that no API has, and of a body that it doesn't take. */
export async function searchTrial(
  { guard, ...parts }: TrialParts,
  { content, at, key }: GuardTrial,
): Promise<readonly TriedFinding[]> {
  const { model, texts } =
    "text" in content
      ? { model: null, texts: [{ text: content.text, path: null }] }
      : readBody({ ...content, at }, parts.limits);
  const rules = listAt(guard.rules, at);
  const applied = key === null ? rules : await listApplied(rules, key, model, parts);
  const detectors = [...new Set(applied.flatMap(({ detect }) => detect))];
  const search = new TextsSearch(createScanner(detectors, guard.words, guard.allow), texts);
  while (!search.run(CHARACTERS_A_TURN)) await Bun.sleep(0);
  return texts.flatMap(({ path }, index) =>
    joinFound(search.found[index] ?? []).flatMap((found) =>
      describe(found, applied).map((one) => ({ path, ...one })),
    ),
  );
}

function readBody(body: Parameters<typeof listTriedTexts>[0], limits: Limits) {
  const { model, texts } = listTriedTexts(body, limits);
  const places: readonly Place[] = texts.map(({ text, place }) => ({
    text,
    path: place.path,
    ...(place.field !== undefined && { before: place.field }),
  }));
  return { model, texts: places };
}

/** The rules of a key. Where any model may answer, their patterns of models and providers decide nothing. */
function listApplied(
  rules: readonly GuardRule[],
  key: GatewayKey,
  model: string | null,
  { listModels, findAccountName }: Omit<TrialParts, "guard">,
): Promise<readonly GuardRule[]> {
  const cards = model === null ? null : listModels(model);
  const asked = { key, ask: { model: model ?? "" }, operation: { name: TRIED } };
  if (cards !== null) return listApplying(rules, asked, cards, findAccountName);
  const anywhere = rules.map((rule) => ({ ...rule, models: ["*"], providers: ["*"] }));
  return listApplying(anywhere, asked, [], findAccountName);
}

/** The strictest action counts, and of several rules the first that has it. */
function describe(
  { from, to, detector, detectors }: Union,
  rules: readonly GuardRule[],
): readonly Omit<TriedFinding, "path">[] {
  const rule = findStrictestRule(rules, detectors);
  return rule ? [{ from, to, detector, action: rule.action, rule: rule.name }] : [];
}
