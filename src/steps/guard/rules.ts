// The rules of the guard that apply to a request, and the action that each detector leads to.
import type { GatewayKey } from "../../core/keys/key.ts";
import { type NamedGuardrail, refuseGuardrail } from "../../core/log/constraint.ts";
import { type ModelCard, TOOL_OPERATION } from "../../core/models/card.ts";
import { GUARD_ACTIONS, type GuardPlace, type GuardRule } from "../../core/models/guard.ts";
import { matchesAny } from "../../core/text/pattern.ts";
import { type FindAccountName, matchesAccount, matchesKey } from "../applies.ts";

const TOOL_PATTERN = /^mcp:/i;
const AWAY = "!";

/** A call, or a request that is only tried. */
interface RuledRequest {
  readonly key: GatewayKey;
  readonly ask: { readonly model: string };
  readonly operation: { readonly name: string };
  readonly guardrails?: readonly NamedGuardrail[];
}

/** Returns the rules that apply. Throws the Fault of a guardrail that the account has no rule for. */
export async function listApplying(
  rules: readonly GuardRule[],
  call: RuledRequest,
  cards: readonly ModelCard[],
  findName: FindAccountName,
): Promise<readonly GuardRule[]> {
  const applying: GuardRule[] = [];
  for (const rule of rules) {
    const named = call.guardrails?.find(({ name }) => name === rule.name);
    const isNamed = await isAdded(rule, call.key, named, findName);
    const isTool = call.operation.name === TOOL_OPERATION;
    if (isNamed && !isTool) applying.push(rule);
    else if (matchesKey(rule, call.key) && matchesModels(rule, call.ask.model, cards, isTool))
      if (await matchesAccount(rule, call.key, findName)) applying.push(rule);
  }
  return applying;
}

/** A request may name the rules of its own account: of others' it hears the same as of none. */
async function isAdded(
  rule: GuardRule,
  key: GatewayKey,
  named: NamedGuardrail | undefined,
  findName: FindAccountName,
): Promise<boolean> {
  if (named === undefined) return key.guard?.includes(rule.name) ?? false;
  if (await matchesAccount(rule, key, findName)) return true;
  throw refuseGuardrail(named);
}

/** Any of the models that may answer counts, with its provider: failover doesn't look again. Tools need real values. */
function matchesModels(
  { models, providers }: GuardRule,
  model: string,
  cards: readonly ModelCard[],
  isTool: boolean,
): boolean {
  const patterns = isTool ? models.filter((pattern) => TOOL_PATTERN.test(pattern)) : models;
  const isAsked = matchesAny(patterns, model);
  if (cards.length === 0) return isAsked;
  return cards.some(
    ({ id, provider }) => (isAsked || matchesAny(patterns, id)) && matchesProvider(providers, provider),
  );
}

/** Patterns that only take away begin with all. */
function matchesProvider(patterns: readonly string[], provider: string): boolean {
  const away = patterns.filter((pattern) => pattern.startsWith(AWAY));
  const own = away.length === patterns.length && away.length > 0 ? ["*"] : patterns;
  const isAway = matchesAny(
    away.map((pattern) => pattern.slice(AWAY.length)),
    provider,
  );
  return !isAway && matchesAny(own, provider);
}

/** Returns the rule that counts for findings of these detectors: the first with the strictest action. */
export function findStrictestRule(
  rules: readonly GuardRule[],
  detectors: readonly string[],
): GuardRule | undefined {
  const finding = rules.filter(({ detect }) => detect.some((name) => detectors.includes(name)));
  const strictest = GUARD_ACTIONS.find((action) => finding.some((rule) => rule.action === action));
  return finding.find(({ action }) => action === strictest);
}

export function listAt(rules: readonly GuardRule[], place: GuardPlace): readonly GuardRule[] {
  return rules.filter(({ at }) => at.includes(place));
}
