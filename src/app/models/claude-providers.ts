// The providers of Claude at which the gateway can mark prompts for the cache.
import { buildCatalogue } from "../../catalogue/catalogue.ts";
import { MARKED_DIALECTS } from "../../core/models/dialect-names.ts";
import type { ProviderSetup, Settings } from "../../core/settings.ts";
import type { Log } from "../../core/world/world.ts";
import { chooseDialects, takesMarks } from "./dialects.ts";

export function listClaudeProviders(settings: Settings): readonly ProviderSetup[] {
  const serving = new Set(
    buildCatalogue(settings)
      .list()
      .flatMap(({ provider, name }) => (/claude/i.test(name) ? [provider] : [])),
  );
  return settings.providers.filter((setup) => serving.has(setup.name) && canMark(setup));
}

function canMark(setup: ProviderSetup): boolean {
  return takesMarks(setup) || chooseDialects(setup).some(({ name }) => MARKED_DIALECTS.has(name));
}

/** Names the providers whose requests are marked although nobody has said so. */
export function noteMarks(settings: Settings, log: Log): void {
  for (const { name, cacheMarks } of listClaudeProviders(settings))
    if (cacheMarks === undefined) log({ event: "cache_marks_on", level: "info", provider: name });
}
