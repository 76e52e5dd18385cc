// The models to ask when one fails, each by its name alone or with the failures that lead to it.
import type { FailureKind } from "../../core/faults/failure-kinds.ts";
import type { ModelOverlay } from "../../core/settings.ts";
import type { OverlayConfig } from "../schema.ts";

type FallbackConfig = NonNullable<OverlayConfig["fallbacks"]>[number];

/** `canonical` returns the id of a model as the catalogue writes it. */
export function readFallbacks(
  given: readonly FallbackConfig[] | undefined,
  canonical: (model: string) => string,
): Pick<ModelOverlay, "fallbacks" | "fallbackFailures"> {
  if (given === undefined) return {};
  const failures = new Map<string, readonly FailureKind[]>();
  const fallbacks = given.map((one) => {
    const model = canonical(nameFallback(one));
    if (typeof one !== "string" && one.on !== undefined) failures.set(model, one.on);
    return model;
  });
  return { fallbacks, ...(failures.size > 0 ? { fallbackFailures: failures } : {}) };
}

export function nameFallback(fallback: FallbackConfig): string {
  return typeof fallback === "string" ? fallback : fallback.model;
}
