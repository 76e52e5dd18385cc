// Findings of the guard in a request and its answer, as rows keep them: lists in JSON, which the store sums by.

import { asArray, asNumber, parseJson } from "../json/json.ts";
import { GUARD_ACTIONS, GUARD_PLACES, type GuardFinding, type GuardPlace } from "../models/guard.ts";

/** Detectors' names, and those of the operator's words with their prefix. */
export const DETECTOR_PATTERN = "(words:)?[a-z][a-z0-9_]*";

/** Returns findings as a row keeps them: `[["email","report","request",2,"personal"]]`. Null for none. */
export function formatFindings(found: readonly GuardFinding[]): string | null {
  if (found.length === 0) return null;
  return JSON.stringify(
    found.map(({ detector, action, at, count, rule }) => [detector, action, at, count, rule]),
  );
}

/** Returns the findings of a row. Those of a later program with words that this one doesn't know are left out. */
export function readFindings(kept: string | null): GuardFinding[] {
  return kept === null ? [] : asArray(parseJson(kept)).flatMap(readFinding);
}

/** Returns the findings at a place as a span has them: `email=report:2,iban=mask:1`. Null for none. */
export function describeFindings(findings: readonly GuardFinding[], place: GuardPlace): string | null {
  return describe(findings.filter(({ at }) => at === place));
}

/** Returns the findings of the request that were acted on, as its client's header has them. Null for none. */
export function describeActed(findings: readonly GuardFinding[]): string | null {
  return describe(findings.filter(({ at, action }) => at === "request" && action !== "report"));
}

function describe(findings: readonly GuardFinding[]): string | null {
  return findings.map(({ detector, action, count }) => `${detector}=${action}:${count}`).join(",") || null;
}

function readFinding(kept: unknown): readonly GuardFinding[] {
  const [detector, word, place, count, rule] = asArray(kept);
  const action = GUARD_ACTIONS.find((one) => one === word);
  const at = GUARD_PLACES.find((one) => one === place);
  if (typeof detector !== "string" || action === undefined || at === undefined) return [];
  return [{ detector, action, at, count: asNumber(count) ?? 0, rule: typeof rule === "string" ? rule : "" }];
}

/** The text by which a row's findings of a detector are found: quotes within other texts have a backslash before them. */
export function markFinding(detector: string): string {
  return `[${JSON.stringify(detector)},`;
}
