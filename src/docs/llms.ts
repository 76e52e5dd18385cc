// Writes the manual's index for language models, in the form of llmstxt.org.
import { INDEX, PARTS } from "./contents.ts";
import type { Manual } from "./page.ts";

export function renderLlmsText(manual: Manual): string {
  const first = manual.get(INDEX);
  const lines = (names: readonly string[]) =>
    names.flatMap((name) => {
      const chapter = manual.get(name);
      return chapter ? [`- [${chapter.title}](/docs/${name}.md): ${chapter.summary}`] : [];
    });
  const parts = PARTS.flatMap(({ title, chapters }) => ["", `## ${title}`, "", ...lines(chapters)]);
  const reference = [
    "",
    "## Reference",
    "",
    "- [OpenAPI document](/openapi.json): every route",
    "- [Configuration schema](/config.schema.json): the configuration file as JSON Schema",
  ];
  return `${[`# ${first?.title ?? "Poundkey"}`, "", `> ${first?.summary ?? ""}`, ...parts, ...reference].join("\n")}\n`;
}
