// What a right configuration is warned of: fields that mean something else, or cost something, since a release.
import type { Issue } from "./errors.ts";
import type { Config } from "./schema.ts";

export function warningsOf(config: Config): readonly Issue[] {
  return Object.entries(config.providers ?? {}).flatMap(([name, provider]) => {
    if (provider?.unlisted_models !== true) return [];
    const message = `names that the catalogue doesn't hold have no price, and share one label in the metrics: model="${name}#(unlisted)"`;
    return [{ path: ["providers", name, "unlisted_models"], at: "value" as const, message }];
  });
}
