// The content blocks of Converse's answers, whole or in pieces, as deltas: one mapping for streams and whole replies.
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json.ts";
import { makeCitation } from "../../operations/chat/citations.ts";
import type { Delta } from "../../operations/chat/form.ts";
import { makeReasoningDetail, makeRedactedDetail } from "./reasoning.ts";

/** A block that has begun. Nova's own tools and their results are `passed` over, since they aren't the client's. */
type OpenBlock =
  | { readonly kind: "text"; readonly startsAt: number; readonly sources: JsonObject[] }
  | { readonly kind: "call"; readonly call: number; isEmpty: boolean }
  | { readonly kind: "passed" };

const SERVER_TOOL = "server_tool_use";

export class Blocks {
  readonly #open = new Map<number, OpenBlock>();
  #contentLength = 0;
  #calls = 0;

  /** The number of calls of the client's tools. */
  get calls(): number {
    return this.#calls;
  }

  /** Only tool blocks have a start event. The others begin with their first delta. */
  start(index: number, { toolUse }: JsonObject): Delta[] {
    if (!isObject(toolUse) || toolUse.type === SERVER_TOOL) {
      this.#open.set(index, { kind: "passed" });
      return [];
    }
    const call = this.#calls++;
    this.#open.set(index, { kind: "call", call, isEmpty: true });
    const id = asString(toolUse.toolUseId);
    const name = asString(toolUse.name) ?? "";
    const start = { index: call, ...(id === undefined ? {} : { id }) };
    return [{ tool_calls: [{ ...start, type: "function", function: { name, arguments: "" } }] }];
  }

  readDelta(index: number, given: JsonObject): Delta[] {
    if (typeof given.text === "string") return this.#text(index, given.text);
    if (isObject(given.citation)) {
      this.#openText(index).sources.push(given.citation);
      return [];
    }
    if (isObject(given.reasoningContent)) return makeReasoningDelta(index, given.reasoningContent);
    return isObject(given.toolUse) ? this.#input(index, asString(given.toolUse.input) ?? "") : [];
  }

  stop(index: number): Delta[] {
    const block = this.#open.get(index);
    const deltas = block?.kind === "call" && block.isEmpty ? this.#input(index, "{}") : [];
    this.#open.delete(index);
    if (block?.kind !== "text") return deltas;
    return makeCitationsDelta(block.sources, block.startsAt, this.#contentLength);
  }

  /** Reads a block of a whole answer like its stream. */
  readWhole(index: number, given: JsonObject): Delta[] {
    return [...this.#readWholeBlock(index, given), ...this.stop(index)];
  }

  #readWholeBlock(index: number, given: JsonObject): Delta[] {
    if (isObject(given.toolUse)) {
      const { input } = given.toolUse;
      return [...this.start(index, given), ...this.#input(index, JSON.stringify(input ?? {}))];
    }
    if (isObject(given.citationsContent)) {
      const { content, citations } = given.citationsContent;
      const deltas = asArray(content).flatMap((part) => this.readDelta(index, asObject(part)));
      this.#openText(index).sources.push(...asArray(citations).filter(isObject));
      return deltas;
    }
    if (isObject(given.reasoningContent)) {
      const { reasoningText } = given.reasoningContent;
      return makeReasoningDelta(index, isObject(reasoningText) ? reasoningText : given.reasoningContent);
    }
    return typeof given.text === "string" ? this.#text(index, given.text) : [];
  }

  #openText(index: number): Extract<OpenBlock, { kind: "text" }> {
    const block = this.#open.get(index);
    if (block?.kind === "text") return block;
    const opened = { kind: "text" as const, startsAt: this.#contentLength, sources: [] };
    this.#open.set(index, opened);
    return opened;
  }

  #text(index: number, text: string): Delta[] {
    this.#openText(index);
    if (text === "") return [];
    this.#contentLength += text.length;
    return [{ content: text }];
  }

  #input(index: number, json: string): Delta[] {
    const block = this.#open.get(index);
    if (block?.kind !== "call" || json === "") return [];
    block.isEmpty = false;
    return [{ tool_calls: [{ index: block.call, function: { arguments: json } }] }];
  }
}

function makeReasoningDelta(index: number, given: JsonObject): Delta[] {
  const data = asString(given.redactedContent);
  if (data) return [{ reasoning_details: [makeRedactedDetail(index, data)] }];
  const text = asString(given.text) ?? "";
  const signature = asString(given.signature) ?? "";
  if (text === "" && signature === "") return [];
  const details = { reasoning_details: [makeReasoningDetail(index, text, signature)] };
  return [text === "" ? details : { reasoning_content: text, ...details }];
}

/** Converse API reference, "Citation" and "CitationLocation". */
function makeCitationsDelta(sources: readonly JsonObject[], start: number, end: number): Delta[] {
  const annotations = sources.flatMap(({ title, source, sourceContent, location }) => {
    const { web, documentChar, documentPage, documentChunk, searchResultLocation } = asObject(location);
    const place = asObject(documentChar ?? documentPage ?? documentChunk ?? searchResultLocation);
    const passages = asArray(sourceContent).map((part) => asString(asObject(part).text) ?? "");
    return makeCitation(start, end, {
      url: asObject(web).url ?? source,
      title: title ?? asObject(web).domain,
      content: passages.join(""),
      document_index: place.documentIndex,
      location: {
        unit: documentChar ? "char" : documentPage ? "page" : "block",
        start: place.start,
        end: place.end,
      },
    });
  });
  return annotations.length > 0 ? [{ annotations }] : [];
}
