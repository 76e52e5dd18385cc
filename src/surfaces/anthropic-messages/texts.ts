// The texts of a Messages request, of its answer and of a stream's events.
import { asNumber, asObject, type JsonObject } from "../../core/json/json.ts";
import type { IsChanged } from "../../core/text/texts.ts";
import { NONE } from "../../operations/form.ts";
import { makeForm, type TextGrammar } from "../../operations/text-grammar.ts";
import { ALL_TEXTS, hasSeal, makeNativeTexts, mapNode, mapNodes } from "../texts.ts";
import { GRAMMAR, type Kind } from "./known.ts";

const SEALS = ["signature", "encrypted_content", "encrypted_index"];

/** The family's table with its answers and the words of its API. */
export const TEXTS: TextGrammar<Kind | "answer" | "delta"> = {
  ...GRAMMAR,
  isSealed: (node) => hasSeal(node, SEALS),
  words: new Set([
    "type",
    "role",
    "id",
    "tool_use_id",
    "tool_id",
    "file_id",
    "model",
    "media_type",
    "data",
    "error_code",
    "signature",
    "encrypted_content",
    "encrypted_index",
    "encrypted_stdout",
    "ttl",
    "effort",
    "display",
    "service_tier",
    "inference_geo",
    "stop_reason",
    "allowed_callers",
    "container",
    "cache_control",
  ]),
  kinds: {
    ...GRAMMAR.kinds,
    // Whole answers are turns like those of a request, and events hold their blocks one by one.
    answer: {
      form: makeForm({
        message: { kind: "answer", takes: ["object"] },
        content: { kind: "turn", takes: ["list"] },
        content_block: { kind: "turn", takes: ["object"] },
        delta: { kind: "delta", takes: ["object"] },
        usage: "setting",
      }),
    },
    delta: {
      form: makeForm({
        thinking: "thought",
        partial_json: "own",
        citation: { kind: "citation", takes: ["object"] },
      }),
      isPiece: true,
    },
    citation: { ...GRAMMAR.kinds.citation, isPiece: false },
  },
};

function readPath({ index }: JsonObject): string {
  return asNumber(index) === undefined ? "" : `content[${index}]`;
}

/** A block's own end, or the signature of its thinking, comes first. A stream that breaks off may lack it. */
function endedTexts(event: JsonObject): readonly string[] {
  switch (event.type) {
    case "content_block_stop":
      return [readPath(event)];
    case "content_block_delta":
      return asObject(event.delta).type === "signature_delta" ? [readPath(event)] : NONE;
    case "message_delta":
    case "message_stop":
    case "error":
      return ALL_TEXTS;
    default:
      return NONE;
  }
}

/** SDKs refuse a block without the field, so it stays empty. */
function unseal(body: JsonObject, isChanged: IsChanged): JsonObject | null {
  const isSignature = asObject(body.delta).type === "signature_delta";
  if (isSignature) return isChanged(readPath(body)) ? null : body;
  const unsign = (block: JsonObject, path: string) =>
    block.type === "thinking" && block.signature && isChanged(path) ? { ...block, signature: "" } : block;
  const begun = mapNode(body, "content_block", (block) => unsign(block, readPath(body)));
  return mapNodes(begun, "content", (block, at) => unsign(block, `content[${at}]`));
}

export const MESSAGES_TEXTS = makeNativeTexts(TEXTS, {
  toolRuns: /"type": ?"(server_tool_use|mcp_tool_use)"/,
  request: "body",
  answer: "answer",
  findEventKind: () => "answer",
  thought: /^messages\[\d+\]\.content\[\d+\]/,
  readPath,
  endedTexts,
  unseal,
});
