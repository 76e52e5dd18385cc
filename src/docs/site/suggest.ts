// Suggests pages of the manual for an address at which there is none: those of nearly its name, then what the search finds.
import { findNearest } from "../../core/text/nearest.ts";
import { findSections, type SearchHit, type SearchIndex } from "./search.ts";

const NEAR_MAX = 2;
const SUGGESTED_MAX = 5;
const EXCERPT_LENGTH = 160;

export function suggestPages(index: SearchIndex, pathname: string): readonly SearchHit[] {
  const last = pathname.split("/").findLast((part) => part !== "") ?? "";
  const name = last.replace(/\.(html|md)$/, "");
  const pages = new Map(
    index.sections.flatMap(({ entry }) =>
      entry.href.includes("#") ? [] : [[readName(entry.href), entry] as const],
    ),
  );
  const near = findNearest(name, pages.keys(), NEAR_MAX).flatMap((one) => {
    const entry = pages.get(one);
    return entry ? [{ entry, excerpt: cutText(entry.text), words: [] }] : [];
  });
  const found = findSections(index, name.replace(/%[\da-f]{2}|[^a-z\d]+/gi, " "));
  const others = found.filter(({ entry }) => !near.some((one) => one.entry === entry));
  return [...near, ...others].slice(0, SUGGESTED_MAX);
}

function cutText(text: string): string {
  if (text.length <= EXCERPT_LENGTH) return text;
  return `${text.slice(0, text.lastIndexOf(" ", EXCERPT_LENGTH))} …`;
}

/** `money` of `/docs/money` and of `money.html`. */
function readName(href: string): string {
  return href.slice(href.lastIndexOf("/") + 1).replace(/\.html$/, "");
}
