// Warnings for a valid configuration: fields that may not do what the operator means, since a release or at all.
import type { Issue } from "./errors.ts";
import type { Config } from "./schema.ts";

export function warningsOf(config: Config): readonly Issue[] {
  return Object.entries(config.providers ?? {}).flatMap(([name, provider]) => {
    if (provider?.unlisted_models !== true) return [];
    const message = `names that the catalogue doesn't hold have no price, and share one label in the metrics: model="${name}#(unlisted)"`;
    return [{ path: ["providers", name, "unlisted_models"], at: "value" as const, message }];
  });
}
