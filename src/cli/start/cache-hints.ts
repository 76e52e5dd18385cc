// The providers of Claude that mark no prompts for the cache, and what that costs those whose API has no marks.
import { listClaudeProviders } from "../../app/models/claude-providers.ts";
import type { Settings } from "../../core/settings.ts";

interface CacheHint {
  readonly provider: string;
  readonly field: string;
  readonly message: string;
}

/** At the prices of claude-sonnet-5, whose cache is read at a tenth and written at five quarters of the input's price. */
const MESSAGE =
  "chat, Responses and Gemini clients such as Codex can't mark prompts for Claude's cache, and pay the whole prompt in each turn; with cache_marks: conversations, an agent's 30 turns pay a seventh of that, and a single request pays what it pays now";

export function listCacheHints(settings: Settings): readonly CacheHint[] {
  return listClaudeProviders(settings)
    .filter(({ cacheMarks }) => cacheMarks === "off")
    .map(({ name }) => ({ provider: name, field: `providers.${name}.cache_marks`, message: MESSAGE }));
}
