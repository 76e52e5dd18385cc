// The providers of Claude that mark no prompts for the cache, and what that costs those whose API has no marks.
import { chooseDialects } from "../../app/models/dialects.ts";
import { buildCatalogue } from "../../catalogue/catalogue.ts";
import { MARKED_DIALECTS } from "../../core/models/dialect-names.ts";
import type { ProviderSetup, Settings } from "../../core/settings.ts";

interface CacheHint {
  readonly provider: string;
  readonly field: string;
  readonly message: string;
}

/** At the prices of claude-sonnet-5, whose cache is read at a tenth and written at five quarters of the input's price. */
const MESSAGE =
  "chat, Responses and Gemini clients such as Codex can't mark prompts for Claude's cache, and pay the whole prompt in each turn; with cache_marks: auto, an agent's 30 turns pay a seventh of that, and a single request a quarter more";

export function listCacheHints(settings: Settings): readonly CacheHint[] {
  const serving = new Set(
    buildCatalogue(settings)
      .list()
      .flatMap(({ provider, name }) => (/claude/i.test(name) ? [provider] : [])),
  );
  return settings.providers
    .filter((setup) => setup.marksCache !== true && serving.has(setup.name) && canMark(setup))
    .map(({ name }) => ({ provider: name, field: `providers.${name}.cache_marks`, message: MESSAGE }));
}

function canMark(setup: ProviderSetup): boolean {
  return chooseDialects(setup).some(({ name }) => MARKED_DIALECTS.has(name));
}
