// Builds the search index of the manual: an entry for each section of each chapter.
import { type Chapter, toAddress } from "../../docs/site/chapter.ts";
import type { Entry } from "../../docs/site/search.ts";

export function buildSearchIndex(chapters: Iterable<Chapter>): readonly Entry[] {
  return [...chapters].flatMap(({ name, title, sections }) =>
    sections.map(({ id, heading, text }) => {
      const href = toAddress(name) + (id === "" ? "" : `#${id}`);
      return { href, chapter: title, heading, text };
    }),
  );
}
