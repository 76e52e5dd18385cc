// Moves the positions of one annotation.
import { asNumber, type JsonObject } from "../core/json/json.ts";
import type { MovePosition, TextPosition } from "../core/text/moves.ts";
import { mapFields } from "./text-json.ts";

/** The fields that hold positions, with the edges that they are. */
export type Edges = Readonly<Record<string, TextPosition["edge"]>>;

/** `text` says what the positions count in. Returns the same object if none moved. */
export function moveEdges(
  annotation: JsonObject,
  edges: Edges,
  text: Pick<TextPosition, "paths" | "unit">,
  move: MovePosition,
): JsonObject {
  return mapFields(annotation, (value, field) => {
    const edge = edges[field];
    const at = asNumber(value);
    return edge === undefined || at === undefined ? value : move({ ...text, edge, at });
  });
}
