// The blocks of a Messages request as parts of chat messages.

import { Fault } from "../../core/faults/fault.ts";
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ContentPart } from "../../operations/chat/form.ts";
import { placeAt, refusePrefix } from "../places.ts";

export type Blocks = readonly JsonObject[];

/** Returns a content as blocks; a string is one text block. */
export function listBlocks(content: unknown): Blocks {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return asArray(content).filter(isObject);
}

/** Blocks that are named at the place of the tool in them. */
const TOOL_CHANGES: ReadonlySet<unknown> = new Set(["tool_addition", "tool_removal"]);

export function addLost({ type }: JsonObject, path: string, lost: string[]): void {
  if (!TOOL_CHANGES.has(type)) lost.push(path);
}

/** Converts a block of a user's turn or of a tool's result. */
export function readPart(block: JsonObject, path: string, lost: string[]): readonly ContentPart[] {
  return placeAt(path, convert(block, path, lost));
}

function convert(block: JsonObject, path: string, lost: string[]): readonly ContentPart[] {
  switch (block.type) {
    case "text":
      return [textPart(block)];
    case "image":
      return [
        {
          type: "image_url",
          image_url: { url: readSource(block, `${path}.source`) },
          ...copyCacheMark(block),
        },
      ];
    case "document":
      return readDocument(block, path, lost);
    case "search_result": {
      const texts = listBlocks(block.content).map(({ text }) => asString(text) ?? "");
      const head = [asString(block.title), asString(block.source)].filter(Boolean).join("\n");
      return [{ type: "text", text: [head, ...texts].join("\n\n"), ...copyCacheMark(block) }];
    }
    case "tool_reference":
      return [{ type: "text", text: `Tool: ${asString(block.tool_name) ?? asString(block.name) ?? ""}` }];
    default:
      // Blocks of tools that Anthropic runs mean nothing to other vendors' models.
      addLost(block, path, lost);
      return [];
  }
}

function readDocument(block: JsonObject, path: string, lost: string[]): readonly ContentPart[] {
  const source = asObject(block.source);
  const title = asString(block.title);
  const about = [title, asString(block.context)].filter(Boolean).join("\n");
  if (source.type === "text" || source.type === "content") {
    const held = listBlocks(source.type === "text" ? source.data : source.content);
    return joinDocument(about, readParts(held, `${path}.source.content`, lost), copyCacheMark(block));
  }
  const file = { file_data: readSource(block, `${path}.source`), ...(title ? { filename: title } : {}) };
  const context = asString(block.context);
  return [
    ...(context ? [{ type: "text", text: context } as const] : []),
    { type: "file", file, ...copyCacheMark(block) },
  ];
}

/** Joins the texts of a document with what is said about it, around its pictures. The last part has the mark. */
function joinDocument(about: string, held: readonly ContentPart[], mark: JsonObject): readonly ContentPart[] {
  const parts: ContentPart[] = [];
  let texts = about === "" ? [] : [about];
  const flush = () => {
    if (texts.length > 0) parts.push({ type: "text", text: texts.join("\n\n") });
    texts = [];
  };
  for (const part of held) {
    if (part.type === "text") {
      if (part.text !== "") texts.push(part.text);
      continue;
    }
    flush();
    parts.push(part);
  }
  flush();
  const last = parts.pop() ?? { type: "text", text: "" };
  return [...parts, { ...last, ...mark }];
}

/** Returns a source as a URL; base64 becomes a data: URL. */
function readSource(block: JsonObject, path: string): string {
  const { type, url, media_type: mediaType, data } = asObject(block.source);
  if (type === "url" && typeof url === "string") return url;
  if (type === "base64" && typeof data === "string" && typeof mediaType === "string") {
    refusePrefix(data, `${path}.data`, "media_type");
    return `data:${mediaType};base64,${data}`;
  }
  const message = `Invalid '${path}': expected a source of type 'base64' with 'media_type' and 'data', or of type 'url'.`;
  throw new Fault("invalid_value", message, { param: path });
}

export function textPart(block: JsonObject): ContentPart & { type: "text" } {
  return { type: "text", text: asString(block.text) ?? "", ...copyCacheMark(block) };
}

export function copyCacheMark({ cache_control: mark }: JsonObject): JsonObject {
  return isObject(mark) ? { cache_control: mark } : {};
}

export function readParts(blocks: Blocks, path: string, lost: string[]): readonly ContentPart[] {
  return blocks.flatMap((one, index) => readPart(one, `${path}[${index}]`, lost));
}
