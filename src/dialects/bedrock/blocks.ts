// The content blocks of Converse's answers, whole or in pieces: one mapping for streams and whole replies.
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { GivenSource } from "../../operations/chat/answer/citations.ts";
import type { Delta } from "../../operations/chat/form.ts";
import type { Blocks } from "../_chat/blocks.ts";

const SERVER_TOOL = "server_tool_use";

/**
 * Begins a call. Only tool blocks have a start event, the others begin with their first piece. Nova's own tools and
 * their results are left out, since they aren't the client's.
 */
export function startBlock(blocks: Blocks, index: number, { toolUse }: JsonObject): Delta[] {
  if (!isObject(toolUse) || toolUse.type === SERVER_TOOL) return [];
  return blocks.startCall(index, asString(toolUse.toolUseId), asString(toolUse.name) ?? "", toolUse.input);
}

export function addPiece(blocks: Blocks, index: number, given: JsonObject): Delta[] {
  const { text, citation, reasoningContent, toolUse } = given;
  if (typeof text === "string") return blocks.addText(index, text);
  if (isObject(citation)) blocks.cite(index, readSource(citation));
  if (isObject(reasoningContent)) return addReasoning(blocks, index, reasoningContent);
  return blocks.addInput(index, asString(asObject(toolUse).input) ?? "");
}

/** Reads a block of a whole answer like its stream. */
export function readBlock(blocks: Blocks, index: number, given: JsonObject): Delta[] {
  return [...readContent(blocks, index, given), ...blocks.stop(index)];
}

function readContent(blocks: Blocks, index: number, given: JsonObject): Delta[] {
  if (isObject(given.toolUse)) return startBlock(blocks, index, given);
  if (isObject(given.citationsContent)) {
    const { content, citations } = given.citationsContent;
    const deltas = asArray(content).flatMap((part) => addPiece(blocks, index, asObject(part)));
    for (const citation of asArray(citations)) blocks.cite(index, readSource(asObject(citation)));
    return deltas;
  }
  const { reasoningText } = asObject(given.reasoningContent);
  return isObject(reasoningText)
    ? addReasoning(blocks, index, reasoningText)
    : addPiece(blocks, index, given);
}

function addReasoning(blocks: Blocks, index: number, given: JsonObject): Delta[] {
  const data = asString(given.redactedContent);
  if (data) return blocks.redact(index, data);
  return blocks.think(index, asString(given.text) ?? "", asString(given.signature) ?? "");
}

/** Converse API reference, "Citation" and "CitationLocation". */
function readSource({ title, source, sourceContent, location }: JsonObject): GivenSource {
  const { web, documentChar, documentPage, documentChunk, searchResultLocation } = asObject(location);
  const place = asObject(documentChar ?? documentPage ?? documentChunk ?? searchResultLocation);
  const passages = asArray(sourceContent).map((part) => asString(asObject(part).text) ?? "");
  return {
    url: asObject(web).url ?? source,
    title: title ?? asObject(web).domain,
    content: passages.join(""),
    document_index: place.documentIndex,
    location: {
      unit: documentChar ? "char" : documentPage ? "page" : "block",
      start: place.start,
      end: place.end,
    },
  };
}
