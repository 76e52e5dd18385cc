// A request's pieces in the order in which its provider reads them (tools, instructions, messages), without cache marks.
import { asArray, asObject, type JsonObject } from "../../../../src/core/json/json.ts";
import { LEAVING, NOTED } from "./talk.ts";

/** A piece as text that is equal for equal JSON, whatever the order of its fields. */
export type Piece = string;

const MARKS: ReadonlySet<string> = new Set(["cache_control", "prompt_cache_breakpoint"]);

/** The words of the gateway's own in a text of the user's. */
const OWN_NOTE = new RegExp(`(\\n\\n)?<system_message>\\n(?!${NOTED})[\\s\\S]*?\\n</system_message>`, "g");

export function writePiece(value: unknown): Piece {
  return JSON.stringify(arrange(value));
}

function arrange(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(arrange);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([name, inner]) => !MARKS.has(name) && inner !== undefined);
  entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, arrange(inner)]));
}

/** Returns a content as parts. A string is one text. */
export function listParts(content: unknown, type: string): readonly JsonObject[] {
  if (typeof content === "string") return [{ type, text: content }];
  return asArray(content).map(asObject);
}

/** Returns a digest of all pieces, one after the other, that goes on from the digest of those before. */
export function digest(before: string, piece: Piece): string {
  return Bun.hash.wyhash(`${before} ${piece}`).toString(36);
}

/** Returns the pieces without what the gateway has said, and the place of the first that was. */
export function takeOwnWords(pieces: readonly Piece[]): {
  readonly others: readonly Piece[];
  readonly at: number | null;
} {
  let at: number | null = null;
  const others = pieces.flatMap((piece, place) => {
    const other = withoutOwnWords(piece);
    if (other !== piece) at ??= place;
    return other === null ? [] : [other];
  });
  return { others, at };
}

/** Null if the piece is nothing else. */
function withoutOwnWords(piece: Piece): Piece | null {
  const { role, part, ...rest } = asObject(JSON.parse(piece));
  const { type, text, tool } = asObject(part);
  if (role === "system" && type === "text" && !String(text).startsWith(NOTED)) return null;
  const { type: kind, name } = asObject(tool);
  if (role === "system" && kind === "tool_reference" && !String(name).startsWith(LEAVING)) return null;
  if (role !== "user" || typeof text !== "string") return piece;
  const own = text.replace(OWN_NOTE, "");
  if (own === text) return piece;
  return own === "" ? null : writePiece({ ...rest, role, part: { ...asObject(part), text: own } });
}

/** True if a cache mark stands on words of the gateway's own: the next request has others there, or none. */
export function marksOwnWords(message: JsonObject): boolean {
  return listParts(message.content, "text").some(
    (part) =>
      part.cache_control !== undefined && withoutOwnWords(writePiece({ role: message.role, part })) === null,
  );
}
