// Names the guard's rules and lists that a reload changes, for the audit log: of words and allowed values only digests.
import type { GuardSettings } from "../../core/models/guard.ts";
import { digestSecret } from "../../keys/secret.ts";

const DIGEST_CHARACTERS = 16;

type GuardSummary = Readonly<Record<string, string>>;

/** Returns what changed as fields of an entry, on both sides. Both are empty if nothing did. */
export function compareGuards(
  before: GuardSettings | undefined,
  after: GuardSettings | undefined,
  pepper: Uint8Array,
): { readonly before: GuardSummary; readonly after: GuardSummary } {
  if (before?.version === after?.version) return { before: {}, after: {} };
  const was = summarize(before, pepper);
  const is = summarize(after, pepper);
  return { before: pickChanged(was, is), after: pickChanged(is, was) };
}

function summarize(guard: GuardSettings | undefined, pepper: Uint8Array): GuardSummary {
  if (guard === undefined) return {};
  const digest = (value: unknown) => digestSecret(JSON.stringify(value), pepper).slice(0, DIGEST_CHARACTERS);
  const describeList = (list: readonly string[]) => `${list.length} in all, digest ${digest(list)}`;
  const rules = guard.rules.map((rule) => [`guard.rules.${rule.name}`, digest(rule)] as const);
  const words = [...guard.words].map(([name, list]) => [`guard.words.${name}`, describeList(list)] as const);
  const allow = ["guard.allow", describeList(guard.allow)] as const;
  return Object.fromEntries([...rules, ...words, ...(guard.allow.length > 0 ? [allow] : [])]);
}

function pickChanged(one: GuardSummary, other: GuardSummary): GuardSummary {
  return Object.fromEntries(Object.entries(one).filter(([field, value]) => other[field] !== value));
}
