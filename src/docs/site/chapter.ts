// Reads a chapter from its Markdown: its HTML, its headings, and its text by section for the search.
import { INDEX } from "./contents.ts";

interface Heading {
  readonly level: number;
  readonly id: string;
  /** HTML, since a heading may hold code. */
  readonly html: string;
}

interface ChapterSection {
  /** The anchor within the chapter; empty for the text under the title. */
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

export interface Chapter {
  readonly name: string;
  readonly title: string;
  /** The first paragraph, as plain text, without "In short". */
  readonly summary: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly ChapterSection[];
}

const HEADING = /<h([1-3]) id="([^"]*)">(.*?)<\/h\1>/gs;

/** Throws if the text doesn't begin with a title. */
export function readChapter(name: string, markdown: string): Chapter {
  const rendered = Bun.markdown.html(markdown, { headings: { ids: true } });
  const headings = [...rendered.matchAll(HEADING)].map(([, level, id, html]) => {
    return { level: Number(level), id: id ?? "", html: html ?? "" };
  });
  const [title] = headings;
  if (title?.level !== 1) throw new Error(`${name}.md does not begin with a title.`);
  return {
    name,
    title: readPlainText(title.html),
    summary: readSummary(rendered),
    html: adaptToPage(rendered),
    headings: headings.filter(({ level }) => level > 1),
    sections: splitSections(rendered),
  };
}

function readSummary(rendered: string): string {
  const first = /<p>(.*?)<\/p>/s.exec(rendered)?.[1] ?? "";
  return readPlainText(
    first.replace(/^<strong>In short<\/strong>: (.)/, (_, letter: string) => letter.toUpperCase()),
  );
}

export function toAddress(name: string): string {
  return name === INDEX ? "/docs" : `/docs/${name}`;
}

/** Turns links between files into links between pages, links each heading to itself, and lets wide blocks scroll on their own. */
function adaptToPage(rendered: string): string {
  return rendered
    .replace(/href="([a-z-]+)\.md(#[^"]*)?"/g, (_, name, at = "") => `href="${toAddress(name)}${at}"`)
    .replace(/src="\.\.\/console\/pictures\//g, 'loading="lazy" src="/docs/')
    .replace(HEADING, (whole, level, id, html) =>
      level === "1" ? whole : `<h${level} id="${id}"><a href="#${id}">${html}</a></h${level}>`,
    )
    .replace(/<table>.*?<\/table>/gs, (table) => `<div class="wide">${breakNames(labelCells(table))}</div>`)
    .replace(/<pre>/g, '<pre class="wide">');
}

const FIRST_CELL = /(?<=<tr>\s*<td[^>]*>).*?(?=<\/td>)/gs;
const NAME_PART = /(?<=[a-z0-9][._/=])(?=[a-zA-Z:])/g;

/** Lets names in the first column break between their words, because nobody recognises one that is broken within. */
function breakNames(table: string): string {
  return table.replace(FIRST_CELL, (cell) =>
    cell.replace(/<code>.*?<\/code>/g, (name) => name.replace(NAME_PART, "<wbr>")),
  );
}

/** Labels each cell with the heading of its column, which narrow screens show before the cell. */
function labelCells(table: string): string {
  const labels = [...table.matchAll(/<th[^>]*>(.*?)<\/th>/g)].map(([, html]) => readPlainText(html ?? ""));
  return table.replace(/<tr>.*?<\/tr>/gs, (row) => {
    let column = 0;
    return row.replace(/<td/g, (cell) => {
      const label = labels[column++];
      return label ? `${cell} data-label="${label}"` : cell;
    });
  });
}

function splitSections(rendered: string): readonly ChapterSection[] {
  const starts = [...rendered.matchAll(HEADING)];
  return starts.map((start, at) => {
    const [whole, level, id = "", html = ""] = start;
    const end = starts[at + 1]?.index ?? rendered.length;
    const text = readPlainText(rendered.slice(start.index + whole.length, end));
    return { id: level === "1" ? "" : id, heading: readPlainText(html), text };
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&amp;": "&",
};

/** Removes the tags. Table cells, list items and paragraphs stay apart. */
function readPlainText(html: string): string {
  return html
    .replace(/<\/(p|li|td|th|tr|pre|h\d)>/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(/&(lt|gt|quot|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, " ")
    .trim();
}
