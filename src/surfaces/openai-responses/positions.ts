// The positions of citations in the texts of a response. Each counts in the part that holds the citation.
import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { MovePosition } from "../../core/text/moves.ts";
import { type Edges, moveEdges } from "../../operations/positions.ts";
import { mapFields, mapList } from "../../operations/text-json.ts";

/** A file's position is only in `index`. */
const EDGES: Edges = { start_index: "start", end_index: "end", index: "end" };

type MoveNode = (node: JsonObject, path: string, move: MovePosition) => JsonObject;

export const POSITIONS = {
  fields: /"(start_index|end_index|index)"/,
  move: moveInBody,
};

/** The nodes of a response, and of an event that holds or continues one, by field. */
const NODES: Readonly<Record<string, MoveNode>> = {
  response: moveInBody,
  output: moveInItem,
  item: moveInItem,
  part: moveInPart,
};

function moveInBody(body: JsonObject, path: string, move: MovePosition): JsonObject {
  return mapFields(body, (value, field) => {
    if (field === "annotation" && isObject(value)) return moveCitation(value, `${path}.delta`, move);
    return mapNodes(value, path === "" ? field : `${path}.${field}`, NODES[field], move);
  });
}

function moveInItem(item: JsonObject, path: string, move: MovePosition): JsonObject {
  return mapFields(item, (value, field) =>
    field === "content" ? mapNodes(value, `${path}.content`, moveInPart, move) : value,
  );
}

function moveInPart(part: JsonObject, path: string, move: MovePosition): JsonObject {
  const { annotations } = part;
  const moved = mapNodes(annotations, "", (citation) => moveCitation(citation, `${path}.text`, move), move);
  return moved === annotations ? part : { ...part, annotations: moved };
}

function moveCitation(citation: JsonObject, text: string, move: MovePosition): JsonObject {
  return moveEdges(citation, EDGES, { paths: [text], unit: "characters" }, move);
}

function mapNodes(value: unknown, path: string, moveIn: MoveNode | undefined, move: MovePosition): unknown {
  if (moveIn === undefined) return value;
  if (isObject(value)) return moveIn(value, path, move);
  if (!Array.isArray(value)) return value;
  return mapList<unknown>(value, (one, at) => (isObject(one) ? moveIn(one, `${path}[${at}]`, move) : one));
}
