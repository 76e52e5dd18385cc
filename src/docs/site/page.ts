// Renders the manual's pages as HTML: a chapter, or the API's page, in the same frame.
import { EXAMPLE_ADDRESS } from "./address.ts";
import { type Chapter, toAddress } from "./chapter.ts";
import { API_PAGE, INDEX, PARTS } from "./contents.ts";

/** The search index, beside the manual's script. */
export const SEARCH_INDEX = "search.json";
/** The OpenAPI document as a gateway serves it. */
export const API_DOCUMENT = "/openapi.json";
/** The link to the console, in each page's head. */
export const CONSOLE_LINK = '<a class="aside" href="/">Console</a>';
/** The page in the place of one that is missing. */
export const MISSING_PAGE = "404";

/** Every chapter of the manual by its name. */
export type Manual = ReadonlyMap<string, Chapter>;

export function renderChapter(chapter: Chapter, manual: Manual): string {
  const { name, title, summary, html } = chapter;
  const twin = `/docs/${name}.md`;
  const body = `<main id="main" tabindex="-1"><article>
${html}</article>
${renderNeighbours(name, manual)}
<p class="twin"><a href="${twin}">This chapter as Markdown</a></p>
</main>
${renderOutline(chapter)}`;
  const head = `<meta name="description" content="${escapeHtml(summary)}">
<link rel="alternate" type="text/markdown" href="${twin}">`;
  return renderFrame({ name, title, head, body }, manual);
}

/** The script renders `/openapi.json` on the page, one part at a time: all routes at once are a wall. */
export function renderApiPage(manual: Manual): string {
  const head = `<link rel="stylesheet" href="/docs/swagger-ui.css">
<script src="/docs/swagger-ui.js" defer></script>`;
  const body = `<main id="main" tabindex="-1"><nav aria-label="Parts of the API"><ul id="api-tags"></ul></nav><div id="api" data-document="${API_DOCUMENT}"></div></main>`;
  return renderFrame({ name: API_PAGE, title: "API", head, body }, manual);
}

/** The script lists what the search finds for the words of the address. */
export function renderMissingPage(manual: Manual): string {
  const body = `<main id="main" tabindex="-1"><article>
<h1>There is no such page</h1>
<p>The manual has no page at this address. Search it, or go to <a href="${toAddress(INDEX)}">its overview</a>.</p>
<section class="suggested" hidden>
<h2>Perhaps you are looking for</h2>
<ul></ul>
</section>
</article></main>`;
  return renderFrame({ name: MISSING_PAGE, title: "No such page", head: "", body }, manual);
}

interface ManualPage {
  readonly name: string;
  readonly title: string;
  readonly head: string;
  readonly body: string;
}

function renderFrame({ name, title, head, body }: ManualPage, manual: Manual): string {
  const shownTitle = name === INDEX ? title : `${title} · Poundkey`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(shownTitle)}</title>
<link rel="icon" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/manual.css">
<script src="/docs/manual.js" defer data-address="${EXAMPLE_ADDRESS}" data-index="${SEARCH_INDEX}"></script>
${head}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<a class="brand" href="/docs"><img src="/docs/icon.svg" alt="" width="24" height="24">Poundkey <span>manual</span></a>
<search hidden>
<input type="search" placeholder="Search the manual" aria-label="Search the manual" autocomplete="off" spellcheck="false">
<div class="found" hidden><p role="status"></p><ol></ol></div>
</search>
${CONSOLE_LINK}
<button class="open-chapters" popovertarget="chapters">Chapters</button>
</header>
<div class="columns">
${renderNavigation(name, manual)}
${body}
</div>
</body>
</html>
`;
}

function renderNavigation(current: string, manual: Manual): string {
  const item = (name: string, title: string) => {
    const mark = name === current ? ' aria-current="page"' : "";
    return `<li><a href="${toAddress(name)}"${mark}>${escapeHtml(title)}</a></li>`;
  };
  const parts = PARTS.map(({ title, chapters }) => {
    const items = chapters.map((name) => item(name, shortenTitle(name, manual)));
    const open = chapters.includes(current) ? " open" : "";
    return `<details${open}><summary>${title}</summary>\n<ul>\n${items.join("\n")}\n</ul></details>`;
  });
  return `<nav id="chapters" popover aria-label="Chapters">
<ul>
${item(INDEX, "Overview")}
</ul>
${parts.join("\n")}
<ul>
${item(API_PAGE, "API")}
</ul>
</nav>`;
}

/** The beginnings of titles that stand under the same words, up to the first letter that is shown. */
const SAID_ABOVE = /^Migrating from |^(?:Configuration|Admin API): (.)/;

/** Shortens "Migrating from LiteLLM" to "LiteLLM" and "Configuration: people" to "People". */
function shortenTitle(name: string, manual: Manual): string {
  const title = manual.get(name)?.title ?? name;
  return title.replace(SAID_ABOVE, (_, first = "") => first.toUpperCase());
}

/** If there are more entries than this, only the larger headings are listed. */
const OUTLINE_MAX = 20;

function renderOutline({ headings }: Chapter): string {
  const shown = headings.length > OUTLINE_MAX ? headings.filter(({ level }) => level === 2) : headings;
  if (shown.length < 2) return "";
  const items = shown.map(
    ({ level, id, html }) => `<li${level === 2 ? "" : ' class="below"'}><a href="#${id}">${html}</a></li>`,
  );
  return `<nav class="outline" aria-label="On this page">
<h2>On this page</h2>
<ul>
${items.join("\n")}
</ul>
</nav>`;
}

function renderNeighbours(name: string, manual: Manual): string {
  const names = [...manual.keys()];
  const at = names.indexOf(name);
  const link = (neighbour: string | undefined, rel: string, before: string) => {
    if (neighbour === undefined) return "";
    const title = manual.get(neighbour)?.title ?? neighbour;
    return `<a rel="${rel}" href="${toAddress(neighbour)}"><span>${before}</span> ${escapeHtml(title)}</a>`;
  };
  const before = link(names[at - 1], "prev", "Previous");
  const after = link(names[at + 1], "next", "Next");
  return `<nav class="neighbours" aria-label="Neighbouring chapters">${before}${after}</nav>`;
}

function escapeHtml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
}
