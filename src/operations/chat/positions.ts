// The positions of citations in a chat answer's content, in the canonical form and in the provider's own.
import { parseReceived } from "../../core/json/bounds.ts";
import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { ServerEvent } from "../../core/models/dialect.ts";
import type { MovePosition } from "../../core/text/moves.ts";
import type { NativeTexts } from "../../core/text/texts.ts";
import { type Edges, moveEdges } from "../positions.ts";
import { mapFields, mapList } from "../text-json.ts";
import { isChunk, type Part, Run, Verbatim } from "./answer/run.ts";
import type { ChatChunk, ChatReply } from "./form.ts";

const EDGES: Edges = { start_index: "start", end_index: "end" };
const SOURCES: ReadonlySet<string> = new Set(["url_citation", "document_citation"]);

export function moveInReply(reply: ChatReply, move: MovePosition, native: NativeTexts | null): ChatReply {
  const choices = mapList(reply.choices, (choice) => moveInChoice(choice, "message", move));
  const { verbatim } = reply;
  const own = native && verbatim ? native.movePositions(verbatim, move) : verbatim;
  if (choices === reply.choices && own === verbatim) return reply;
  return { ...reply, choices, ...(own && { verbatim: own }) };
}

/** A run is pieces of one text, without citations. */
export function moveInPiece(piece: Part, move: MovePosition, native: NativeTexts | null): Part {
  if (isChunk(piece)) return moveInChunk(piece, move);
  if (piece instanceof Run) return piece;
  const event = native
    ? mapCited(piece.event, native, (given) => native.movePositions(given, move))
    : piece.event;
  const meaning = mapList(piece.meaning, (chunk) => moveInChunk(chunk, move));
  return event === piece.event && meaning === piece.meaning ? piece : new Verbatim(event, meaning);
}

/** The searches go with the citations. */
export function dropFromPiece(piece: Part, native: NativeTexts | null): Part {
  if (piece instanceof Run) return piece;
  if (isChunk(piece)) return dropFromChunk(piece);
  const event = native
    ? mapCited(piece.event, native, (given) => native.dropAnnotations(given))
    : piece.event;
  return new Verbatim(event, piece.meaning.map(dropFromChunk));
}

function dropFromChunk(chunk: ChatChunk): ChatChunk {
  const choices = chunk.choices.map(({ delta, ...choice }) => {
    const { annotations: _cited, web_searches: _searched, ...said } = delta;
    return { ...choice, delta: said };
  });
  return { ...chunk, choices };
}

function mapCited(
  event: ServerEvent,
  native: NativeTexts,
  map: (given: JsonObject) => JsonObject,
): ServerEvent {
  if (!native.hasPositions(event.data)) return event;
  const given = parseReceived(event.data);
  if (!isObject(given)) return event;
  const mapped = map(given);
  return mapped === given ? event : { ...event, data: JSON.stringify(mapped) };
}

function moveInChunk(chunk: ChatChunk, move: MovePosition): ChatChunk {
  const choices = mapList(chunk.choices, (choice) => moveInChoice(choice, "delta", move));
  return choices === chunk.choices ? chunk : { ...chunk, choices };
}

/** The positions of a stream's citations count through all of its pieces. */
function moveInChoice<Choice extends JsonObject>(
  choice: Choice,
  field: "message" | "delta",
  move: MovePosition,
): Choice {
  const said = choice[field];
  if (!isObject(said) || !Array.isArray(said.annotations)) return choice;
  const paths = [`choices[${choice.index}].${field}.content`];
  const given: readonly unknown[] = said.annotations;
  const annotations = mapList(given, (one) =>
    isObject(one)
      ? mapFields(one, (source, name) =>
          SOURCES.has(name) && isObject(source)
            ? moveEdges(source, EDGES, { paths, unit: "characters" }, move)
            : source,
        )
      : one,
  );
  return annotations === given ? choice : { ...choice, [field]: { ...said, annotations } };
}
