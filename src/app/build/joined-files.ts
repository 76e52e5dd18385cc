// The manual's files that repeat its chapters: one text of all, and the search index. They are made of the chapters' Markdown
// when they are asked for, so that a program doesn't hold the manual's words once more for each.
import { readChapter } from "../../docs/site/chapter.ts";
import { CHAPTER_NAMES } from "../../docs/site/contents.ts";
import { joinChapters } from "../../docs/site/llms.ts";
import { SEARCH_INDEX } from "../../docs/site/page.ts";
import { makeWhenAsked, type PageFile } from "../../http/serve/files.ts";
import { buildSearchIndex } from "./search-index.ts";

/** Describes them, given the files that hold the chapters' Markdown. Making them throws if a chapter is missing. */
export function joinFiles(files: readonly PageFile[]): readonly PageFile[] {
  const byName = new Map(files.map((file) => [file.name, file]));
  const readTwins = () => CHAPTER_NAMES.map((name) => ({ name, markdown: readText(byName, `${name}.md`) }));
  const make = (name: string, write: (twins: ReturnType<typeof readTwins>) => string) =>
    makeWhenAsked(name, () => Bun.gzipSync(Buffer.from(write(readTwins())), { level: 9 }));
  return [
    make("llms-full.txt", joinChapters),
    make(SEARCH_INDEX, (twins) =>
      JSON.stringify(buildSearchIndex(twins.map(({ name, markdown }) => readChapter(name, markdown)))),
    ),
  ];
}

function readText(files: ReadonlyMap<string, PageFile>, name: string): string {
  const file = files.get(name);
  if (!file) throw new Error(`the manual has no ${name}`);
  return new TextDecoder().decode(Bun.gunzipSync(file.gzip));
}
