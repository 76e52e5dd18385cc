// Finds sections of the manual by the manual's own search, in this page: what is looked for may be a secret.
import { buildIndex, type Entry, findSections, type SearchIndex } from "../../docs/site/search.ts";
import { fetchPath } from "../browser.ts";
import { MANUAL, type Place } from "../frame/places.ts";

const SHOWN_MAX = 4;

let index: Promise<SearchIndex> | null = null;

/** The manual's index, asked for once. After a failure, the next search asks again. */
function loadIndex(): Promise<SearchIndex> {
  index ??= readIndex();
  index.catch(() => {
    index = null;
  });
  return index;
}

async function readIndex(): Promise<SearchIndex> {
  const answer = await fetchPath("/docs/search.json", {});
  if (!answer.ok) throw new Error(`the manual's index: status ${answer.status}`);
  const entries: readonly Entry[] = await answer.json();
  return buildIndex(entries);
}

/** Finds the section of each chapter that answers best. */
export async function findChapters(text: string): Promise<readonly Place[]> {
  const found = findSections(await loadIndex(), text);
  const seen = new Set<string>();
  return found
    .filter(({ entry: { chapter } }) => !seen.has(chapter) && seen.add(chapter))
    .slice(0, SHOWN_MAX)
    .map(({ entry: { chapter, heading, href } }) => {
      return { kind: MANUAL, name: heading === chapter ? chapter : `${chapter} › ${heading}`, path: href };
    });
}
