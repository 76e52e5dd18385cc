// Citations: the sources of an answer's text, with whatever the provider says about each.
import { asNumber, asString } from "../../../core/json/json.ts";
import type { Citation, CitedSource, DocumentCitation } from "../form.ts";

type CitationUnit = NonNullable<CitedSource["location"]>["unit"];

/** A source as given by the provider, unchecked. */
export interface GivenSource {
  readonly url?: unknown;
  readonly title?: unknown;
  readonly content?: unknown;
  readonly document_id?: unknown;
  readonly container_id?: unknown;
  readonly document_index?: unknown;
  readonly location?: { readonly unit: CitationUnit; readonly start: unknown; readonly end: unknown };
}

/** Google's search URLs may contain spaces, but clients check that they are URIs. */
const NOT_IN_URI = /[\s"<>\\^`{|}]/g;

/**
 * Returns the citation of a source for the content's characters from `start` to `end`. Without a URL it cites a
 * document, and without any information it is dropped.
 */
export function makeCitation(start: number, end: number, given: GivenSource): readonly Citation[] {
  const source: CitedSource = { start_index: start, end_index: end };
  for (const field of ["content", "document_id", "container_id"] as const) {
    const text = asString(given[field]);
    if (text) source[field] = text;
  }
  const index = asNumber(given.document_index);
  if (index !== undefined) source.document_index = index;
  const from = asNumber(given.location?.start);
  const to = asNumber(given.location?.end);
  if (given.location && from !== undefined && to !== undefined) {
    source.location = { unit: given.location.unit, start: from, end: to };
  }
  const address = asString(given.url) ?? "";
  const title = asString(given.title) || address;
  const url = address.replace(NOT_IN_URI, encodeURIComponent);
  if (URL.canParse(url)) return [{ type: "url_citation", url_citation: { ...source, url, title } }];
  const name = title || (source.document_id ?? "");
  const isNamed = name !== "" || source.content !== undefined || index !== undefined;
  return isNamed ? [{ type: "document_citation", document_citation: { ...source, title: name } }] : [];
}

/** Returns the fields common to both kinds of citation. */
export function readSource(citation: Citation): CitedSource & { readonly title: string } {
  return citation.type === "url_citation" ? citation.url_citation : citation.document_citation;
}

/** Returns the citation with its position relative to `start`. */
export function moveCitation(citation: Citation, start: number): Citation {
  if (start === 0) return citation;
  const { start_index: first, end_index: last } = readSource(citation);
  const place = { start_index: Math.max(0, first - start), end_index: Math.max(0, last - start) };
  return citation.type === "url_citation"
    ? { ...citation, url_citation: { ...citation.url_citation, ...place } }
    : { ...citation, document_citation: { ...citation.document_citation, ...place } };
}

export function isDocument(citation: Citation): citation is DocumentCitation {
  return citation.type === "document_citation";
}
