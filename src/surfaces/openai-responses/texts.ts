// The texts of a Responses request, of its answer and of a stream's events.
import { asString, type JsonObject } from "../../core/json/json.ts";
import type { IsChanged } from "../../core/text/texts.ts";
import { NONE } from "../../operations/form.ts";
import { makeForm, type TextGrammar } from "../../operations/text-grammar.ts";
import { ALL_TEXTS, hasSeal, makeNativeTexts, mapNode, mapNodes } from "../texts.ts";
import { GRAMMAR, type Kind } from "./known.ts";
import { POSITIONS } from "./positions.ts";

const item = { kind: "item", takes: ["object"] } as const;
const part = { kind: "part", takes: ["object"] } as const;

/** The family's table with its answers and the words of its API. */
export const TEXTS: TextGrammar<Kind | "answer" | "event" | "delta" | "thought" | "thoughtDelta"> = {
  ...GRAMMAR,
  isSealed: (node) => hasSeal(node, ["encrypted_content"]),
  words: new Set([
    "type",
    "role",
    "id",
    "call_id",
    "item_id",
    "file_id",
    "container_id",
    "approval_request_id",
    "status",
    "model",
    "phase",
    "detail",
    "effort",
    "verbosity",
    "truncation",
    "include",
    "service_tier",
    "object",
    "encrypted_content",
    "image_url",
    "data",
    "format",
    "syntax",
    "execution",
    "obfuscation",
    "mode",
    "tool_choice",
    "previous_response_id",
    "search_context_size",
    "prompt_cache_retention",
    "outcome",
  ]),
  kinds: {
    ...GRAMMAR.kinds,
    // An answer repeats the request's own fields.
    answer: {
      form: makeForm({
        ...Object.fromEntries(GRAMMAR.kinds.body.form ?? []),
        output: { kind: "item", takes: ["list"] },
        usage: "setting",
        reasoning: "setting",
      }),
    },
    event: {
      form: makeForm({
        response: { kind: "answer", takes: ["object"] },
        item,
        part,
        arguments: "own",
        logprobs: "again",
      }),
    },
    delta: { form: makeForm({ logprobs: "again" }), isPiece: true },
    thought: { form: makeForm({ text: "thought", part }) },
    thoughtDelta: { form: makeForm({ delta: "thought" }), isPiece: true },
  },
};

const THOUGHT = /^response\.reasoning/;

function findEventKind({ type: given }: JsonObject) {
  const type = asString(given) ?? "";
  const isDelta = type.endsWith(".delta");
  if (THOUGHT.test(type)) return isDelta ? "thoughtDelta" : "thought";
  return isDelta ? "delta" : "event";
}

/** An event continues the text of an item, of one of its parts or of one of its summaries. */
function readPath({
  output_index: item,
  content_index: content,
  summary_index: summary,
}: JsonObject): string {
  if (typeof item !== "number") return "";
  const part = typeof content === "number" ? `.content[${content}]` : "";
  return `output[${item}]${typeof summary === "number" ? `.summary[${summary}]` : part}`;
}

const END = /^(response\.(completed|incomplete|failed)|error)$/;

/** Pieces of a text that is in no item have their field's name as their path. */
function endedTexts(event: JsonObject): readonly string[] {
  const type = asString(event.type) ?? "";
  if (END.test(type)) return ALL_TEXTS;
  return type.endsWith(".done") ? [readPath(event) || "delta"] : NONE;
}

/** An item that begins has its seal before its text, which may be changed yet. Its end has the seal again. */
function unseal(body: JsonObject, isChanged: IsChanged): JsonObject {
  const isBegun = body.type === "response.output_item.added";
  const unsign = (one: JsonObject, path: string) =>
    one.type === "reasoning" && one.encrypted_content && (isBegun || isChanged(path))
      ? { ...one, encrypted_content: null }
      : one;
  const unsignAll = (answer: JsonObject) =>
    mapNodes(answer, "output", (one, at) => unsign(one, `output[${at}]`));
  const ended = mapNode(body, "item", (one) => unsign(one, readPath(body)));
  return unsignAll(mapNode(ended, "response", unsignAll));
}

export const RESPONSES_TEXTS = makeNativeTexts(TEXTS, {
  toolRuns: /"type": ?"(web_search|file_search|code_interpreter|image_generation|mcp|program)_call"/,
  request: "body",
  answer: "answer",
  findEventKind,
  readPath,
  endedTexts,
  unseal,
  thought: /^input\[\d+\]/,
  positions: POSITIONS,
});
