// Searches a text, or a body of an API, with the guard's rules: nobody is called, and nothing is kept.
import type { GuardTrial, TriedFinding } from "../../admin/models/guard.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { GUARD_ACTIONS, type GuardRule, type GuardSettings } from "../../core/models/guard.ts";
import type { Limits } from "../../core/settings.ts";
import { matchesAny } from "../../core/text/pattern.ts";
import { type Joined, joinFound } from "../../guard/join.ts";
import { createScanner } from "../../guard/scanner.ts";
import { type SearchedText, TextsSearch } from "../../guard/texts.ts";
import { listTriedTexts } from "../../http/models/tried-texts.ts";
import { type FindAccountName, matchesAccount, matchesKey } from "../../steps/applies.ts";

export interface TrialParts {
  readonly guard: GuardSettings;
  readonly limits: Limits;
  readonly findAccountName: FindAccountName;
  /** Returns the models that may answer a request that names this one. Null if any may. */
  readonly listModels: (model: string) => readonly string[] | null;
}

/** About ten milliseconds of search. Other requests have their turn in between. */
const CHARACTERS_A_TURN = 100_000;

interface Place extends SearchedText {
  readonly path: string | null;
}

/** Throws the Faults of a path that no API has, and of a body that it doesn't take. */
export async function searchTrial(
  { guard, ...parts }: TrialParts,
  { content, at, key }: GuardTrial,
): Promise<readonly TriedFinding[]> {
  const { model, texts } = "text" in content
    ? { model: null, texts: [{ text: content.text, path: null }] }
    : readBody({ ...content, at }, parts.limits);
  const rules = guard.rules.filter((rule) => rule.at.includes(at));
  const applied = key === null ? rules : await listApplied(rules, key, model, parts);
  const detectors = [...new Set(applied.flatMap(({ detect }) => detect))];
  const search = new TextsSearch(createScanner(detectors, guard.words, guard.allow), texts);
  while (!search.run(CHARACTERS_A_TURN)) await Bun.sleep(0);
  return texts.flatMap(({ path }, index) =>
    joinFound(search.found[index] ?? []).map((found) => ({ path, ...describe(found, applied) })),
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

/** The rules of a key: those that it names, and those whose patterns it matches. */
async function listApplied(
  rules: readonly GuardRule[],
  key: GatewayKey,
  model: string | null,
  parts: Omit<TrialParts, "guard">,
): Promise<readonly GuardRule[]> {
  const applied = rules.map(
    async (rule) =>
      key.guard?.includes(rule.name) ||
      (matchesKey(rule, key) &&
        matchesModel(rule, model, parts) &&
        (await matchesAccount(rule, key, parts.findAccountName))),
  );
  const found = await Promise.all(applied);
  return rules.filter((_, index) => found[index]);
}

/** Any of the models that may answer counts, with its provider. Without a model's name, any may be meant. */
function matchesModel(
  { models, providers }: GuardRule,
  model: string | null,
  { listModels }: Pick<TrialParts, "listModels">,
): boolean {
  const ids = model === null ? null : listModels(model);
  if (model === null || ids === null) return true;
  if (![model, ...ids].some((id) => matchesAny(models, id))) return false;
  return ids.some((id) => matchesProvider(providers, id.split("#", 1)[0] ?? ""));
}

function matchesProvider(patterns: readonly string[], provider: string): boolean {
  const away = patterns.filter((one) => one.startsWith("!")).map((one) => one.slice(1));
  const wanted = patterns.filter((one) => !one.startsWith("!"));
  return (wanted.length === 0 || matchesAny(wanted, provider)) && !matchesAny(away, provider);
}

/** The strictest action counts, and of several rules the first that has it. */
function describe(
  { from, to, detector, detectors }: Joined,
  rules: readonly GuardRule[],
): Omit<TriedFinding, "path"> {
  const found = rules
    .filter(({ detect }) => detectors.some((name) => detect.includes(name)))
    .toSorted((one, other) => GUARD_ACTIONS.indexOf(one.action) - GUARD_ACTIONS.indexOf(other.action));
  const [{ action, name: rule } = { action: "report" as const, name: "" }] = found;
  return { from, to, detector, action, rule };
}
