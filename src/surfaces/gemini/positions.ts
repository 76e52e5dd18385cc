// The positions of grounding and quotes in a candidate's text, in bytes of UTF-8.
import { asArray, asNumber, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import type { MovePosition } from "../../core/text/moves.ts";
import { type Edges, moveEdges } from "../../operations/positions.ts";
import { mapFields, mapList } from "../../operations/text-json.ts";

const EDGES: Edges = { startIndex: "start", endIndex: "end" };

export const POSITIONS = {
  fields: /"(groundingMetadata|citationMetadata|urlContextMetadata)":/,
  quotesTexts: true as const,
  move(body: JsonObject, _path: string, move: MovePosition): JsonObject {
    return mapHeld(body, "candidates", (candidate, at) => moveInCandidate(candidate, at, move));
  },
  drop(event: JsonObject): JsonObject {
    return mapHeld(event, "candidates", (candidate) => {
      const {
        groundingMetadata: _grounding,
        citationMetadata: _cited,
        urlContextMetadata: _read,
        ...said
      } = candidate;
      return said;
    });
  },
};

function moveInCandidate(candidate: JsonObject, at: number, move: MovePosition): JsonObject {
  const { parts } = asObject(candidate.content);
  const path = `candidates[${asNumber(candidate.index) ?? at}].content.parts`;
  // Positions count through a candidate's texts, and in a stream through all of its events.
  const paths = [`${path}.text`, ...asArray(parts).map((_part, place) => `${path}[${place}].text`)];
  const moveIn = (place: JsonObject) => moveEdges(place, EDGES, { paths, unit: "bytes" }, move);
  return mapFields(candidate, (value, field) => {
    if (!isObject(value)) return value;
    if (field === "groundingMetadata") {
      return mapHeld(value, "groundingSupports", (support) =>
        mapFields(support, (segment, name) =>
          name === "segment" && isObject(segment)
            ? moveSegment(segment, findPart(segment, paths), move)
            : segment,
        ),
      );
    }
    if (field !== "citationMetadata") return value;
    const sources = mapHeld(value, "citationSources", (source) => moveIn(source));
    return mapHeld(sources, "citations", (source) => moveIn(source));
  });
}

/** A segment may name its part. In a stream, parts have no numbers of their own. */
function findPart({ partIndex }: JsonObject, paths: readonly string[]): readonly string[] {
  const [stream = "", ...whole] = paths;
  const part = whole[asNumber(partIndex) ?? 0];
  return partIndex && part !== undefined ? [stream, part] : paths;
}

/** A segment repeats its text. By itself it would lack what stands beside it, such as the word before a number. */
function moveSegment(segment: JsonObject, paths: readonly string[], move: MovePosition): JsonObject {
  const text = { paths, unit: "bytes" } as const;
  const moved = moveEdges(segment, EDGES, text, move);
  const end = asNumber(segment.endIndex);
  if (typeof segment.text !== "string" || end === undefined) return moved;
  const start = asNumber(segment.startIndex) ?? 0;
  const own = segment.text;
  const quoted = move.quote?.(own, { ...text, edge: "start", at: start }, { ...text, edge: "end", at: end });
  return quoted === undefined || quoted === own ? moved : { ...moved, text: quoted };
}

function mapHeld(
  holder: JsonObject,
  field: string,
  replace: (one: JsonObject, at: number) => JsonObject,
): JsonObject {
  const given = holder[field];
  if (!Array.isArray(given)) return holder;
  const list: readonly unknown[] = given;
  const mapped = mapList(list, (one, at) => (isObject(one) ? replace(one, at) : one));
  return mapped === list ? holder : { ...holder, [field]: mapped };
}
