// Writes the manual for language models: its index in the form of llmstxt.org, and all chapters in one text.
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
    "- [All chapters in one text](/llms-full.txt)",
    "- [OpenAPI document](/openapi.json): every route",
    "- [Configuration schema](/config.schema.json): the configuration file as JSON Schema",
  ];
  return `${[`# ${first?.title ?? "Poundkey"}`, "", `> ${first?.summary ?? ""}`, ...parts, ...reference].join("\n")}\n`;
}

/** Joins the chapters' Markdown in the manual's order. Links to other chapters work from anywhere on the gateway. */
export function joinChapters(twins: Iterable<{ readonly name: string; readonly markdown: string }>): string {
  const texts = [...twins].map(({ name, markdown }) => {
    const text = markdown.replace(/\]\(([a-z-]+\.(?:md|webp)(?:#[^)]*)?)\)/g, "](/docs/$1)");
    return `<!-- /docs/${name}.md -->\n\n${text.trim()}\n`;
  });
  return texts.join("\n");
}
