// Chooses among the operator's settings for agents those of a person.
import type { AgentPolicy } from "../core/people/sign-in.ts";

/** Returns the first in the operator's order that names one of the groups, or `*`. Null if none does. */
export function findPolicy(policies: readonly AgentPolicy[], groups: readonly string[]): AgentPolicy | null {
  return policies.find(({ group }) => group === "*" || groups.includes(group)) ?? null;
}
