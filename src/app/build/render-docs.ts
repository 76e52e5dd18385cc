// Renders the manual's files from their sources, for the build and for a gateway that runs from source.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readChapter } from "../../docs/site/chapter.ts";
import { API_PAGE, CHAPTER_NAMES } from "../../docs/site/contents.ts";
import { joinChapters, renderLlmsText } from "../../docs/site/llms.ts";
import { renderApiPage, renderChapter } from "../../docs/site/page.ts";
import type { PageFile } from "../../http/serve/files.ts";
import { buildSearchIndex } from "./search-index.ts";

const SOURCES = join(import.meta.dir, "..", "..", "docs");
/** The code of the pages and their style. */
const SITE = join(SOURCES, "site");
const CONSOLE = join(import.meta.dir, "..", "..", "console");
const PICTURES = ["overview.png", "request.png"];

/** Swagger UI's bundle only defines a function; this script calls it to draw the page. */
const DRAW_API = `
const api = document.getElementById("api");
const list = document.getElementById("api-tags");
const wanted = decodeURIComponent(location.hash.slice(1).split("/")[0] || "");
const shown = (one) => !one["x-internal"];
// Paths without what isn't to be built on, and with one tag's operations alone.
const pick = (paths, isPicked) =>
  Object.fromEntries(
    Object.entries(paths)
      .map(([path, all]) => [path, Object.fromEntries(Object.entries(all).filter(([, one]) => isPicked(one)))])
      .filter(([, all]) => Object.keys(all).length > 0),
  );
const link = (tag, count) => {
  const item = document.createElement("li");
  const anchor = document.createElement("a");
  anchor.href = "#" + encodeURIComponent(tag);
  anchor.textContent = tag;
  if (tag === wanted) anchor.setAttribute("aria-current", "page");
  item.append(anchor, " " + count);
  return item;
};
fetch(api.dataset.document)
  .then((answer) => answer.json())
  .then((spec) => {
    const operations = Object.values(spec.paths).flatMap(Object.values).filter(shown);
    const counts = new Map();
    for (const { tags: [tag] = ["Others"] } of operations) counts.set(tag, (counts.get(tag) || 0) + 1);
    list.replaceChildren(...[...counts].sort().map(([tag, count]) => link(tag, count)));
    const [first] = [...counts.keys()].sort();
    const tag = counts.has(wanted) ? wanted : first;
    const paths = pick(spec.paths, (one) => shown(one) && (one.tags || ["Others"])[0] === tag);
    SwaggerUIBundle({
      spec: { ...spec, paths },
      domNode: api,
      docExpansion: "list",
      defaultModelsExpandDepth: -1,
      validatorUrl: null,
    });
  });
addEventListener("hashchange", () => location.reload());
`;

/** Renders and compresses the manual. Throws if a chapter is missing or has no title. */
export async function renderDocs(): Promise<readonly PageFile[]> {
  const sources = CHAPTER_NAMES.map((name) => ({ name, markdown: readText(SOURCES, `${name}.md`) }));
  const twins = sources.map(({ name, markdown }) => ({ name, markdown: adaptTwin(markdown) }));
  const manual = new Map(sources.map(({ name, markdown }) => [name, readChapter(name, markdown)]));
  const files: readonly (readonly [name: string, content: string | Buffer])[] = [
    ...twins.map(({ name, markdown }) => [`${name}.md`, markdown] as const),
    ...[...manual.values()].map(
      (chapter) => [`${chapter.name}.html`, renderChapter(chapter, manual)] as const,
    ),
    [`${API_PAGE}.html`, renderApiPage(manual)],
    ["llms.txt", renderLlmsText(manual)],
    ["llms-full.txt", joinChapters(twins)],
    ["search.json", JSON.stringify(buildSearchIndex(manual.values()))],
    ["manual.css", readText(CONSOLE, "style/tokens.css") + readText(SITE, "manual.css")],
    ["manual.js", await bundleScript()],
    ["swagger-ui.css", readPackaged("swagger-ui.css")],
    ["swagger-ui.js", readPackaged("swagger-ui-bundle.js") + DRAW_API],
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
