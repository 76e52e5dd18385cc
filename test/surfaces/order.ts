// The parts of an answer in the order in which a surface's client reads them: `thinking a`, `text b`, `call f`.
import type Anthropic from "@anthropic-ai/sdk";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import type { ChatReply } from "../../src/operations/chat/form.ts";
import { listTurn, readText } from "../../src/operations/chat/turn.ts";

type Kind = "thinking" | "search" | "text" | "call";
type Piece = readonly [kind: Kind, text: string];

/** A search is written where it was run, on Gemini beside the text. */
export function withoutSearches(order: readonly string[]): readonly string[] {
  const lines: string[] = [];
  let isText = false;
  for (const line of order.filter((one) => !one.startsWith("search "))) {
    const now = line.startsWith("text ");
    if (now && isText) lines.push(`${lines.pop()}${line.slice("text ".length)}`);
    else lines.push(line);
    isText = now;
  }
  return lines;
}

/** Adjacent texts are joined, and empty ones dropped. */
function joinPieces(pieces: readonly Piece[]): readonly string[] {
  const lines: string[] = [];
  let before: Kind | null = null;
  for (const [kind, text] of pieces) {
    if (text === "") continue;
    if (kind === before && kind !== "call" && kind !== "search") lines.push(`${lines.pop()}${text}`);
    else lines.push(`${kind} ${text}`);
    before = kind;
  }
  return lines;
}

export function orderInReply({ choices }: ChatReply): readonly string[] {
  const message = choices[0]?.message;
  return joinPieces(
    (message ? listTurn(message) : []).map((part): Piece => {
      if (part.kind === "call") {
        return ["call", part.call.type === "custom" ? part.call.custom.name : part.call.function.name];
      }
      if (part.kind === "search") return ["search", part.search.queries.join("; ")];
      return part.kind === "text" ? ["text", readText(part)] : ["thinking", part.text];
    }),
  );
}

export function orderInMessage({ content }: Pick<Anthropic.Message, "content">): readonly string[] {
  return joinPieces(
    content.flatMap((block): readonly Piece[] => {
      if (block.type === "text") return [["text", block.text]];
      if (block.type === "thinking") return [["thinking", block.thinking]];
      if (block.type === "server_tool_use") return [["search", String(asObject(block.input).query)]];
      return block.type === "tool_use" ? [["call", block.name]] : [];
    }),
  );
}

export function orderInResponse(output: readonly unknown[]): readonly string[] {
  const said = (parts: unknown) =>
    asArray(parts)
      .map(asObject)
      .map(({ text, refusal }) => String(text ?? refusal ?? ""))
      .join("");
  return joinPieces(
    output.map(asObject).map(({ type, name, summary, content, action }): Piece => {
      if (type === "message") return ["text", said(content)];
      if (type === "web_search_call") return ["search", String(asObject(action).query)];
      return type === "reasoning" ? ["thinking", said(summary)] : ["call", String(name)];
    }),
  );
}

export function orderInParts(parts: readonly JsonObject[]): readonly string[] {
  return joinPieces(
    parts.map(({ text, thought, functionCall }): Piece => {
      if (functionCall) return ["call", String(asObject(functionCall).name)];
      return [thought === true ? "thinking" : "text", String(text ?? "")];
    }),
  );
}

export function orderInSteps(steps: readonly JsonObject[]): readonly string[] {
  const read = (list: unknown) =>
    asArray(list)
      .map((one) => String(asObject(one).text ?? ""))
      .join("");
  return joinPieces(
    steps.flatMap((step): readonly Piece[] => {
      switch (step.type) {
        case "thought":
          return [["thinking", read(step.summary)]];
        case "model_output":
          return [["text", read(step.content)]];
        case "google_search_call":
          return [["search", asArray(asObject(step.arguments).queries).join("; ")]];
        default:
          return step.type === "function_call" ? [["call", String(step.name)]] : [];
      }
    }),
  );
}
