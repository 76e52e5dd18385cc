// The noted requests of a meter as stored in its column: short, because the meter is written with each of them.
import type { NotedRequest } from "../../core/rows.ts";
import type { Column } from "./columns.ts";
import { readText } from "./found.ts";

/** The operation and the surface of most requests. */
const USUAL = { operation: "chat", surface: "openai-chat" };
const RADIX = 36;
/** Begins the line of a node, which has made all requests up to the next one. */
const NODE = "@";
/** No id has these. */
const LINE = "\n";
const FIELD = "\t";

/** A line for each request: `id, time, places, key, operation, surface`. Fields at its end that are as usual are left out. */
function writeNoted(noted: readonly NotedRequest[]): string {
  let text = "";
  let node = "";
  for (const request of noted) {
    if (request.node !== node) {
      node = request.node;
      text = `${text}${NODE}${node}${LINE}`;
    }
    text = `${text}${request.id}${FIELD}${request.atMs.toString(RADIX)}${writeUnusual(request)}${LINE}`;
  }
  return text;
}

function writeUnusual({ places, keyId, operation, surface }: NotedRequest): string {
  const isUsual = operation === USUAL.operation && surface === USUAL.surface;
  if (isUsual && keyId === null && places === 1) return "";
  const few = `${FIELD}${places}${FIELD}${keyId ?? ""}`;
  return isUsual ? few : few + FIELD + operation + FIELD + surface;
}

function readNoted(text: string): readonly NotedRequest[] {
  const noted: NotedRequest[] = [];
  let node = "";
  for (const line of text.split(LINE)) {
    if (line.startsWith(NODE)) node = line.slice(NODE.length);
    else if (line !== "") noted.push(readRequest(node, line));
  }
  return noted;
}

function readRequest(node: string, line: string): NotedRequest {
  const [id = "", at = "", places = "1", keyId = "", ...head] = line.split(FIELD);
  const [operation = USUAL.operation, surface = USUAL.surface] = head;
  const atMs = Number.parseInt(at, RADIX);
  const count = Number(places);
  if (id === "" || !Number.isSafeInteger(atMs) || !Number.isSafeInteger(count))
    throw new Error("The store's column noted holds an invalid value.");
  return { id, node, atMs, places: count, keyId: keyId === "" ? null : keyId, operation, surface };
}

/** The text by which rows that note requests of a node are found. */
export function makeNodeMark(node: string): string {
  return NODE + node + LINE;
}

export const NOTED: Column<readonly NotedRequest[]> = {
  type: "text",
  write: writeNoted,
  read: (found, column) => readNoted(readText(found, column)),
};
