// Checks the changes to the catalogue, and every field that names a model.
import { collectCards, findSelector, splitId } from "../../catalogue/catalogue.ts";
import { buildLaterPrices } from "../../catalogue/later-prices.ts";
import { describeUnknownModel, findOverlayProblems, NO_MODEL } from "../../catalogue/overlay.ts";
import { buildPrice } from "../../catalogue/price.ts";
import { findRelative } from "../../catalogue/relative.ts";
import { type Alias, type AliasTarget, refuseQuality, type SelectorPolicy } from "../../core/models/alias.ts";
import { CHAT_ONLY, type HedgeRules, type ModelCard } from "../../core/models/card.ts";
import type { HookRule } from "../../core/models/hook.ts";
import type { RefusalRules } from "../../core/models/refusals.ts";
import { FAIR_QUALITY, SELECTORS } from "../../core/models/selector.ts";
import type {
  CategoryRule,
  KnownProvider,
  ModelOverlay,
  ProviderSetup,
  RouterRules,
} from "../../core/settings.ts";
import { parseDuration } from "../../core/text/duration.ts";
import { matchesAny } from "../../core/text/pattern.ts";
import type { Issues, Path } from "../errors.ts";
import type { AliasConfig, Config, GroupConfig, OverlayConfig, PolicyConfig, RuleConfig } from "../schema.ts";
import { parsePercentile, parseShare } from "../units.ts";
import { readFallbacks } from "./fallbacks.ts";
import { checkPrices, normaliseId } from "./operator-cards.ts";
import { buildRefusals, listDialects } from "./refusals.ts";

/** The simulator's models exist only if the command line enables it. */
const SIMULATOR = "sim";
const RULE_SHARE = 0.5;

interface ModelSources {
  /** False if the simulated provider is disabled. */
  readonly isSimulated?: boolean;
  readonly known: readonly KnownProvider[];
}

/** Looks up the model ids of all fields. */
export class ModelFields {
  readonly #issues: Issues;
  readonly #cards: ReadonlyMap<string, ModelCard>;
  /** Canonical ids by the id with its provider in lower case. */
  readonly #ids: ReadonlyMap<string, string>;
  /** Null if the environment decides which providers are enabled. Then no id is refused because its provider isn't. */
  readonly #on: ReadonlyMap<string, ProviderSetup> | null;
  readonly #isSimulated: boolean;
  readonly #known: readonly KnownProvider[];

  constructor(
    operatorModels: readonly ModelCard[],
    providers: readonly ProviderSetup[] | null,
    { isSimulated = true, known }: ModelSources,
    issues: Issues,
  ) {
    this.#issues = issues;
    this.#isSimulated = isSimulated;
    this.#known = known;
    this.#cards = collectCards(operatorModels);
    this.#ids = new Map([...this.#cards.keys()].map((id) => [normaliseId(id), id]));
    this.#on = providers && new Map(providers.map((provider) => [provider.name.toLowerCase(), provider]));
  }

