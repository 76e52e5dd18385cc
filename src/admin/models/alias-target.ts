// The target of an alias, as operators write it: a model, a selector, a group of models, or a selector with a policy.
import { type Static, Type } from "@sinclair/typebox";
import { type Catalogue, findSelector } from "../../catalogue/catalogue.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import {
  type Alias,
  type AliasTarget,
  GROUP_MAX,
  isPolicy,
  MAX_COST_USD,
  MAX_MS,
  PATTERNS_MAX,
  refuseQuality,
  type SelectorPolicy,
} from "../../core/models/alias.ts";
import { SELECTORS, type Selector } from "../../core/models/selector.ts";
import { integerSchema, numberSchema, weightSchema } from "../input.ts";
import { cacheSettingSchema, readCacheSetting } from "../keys/cache-setting.ts";
import { closeObject, number, share, text, type View } from "../schema.ts";

const member = closeObject({ model: text, weight: Type.Optional(weightSchema) });
const members = Type.Array(member, {
  minItems: 1,
  maxItems: GROUP_MAX,
  expected: `1 to ${GROUP_MAX} models`,
});
const patterns = Type.Array(
  Type.String({ pattern: "^[^\\s]{1,300}$", expected: "a model id or a pattern" }),
  {
    minItems: 1,
    maxItems: PATTERNS_MAX,
    expected: `1 to ${PATTERNS_MAX} model ids or patterns`,
  },
);
/** With a pattern, which the check of what was stored knows. */
const selector = Type.Unsafe<Selector>({
  ...Type.String({ pattern: `^(${SELECTORS.join("|")})$` }),
  enum: SELECTORS,
});
const policySchema = closeObject({
  selector,
  ...Type.Partial(
    Type.Object({
      quality: share,
      allow: patterns,
      deny: patterns,
      max_cost_usd: numberSchema(0, MAX_COST_USD),
      max_ms: integerSchema(1, MAX_MS),
      cache: cacheSettingSchema,
    }),
  ).properties,
});
export const target = Type.Union([text, members, policySchema], {
  expected: "a model id, a list of { model, weight }, or a selector with a policy",
});
export type Target = Static<typeof target>;

export const aliasTargetSchema = Type.Union([
  text,
  Type.Array(Type.Object({ model: text, weight: number })),
  policySchema,
]);
type TargetView = View<typeof aliasTargetSchema>;

export function viewTarget(alias: Alias): TargetView {
  if (typeof alias === "string" || !isPolicy(alias)) return alias;
  const { maxCostUsd: max_cost_usd, maxMs: max_ms, ...policy } = alias;
  return {
    ...policy,
    ...(max_cost_usd === undefined ? {} : { max_cost_usd }),
    ...(max_ms === undefined ? {} : { max_ms }),
  };
}

/** Undoes `viewTarget`. */
export function parseTarget(view: TargetView): Alias {
  return typeof view === "string" || !("selector" in view) ? view : parsePolicy(view);
}

function parsePolicy({ max_cost_usd, max_ms, ...policy }: View<typeof policySchema>): SelectorPolicy {
  return {
    ...policy,
    ...(max_cost_usd === undefined ? {} : { maxCostUsd: max_cost_usd }),
    ...(max_ms === undefined ? {} : { maxMs: max_ms }),
  };
}

/** Throws the Fault `invalid_value` for a model that isn't served, one that is named twice, or a quality without effect. */
export function readTarget(catalogue: Catalogue, given: Target): Alias {
  if (typeof given === "string")
    return findSelector(given) === null ? readModel(catalogue, given, "target") : given;
  if ("selector" in given) {
    const refused = refuseQuality(given);
    if (refused !== null) throw invalidValue("target.quality", refused);
    if (given.cache) readCacheSetting(given.cache, "target.cache");
    return parsePolicy(given);
  }
  const targets = given.map((one, at) => readMember(catalogue, one, `target[${at}].model`));
  const twice = targets.findIndex(({ model }, at) => targets.findIndex((one) => one.model === model) < at);
  if (twice !== -1) throw invalidValue(`target[${twice}].model`, "this model is listed twice");
  return targets;
}

function readMember(
  catalogue: Catalogue,
  { model, weight = 1 }: Static<typeof member>,
  param: string,
): AliasTarget {
  if (findSelector(model) !== null) {
    throw invalidValue(param, "a group can only contain models, not selectors");
  }
  return { model: readModel(catalogue, model, param), weight };
}

/** Returns the canonical id of a model that clients can request. */
function readModel(catalogue: Catalogue, text: string, param: string): string {
  const found = catalogue.resolve(text);
  if (found.kind === "card") return found.card.id;
  const near = found.kind === "unknown" ? found.nearest.map((id) => `'${id}'`).join(" or ") : "";
  const hint = near === "" ? "" : `; did you mean ${near}?`;
  throw invalidValue(param, `this model doesn't exist or isn't available${hint}`);
}
