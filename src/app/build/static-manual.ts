// The manual as files for any web server or none: the gateway's own pages, whose links become relative.
import { configJsonSchema } from "../../config/published-schema.ts";
import { EXAMPLE_ADDRESS, fillAddress } from "../../docs/site/address.ts";
import { writeDataScript } from "../../docs/site/load-data.ts";
import { API_DOCUMENT, CONSOLE_LINK, MISSING_PAGE, SEARCH_INDEX } from "../../docs/site/page.ts";
import { readApiDocument } from "./api-document.ts";
import { loadDocsFiles } from "./page-files.ts";

interface StaticOptions {
  /** The gateway's address in the examples. Null for a made-up one. */
  readonly address: string | null;
  /** The address of a console to link to. Null for no link. */
  readonly console: string | null;
  /** The address at which these files are published. Null if they aren't. */
  readonly site: string | null;
}

/** Scripts that hold data, since browsers fetch nothing for pages that are opened as files. */
const SEARCH_SCRIPT = "search.js";
const API_SCRIPT = "openapi.js";

const LINK = /(?<=\b(?:href|src|data-document)=")\/(?!\/)[^"]*/g;

/** The forms in which files name others, by the ends of their names. Files of other kinds stay as they are. */
const FORMS: Readonly<Record<string, (text: string, consoleUrl: string | null) => string>> = {
  html: (text, consoleUrl) => {
    const own = consoleUrl === null ? "" : CONSOLE_LINK.replace('href="/"', `href="${consoleUrl}/"`);
    const page = text
      .replace(CONSOLE_LINK, own)
      .replace(`data-index="${SEARCH_INDEX}"`, `data-index="${SEARCH_SCRIPT}"`)
      .replace(`data-document="${API_DOCUMENT}"`, `data-document="${API_SCRIPT}"`);
    return page.replace(LINK, toFile);
  },
  md: placeMarkdown,
  txt: placeMarkdown,
};

function placeMarkdown(text: string): string {
  return text.replace(/(?<=\]\()\/(?!\/)[^)]*/g, toFile).replace(/^<!-- \/docs\/(.+) -->$/gm, "<!-- $1 -->");
}

/** `/docs/books#books` is `books.html#books`, and `/docs/manual.css` `manual.css`. */
function toFile(address: string): string {
  const [path = "", ...anchor] = address.split(/(?=#)/);
  const name = path.replace(/^\/(docs(\/|$))?/, "");
  const file = name === "" ? "index.html" : name.includes(".") ? name : `${name}.html`;
  return file + anchor.join("");
}

/** Returns the files by their names. The same program and options give the same bytes. */
export async function buildStaticManual({
  address,
  console: consoleUrl,
  site,
}: StaticOptions): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const files = new Map<string, string | Uint8Array>();
  const shown = address ?? EXAMPLE_ADDRESS;
  const document = await readApiDocument(shown);
  files.set(API_SCRIPT, writeDataScript(document));
  files.set("openapi.json", formatJson(document));
  files.set("config.schema.json", formatJson(configJsonSchema()));
  for (const { name, gzip } of await loadDocsFiles()) {
    const bytes = Bun.gunzipSync(gzip);
    const place = FORMS[name.slice(name.lastIndexOf(".") + 1)];
    if (name === SEARCH_INDEX) files.set(SEARCH_SCRIPT, writeSearchScript(bytes));
    else files.set(name, place ? fillAddress(place(decode(bytes), consoleUrl), shown) : bytes);
  }
  if (site !== null) files.set("sitemap.txt", listPages(site, files.keys()));
  return files;
}

/** Lists the pages for search engines. */
function listPages(site: string, names: Iterable<string>): string {
  const pages = [...names].filter((name) => name.endsWith(".html") && name !== `${MISSING_PAGE}.html`);
  const base = site.endsWith("/") ? site : `${site}/`;
  return pages
    .toSorted()
    .map((name) => `${base}${name}\n`)
    .join("");
}

function writeSearchScript(index: Uint8Array): string {
  const entries: readonly { readonly href: string }[] = JSON.parse(decode(index));
  return writeDataScript(entries.map((entry) => ({ ...entry, href: toFile(entry.href) })));
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function formatJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