  overlay(models: NonNullable<Config["models"]>): readonly ModelOverlay[] {
    const changes = new Map<string, ModelOverlay>();
    const names = new Map<string, string>();
    for (const [name, entry] of Object.entries(models)) {
      const path = ["models", name];
      const id = this.#canonical(name);
      if (changes.has(id)) this.#issues.atKey(path, "this model is listed twice");
      else if (this.#isOff(id)) this.#issues.atKey(path, describeOff(id));
      else if (Object.keys(entry).length === 0) this.#issues.atValue(path, "has no effect: it is empty");
      const operations = new Set(entry.operations ?? this.#cards.get(id)?.operations ?? CHAT_ONLY);
      const wrong = (at: Path, message: string) => this.#issues.atValue([...path, ...at], message);
      const isSound = checkPrices(entry, operations, wrong);
      changes.set(id, this.#overlayOf(id, isSound ? entry : { ...entry, price: undefined }, path));
      names.set(id, name);
    }
    const passes = (id: string) => this.#passes(id) && !this.#hasFamilyPrice(id);
    for (const problem of findOverlayProblems(this.#cards, [...changes.values()], passes)) {
      const path = ["models", names.get(problem.id) ?? problem.id, ...problem.path];
      if (problem.path.length === 0) this.#issues.atKey(path, problem.message, problem.explain);
      else this.#issues.atValue(path, problem.message, problem.explain);
    }
    return [...changes.values()];
  }

  #overlayOf(id: string, entry: OverlayConfig, path: Path): ModelOverlay {
    return {
      id,
      disabled: entry.disabled ?? false,
      price: entry.price === undefined ? undefined : buildPrice(entry.price),
      laterPrices: entry.later_prices && buildLaterPrices(entry.later_prices),
      ...(entry.shutdown === undefined ? {} : { shutdownDate: entry.shutdown }),
      contextTokensMax: entry.context,
      outputTokensMax: entry.output,
      capabilities: entry.capabilities === undefined ? undefined : new Set(entry.capabilities),
      operations: entry.operations === undefined ? undefined : new Set(entry.operations),
      ...readFallbacks(entry.fallbacks, (model) => this.#canonical(model)),
      skills: entry.skills,
      hedge: entry.hedge === undefined ? undefined : parseHedge(entry.hedge),
      ...this.#refusals(id, entry.refuses ?? [], path),
    };
  }

  #refusals(id: string, texts: readonly string[], path: Path): RefusalRules {
    const card = this.#cards.get(id);
    if (card === undefined || texts.length === 0) return {};
    const spoken = listDialects(card, this.#on?.get(card.provider.toLowerCase()), this.#known);
    const wrong = (at: number, message: string) => this.#issues.atValue([...path, "refuses", at], message);
    return buildRefusals(texts, spoken, wrong);
  }

  aliases(aliases: Readonly<Record<string, AliasConfig>>): Readonly<Record<string, Alias>> {
    const found = Object.entries(aliases).map(([alias, target]): [string, Alias] => {
      const path = ["aliases", alias];
      if (this.#isTaken(alias)) this.#issues.atKey(path, "has no effect: a model already has this id");
      if (typeof target !== "string")
        return [alias, "selector" in target ? this.#policy(target, path) : this.#group(target, path)];
      if (findSelector(target) !== null) return [alias, target];
      if (splitId(target)?.provider.toLowerCase() !== "router") return [alias, this.#asked(target, path)];
      const selectors = SELECTORS.map((name) => `Router#${name}`).join(", ");
      this.#issues.atValue(path, `no selector has this name; expected ${selectors}`);
      return [alias, target];
    });
    return Object.fromEntries(found);
  }

  #policy(given: PolicyConfig, path: Path): SelectorPolicy {
    const { selector, quality, allow, deny, max_cost_usd: maxCostUsd, max_ms: maxMs, cache } = given;
    const refused = refuseQuality(given);
    if (refused !== null) this.#issues.atKey([...path, "quality"], refused);
    const read = (field: "allow" | "deny", patterns: readonly string[] | undefined) =>
      patterns && { [field]: this.#patterns(patterns, [...path, field]) };
    return {
      selector,
      ...(quality === undefined ? {} : { quality: parseShare(quality) ?? 0 }),
      ...read("allow", allow),
      ...read("deny", deny),
      ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
      ...(maxMs === undefined ? {} : { maxMs }),
      ...(cache === undefined ? {} : { cache }),
    };
  }

  /** Returns ids in canonical form, and patterns as they are. Each must fit a model that may exist. */
  #patterns(given: readonly string[], path: Path): readonly string[] {
    return given.map((text, at) => {
      if (!text.includes("*")) return this.#passes(text) ? text : this.#listed(text, [...path, at]);
      const provider = splitId(text)?.provider.toLowerCase() ?? "*";
      const isOpen = provider.includes("*") || this.#on?.get(provider) !== undefined;
      if (!isOpen && ![...this.#cards.keys()].some((id) => matchesAny([text], id)))
        this.#issues.atValue([...path, at], "no model fits this pattern");
      return text;
    });
  }

  #group(targets: readonly GroupConfig[], path: Path): readonly AliasTarget[] {
    const names = new Set<string>();
    return targets.map(({ model, weight = 1 }, at) => {
      const here = [...path, at, "model"];
      if (findSelector(model) !== null) {
        this.#issues.atValue(here, "a group can only contain models, not selectors");
        return { model, weight };
      }
      const id = this.#asked(model, here);
      if (names.has(normaliseId(id))) this.#issues.atValue(here, "this model is listed twice");
      if (this.#hasFamilyPrice(id))
        this.#issues.atValue(here, "only clients choose a model that has the price of its family");
      names.add(normaliseId(id));
      return { model: id, weight };
    });
  }

  /** Returns the canonical id of a model that clients can ask for. */
  #asked(text: string, path: Path): string {
    return this.#passes(text) ? text : this.#effective(text, path);
  }

  /** Checks the models that hooks ask, with the changes to the catalogue. An alias may stand for one. */
  checkHooks(
    hooks: readonly HookRule[],
    overlay: readonly ModelOverlay[],
    aliases: Readonly<Record<string, Alias>>,
  ): void {
    for (const [at, { target }] of hooks.entries()) {
      if (target.kind === "server" || matchesAny(Object.keys(aliases), target.model)) continue;
      const path = ["hooks", at, "model"];
      const id = this.#asked(target.model, path);
      const card = this.#cards.get(this.#canonical(id));
      const changed = overlay.find((one) => one.id === card?.id)?.operations;
      const operations = [...(changed ?? card?.operations ?? CHAT_ONLY)];
      if (card && !operations.includes(target.kind))
        this.#issues.atValue(path, `isn't a ${target.kind} model: ${id} is for ${operations.join(", ")}`);
    }
  }

  router(router: NonNullable<Config["router"]>): RouterRules {
    const deny = this.#patterns(router.deny ?? [], ["router", "deny"]);
    const allow = this.#patterns(router.allow ?? ["*"], ["router", "allow"]);
    const pin: Partial<Record<string, string>> = {};
    for (const [skill, id] of Object.entries(router.pin ?? {})) {
      if (id !== undefined) pin[skill] = this.#effective(id, ["router", "pin", skill]);
    }
    const quality = router.fair?.quality;
    return {
      fairQuality: (quality === undefined ? null : parseShare(quality)) ?? FAIR_QUALITY,
      ...(allow.includes("*") ? {} : { allow }),
      deny,
      pin,
      rules: (router.rules ?? []).map((rule, at) => this.#rule(rule, ["router", "rules", at])),
      explore: parseShare(router.explore ?? 0) ?? 0,
      ...(router.preview ? { preview: true } : {}),
    };
  }

  #rule({ category, at_least, models, deny }: RuleConfig, path: Path): CategoryRule {
    if (models === undefined && deny === undefined)
      this.#issues.atValue(path, "has no effect: expected models or deny");
    return {
      category,
      shareMin: parseShare(at_least ?? RULE_SHARE) ?? RULE_SHARE,
      models: models?.map((id, at) => this.#effective(id, [...path, "models", at])) ?? null,
      deny: (deny ?? []).map((id, at) => this.#listed(id, [...path, "deny", at])),
    };
  }

  /** Returns the canonical id of a card, which must exist. */
  #listed(text: string, path: Path): string {
    const id = this.#canonical(text);
    if (splitId(id)?.provider.toLowerCase() === SIMULATOR) {
      this.#issues.atValue(path, `${id} is only available with the simulator (serve --simulate)`);
    } else if (!this.#cards.has(id))
      this.#issues.atValue(path, NO_MODEL, () => describeUnknownModel(text, this.#cards));
    return id;
  }

  /** Returns the canonical id of a card, which must exist and whose provider must be enabled. */
  #effective(text: string, path: Path): string {
    const id = this.#listed(text, path);
    if (this.#cards.has(id) && this.#isOff(id)) this.#issues.atValue(path, describeOff(id));
    return id;
  }

  /** Returns the id in its canonical form, or the text itself if it names no card. */
  #canonical(text: string): string {
    return this.#ids.get(normaliseId(text)) ?? text;
  }

  #isOff(id: string): boolean {
    const provider = splitId(id)?.provider.toLowerCase();
    return this.#on !== null && this.#cards.has(id) && !this.#on.has(provider ?? "");
  }

  /** True if the text is already an id. Ids take precedence over aliases. */
  #isTaken(text: string): boolean {
    const id = this.#canonical(text);
    return findSelector(text) !== null || (this.#on !== null && this.#cards.has(id) && !this.#isOff(id));
  }

  /** True if the provider accepts names that the catalogue doesn't have, or lists its models itself. */
  #passes(text: string): boolean {
    const provider = splitId(text)?.provider.toLowerCase() ?? "";
    if (provider === SIMULATOR) return this.#isSimulated;
    const setup = this.#on?.get(provider);
    return setup?.unlistedModels === true || setup?.discovers === true;
  }

  /** True for an id that no card has, and that costs what its relative does. */
  #hasFamilyPrice(id: string): boolean {
    const { provider = "", name = "" } = splitId(id) ?? {};
    const setup = this.#on?.get(provider.toLowerCase());
    if (setup?.familyPrice?.names.test(name) !== true || this.#cards.has(this.#canonical(id))) return false;
    const cards = [...this.#cards.values()].filter((card) => card.provider === setup.name);
    return findRelative(name, cards) !== null;
  }
}

function describeOff(id: string): string {
  return `has no effect: ${splitId(id)?.provider} is not an enabled provider`;
}

function parseHedge(hedge: NonNullable<OverlayConfig["hedge"]>): HedgeRules {
  const percentile = parsePercentile(hedge.after);
  const after = percentile === null ? { ms: parseDuration(hedge.after) ?? 0 } : { percentile };
  return { after, shareMax: parseShare(hedge.at_most) ?? 0 };
}
