// The manual's script in the browser: search with its keyboard shortcut, copying code, scrolling wide blocks by keyboard.
import { fillAddress } from "./address.ts";
import { loadData } from "./load-data.ts";
import { nameReaderKey } from "./reader-key.ts";
import { buildIndex, type Entry, findSections, type SearchHit, type SearchIndex } from "./search.ts";
import { suggestPages } from "./suggest.ts";

/** Beside this script, wherever the gateway serves the manual. */
const { currentScript } = document;
const OWN_SCRIPT = currentScript instanceof HTMLScriptElement ? currentScript : null;
const OWN_URL = OWN_SCRIPT?.src ?? location.href;
const INDEX_URL = new URL(OWN_SCRIPT?.dataset.index ?? "search.json", OWN_URL).href;
/** The gateway's address in the examples. */
const ADDRESS = OWN_SCRIPT?.dataset.address;
const COPIED_MS = 1500;

const box = document.querySelector<HTMLElement>("header search");
const input = box?.querySelector("input");
const panel = box?.querySelector<HTMLElement>(".found");
const status = panel?.querySelector("p");
const list = panel?.querySelector("ol");

let index: Promise<SearchIndex> | null = null;

/** Fetches the index once, when the search is first used. */
function loadIndex(): Promise<SearchIndex> {
  index ??= loadData<readonly Entry[]>(INDEX_URL).then(buildIndex);
  index.catch(() => {
    index = null;
  });
  return index;
}

async function search(): Promise<void> {
  if (!input || !panel || !status || !list) return;
  const query = input.value;
  panel.hidden = query.trim() === "";
  if (panel.hidden) return;
  try {
    const found = findSections(await loadIndex(), query);
    if (input.value !== query) return;
    list.replaceChildren(...found.map(createResult));
    status.textContent = found.length === 0 ? "Nothing found." : `${found.length} found`;
  } catch {
    list.replaceChildren();
    status.textContent = "Can't load the search index.";
  }
}

function createResult({ entry, excerpt, words }: SearchHit): HTMLElement {
  const link = document.createElement("a");
  link.href = new URL(entry.href, OWN_URL).href;
  const name = entry.heading === entry.chapter ? entry.chapter : `${entry.chapter} › ${entry.heading}`;
  link.append(element("b", [name]), element("span", markWords(showAddress(excerpt), words)));
  return element("li", [link]);
}

/** The index is the same on every gateway, so that its answers are. */
function showAddress(text: string): string {
  return ADDRESS === undefined ? text : fillAddress(text, ADDRESS);
}

function element(name: string, children: readonly (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

/** Returns the text with the words in <mark>, the longest of those that begin at the same place. */
function markWords(text: string, words: readonly string[]): readonly (Node | string)[] {
  if (words.length === 0) return [text];
  const pattern = words
    .toSorted((one, other) => other.length - one.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("|");
  return text
    .split(new RegExp(`\\b(${pattern})\\b`, "gi"))
    .map((piece, at) => (at % 2 === 1 ? element("mark", [piece]) : piece));
}

/** Up and Down move between the field and the links under it. Escape moves back to the field, and then closes the list. */
function moveByKey(event: KeyboardEvent): void {
  if (!input || !panel) return;
  const stops: readonly HTMLElement[] = [input, ...panel.querySelectorAll("a")];
  const { activeElement } = document;
  const at = activeElement instanceof HTMLElement ? stops.indexOf(activeElement) : 0;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    stops[Math.max(0, Math.min(stops.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)))]?.focus();
  }
  if (event.key === "Enter" && at === 0) stops[1]?.click();
  if (event.key === "Escape") {
    if (at === 0) panel.hidden = true;
    input.focus();
  }
}

function focusByKey(event: KeyboardEvent): void {
  const isTyping = event.target instanceof Element && event.target.matches("input, textarea, select");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input?.focus();
}

function addCopyButton(block: HTMLElement): void {
  const button = element("button", ["Copy"]);
  button.className = "copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code")?.textContent ?? "");
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, COPIED_MS);
  });
  const holder = element("div", []);
  holder.className = "code";
  block.replaceWith(holder);
  holder.append(block, button);
}

/** Makes blocks that scroll sideways reachable by keyboard. Others would only be one more stop. */
function markScrollable(): void {
  for (const block of document.querySelectorAll<HTMLElement>(".wide")) {
    if (block.scrollWidth > block.clientWidth) {
      block.tabIndex = 0;
      block.setAttribute("role", "region");
      block.setAttribute("aria-label", block.tagName === "PRE" ? "Code" : "Table");
    } else {
      for (const name of ["tabindex", "role", "aria-label"]) block.removeAttribute(name);
    }
  }
}

/** On the page in the place of a missing one: lists what may have been meant. */
async function suggest(): Promise<void> {
  const section = document.querySelector<HTMLElement>(".suggested");
  if (!section) return;
  const found = suggestPages(await loadIndex(), location.pathname);
  section.querySelector("ul")?.replaceChildren(...found.map(createResult));
  section.hidden = found.length === 0;
}

/** A section that has moved to another chapter is linked by its old one: goes on there. */
function followMoved(): boolean {
  const { hash } = location;
  if (hash === "" || document.getElementById(hash.slice(1))) return false;
  const links = [...document.querySelectorAll<HTMLAnchorElement>("article a")];
  const link = links.find((one) => one.hash === hash);
  if (link) location.replace(link.href);
  return link !== undefined;
}

/** Opens the fields of the section that the address names. */
function openSection(): void {
  if (followMoved()) return;
  let next = document.getElementById(location.hash.slice(1))?.nextElementSibling;
  while (next && !/^H[1-3]$/.test(next.tagName)) {
    if (next instanceof HTMLDetailsElement) {
      next.open = true;
      return;
    }
    next = next.nextElementSibling;
  }
}

/** Pages that are files have no gateway that could be asked. */
if (ADDRESS !== undefined && INDEX_URL.endsWith(".json"))
  void nameReaderKey({ address: ADDRESS, place: (path) => new URL(`..${path}`, OWN_URL).href });
window.loadManualData = loadData;
openSection();
// The page says where to look, also without suggestions.
suggest().catch(() => {});
addEventListener("hashchange", openSection);
if (box) box.hidden = false;
input?.addEventListener("input", search);
input?.addEventListener("focus", search);
box?.addEventListener("keydown", moveByKey);
document.addEventListener("keydown", focusByKey);
document.addEventListener("click", (event) => {
  if (panel && event.target instanceof Node && !box?.contains(event.target)) panel.hidden = true;
});
// Browsers offer the clipboard only on secure pages and on localhost.
if (navigator.clipboard) for (const block of document.querySelectorAll("pre")) addCopyButton(block);
markScrollable();
addEventListener("resize", markScrollable);
