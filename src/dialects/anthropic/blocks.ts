// The content blocks of an answer, whole or in pieces: one mapping for streams and whole replies.

import { asArray, asObject, asString, type JsonObject } from "../../core/json/json.ts";
import type { GivenSource } from "../../operations/chat/answer/citations.ts";
import type { Delta } from "../../operations/chat/form.ts";
import type { WebSearch } from "../../operations/chat/prompt/search-form.ts";
import { type GivenPage, makeSearch } from "../../operations/chat/prompt/web-search.ts";
import type { Blocks } from "../_chat/blocks.ts";
import { OUTPUT_TOOL, SEARCH_TOOL } from "./tools.ts";

/**
 * Begins a block with what it already holds: nothing in a stream, everything in a whole reply. Tools that the provider
 * runs are left out except searches, and so are unknown kinds.
 */
export function startBlock(blocks: Blocks, index: number, given: JsonObject): Delta[] {
  switch (given.type) {
    case "text":
      for (const source of asArray(given.citations)) blocks.cite(index, readSource(asObject(source)));
      return blocks.addText(index, asString(given.text) ?? "");
    case "thinking":
      return addThinking(blocks, index, given);
    case "redacted_thinking":
      return blocks.redact(index, asString(given.data) ?? "");
    case "tool_use":
      if (given.name !== OUTPUT_TOOL)
        return blocks.startCall(index, asString(given.id), asString(given.name) ?? "", given.input);
      blocks.startOutput(index, given.input);
      break;
    case "server_tool_use":
      if (given.name === SEARCH_TOOL) blocks.startSearch(index, asString(given.id) ?? "", given.input);
      break;
    case "web_search_tool_result":
      return blocks.endSearch(asString(given.tool_use_id) ?? "", (query) => readSearch(query, given.content));
  }
  return [];
}

/** Messages API, `web_search_tool_result`: a list of results, or an error. */
function readSearch(query: unknown, content: unknown): WebSearch {
  if (Array.isArray(content)) return makeSearch([query], content.map(asObject).map(readPage));
  return makeSearch([query], [], asString(asObject(content).error_code) ?? "unavailable");
}

function readPage({ url, title, page_age }: JsonObject): GivenPage {
  return { url, title, page_age };
}

/** Reads a piece of the block with this index. */
export function addPiece(blocks: Blocks, index: number, given: JsonObject): Delta[] {
  switch (given.type) {
    case "text_delta":
      return blocks.addText(index, asString(given.text) ?? "");
    case "citations_delta":
      blocks.cite(index, readSource(asObject(given.citation)));
      return [];
    case "input_json_delta":
      return blocks.addInput(index, asString(given.partial_json) ?? "");
    default:
      return addThinking(blocks, index, given);
  }
}

function addThinking(blocks: Blocks, index: number, { thinking, signature }: JsonObject): Delta[] {
  return blocks.think(index, asString(thinking) ?? "", asString(signature) ?? "");
}

/** Messages API, the types of `citations`. The fields of a position in a document are named after their unit. */
function readSource(source: JsonObject): GivenSource {
  const unit = "start_char_index" in source ? "char" : "start_page_number" in source ? "page" : "block";
  const field = unit === "page" ? "page_number" : `${unit}_index`;
  return {
    url: source.url ?? source.source,
    title: source.title ?? source.document_title,
    content: source.cited_text,
    document_id: source.file_id,
    document_index: source.document_index,
    location: { unit, start: source[`start_${field}`], end: source[`end_${field}`] },
  };
}
