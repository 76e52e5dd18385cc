// Renders the manual's files from their sources, for the build and for a gateway that runs from source.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readChapter } from "../../docs/site/chapter.ts";
import { API_PAGE, CHAPTER_NAMES } from "../../docs/site/contents.ts";
import { renderLlmsText } from "../../docs/site/llms.ts";
import { MISSING_PAGE, renderApiPage, renderChapter, renderMissingPage } from "../../docs/site/page.ts";
import type { PageFile } from "../../http/serve/files.ts";

const SOURCES = join(import.meta.dir, "..", "..", "docs");
/** The code of the pages and their style. */
const SITE = join(SOURCES, "site");
const CONSOLE = join(import.meta.dir, "..", "..", "console");
const PICTURES = ["overview.webp", "request.webp"];

/** Swagger UI's bundle only defines a function; this script calls it to draw one part of the API. */
const DRAW_API = "draw-api.js";

/** Renders and compresses the manual, without the files that are made of its chapters later. Throws if a chapter is missing or has no title. */
export async function renderDocs(): Promise<readonly PageFile[]> {
  const sources = CHAPTER_NAMES.map((name) => ({ name, markdown: readText(SOURCES, `${name}.md`) }));
  const manual = new Map(sources.map(({ name, markdown }) => [name, readChapter(name, markdown)]));
  const files: readonly (readonly [name: string, content: string | Buffer])[] = [
    ...sources.map(({ name, markdown }) => [`${name}.md`, adaptTwin(markdown)] as const),
    ...[...manual.values()].map(
      (chapter) => [`${chapter.name}.html`, renderChapter(chapter, manual)] as const,
    ),
    [`${API_PAGE}.html`, renderApiPage(manual)],
    [`${MISSING_PAGE}.html`, renderMissingPage(manual)],
    ["llms.txt", renderLlmsText(manual)],
    ["manual.css", readText(CONSOLE, "style/tokens.css") + readText(SITE, "manual.css")],
    ["manual.js", await bundleScript()],
    ["swagger-ui.css", readPackaged("swagger-ui.css")],
    ["swagger-ui.js", readPackaged("swagger-ui-bundle.js") + readText(SITE, DRAW_API)],
    ["icon.svg", readText(CONSOLE, "icon.svg")],
    ...PICTURES.map((name) => [name, readFileSync(join(CONSOLE, "pictures", name))] as const),
  ];
  return files.map(([name, content]) => {
    return { name, gzip: Bun.gzipSync(Buffer.from(content), { level: 9 }) };
  });
}

/** Drops the notes to contributors, and names the pictures by where they are served. */
function adaptTwin(markdown: string): string {
  return markdown.replace(/^<!--.*?-->\n+/gms, "").replaceAll("](../console/pictures/", "](");
}

async function bundleScript(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(SITE, "browser.ts")],
    target: "browser",
    format: "iife",
    minify: true,
  });
  return (await outputs[0]?.text()) ?? "";
}

function readPackaged(name: string): string {
  return readFileSync(Bun.resolveSync(`swagger-ui-dist/${name}`, import.meta.dir), "utf8");
}

function readText(folder: string, name: string): string {
  return readFileSync(join(folder, name), "utf8");
}
