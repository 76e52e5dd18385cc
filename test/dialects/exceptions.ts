// Where a provider's interface has no form for a feature: every known exception, with its reason on the wire.
import type { Turn } from "./feature.ts";

export interface Exception {
  readonly features: RegExp;
  readonly models: RegExp;
  /** What of the provider's interface makes it so. */
  readonly why: string;
  /** What is expected of the last answer instead. */
  readonly expects: Turn["expects"];
}

export const EXCEPTIONS: readonly Exception[] = [];

export function exceptionFor(feature: string, model: string): Exception | undefined {
  return EXCEPTIONS.find(({ features, models }) => features.test(feature) && models.test(model));
}
