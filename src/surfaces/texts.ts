// Makes a family's functions that reach the texts of its own requests and answers, from its table.
import { asArray, asObject, isObject, type JsonObject } from "../core/json/json.ts";
import type { MovePosition } from "../core/text/moves.ts";
import type { IsDropped, NativeTexts } from "../core/text/texts.ts";
import type { TextGrammar } from "../operations/text-grammar.ts";
import { mapList } from "../operations/text-json.ts";
import { mapBody } from "../operations/text-walk.ts";

/** The kinds of a family's bodies. */
interface Roots<Kind extends string> {
  readonly request: Kind;
  readonly answer: Kind;
  findEventKind(event: JsonObject): Kind;
  /** Returns what distinguishes the texts that an event continues from others of the stream. */
  readPath(event: JsonObject): string;
  readonly endedTexts: NativeTexts["endedTexts"];
  readonly unseal: NativeTexts["unseal"];
  /** Matches an answer's JSON if the provider ran a tool. No text of a model matches, as its quotes are escaped. */
  readonly toolRuns: RegExp;
  /** Matches the path of the block that a request's thought belongs to: its turn and its own place, or only the turn. */
  readonly thought: RegExp;
  /** The positions that annotations give into the answer's own texts. Missing if they give none. */
  readonly positions?: {
    /** Matches the JSON of an answer or event that may have some. */
    readonly fields: RegExp;
    /** True if they repeat the text that they cite. */
    readonly quotesTexts?: true;
    /** Takes them off an event. Missing if they have events of their own. */
    drop?(event: JsonObject): JsonObject;
    /** `path` is that of the body. */
    move(body: JsonObject, path: string, move: MovePosition): JsonObject;
  };
}

/** Ends all texts of a stream. */
export const ALL_TEXTS: readonly string[] = [""];

/** True if any of these fields of a node has a text: what a provider signed or encrypted. */
export function hasSeal(node: JsonObject, fields: readonly string[]): boolean {
  return fields.some((field) => typeof node[field] === "string" && node[field] !== "");
}

/** Returns the node with the nodes of a list replaced, or the same node if none was. */
export function mapNodes(
  node: JsonObject,
  field: string,
  replace: (one: JsonObject, at: number) => JsonObject,
): JsonObject {
  const given = node[field];
  if (!Array.isArray(given)) return node;
  const mapped = mapList<unknown>(given, (one, at) => (isObject(one) ? replace(one, at) : one));
  return mapped === given ? node : { ...node, [field]: mapped };
}

/** The same for the node in a field. */
export function mapNode(
  node: JsonObject,
  field: string,
  replace: (one: JsonObject) => JsonObject,
): JsonObject {
  const given = node[field];
  const mapped = isObject(given) ? replace(given) : given;
  return mapped === given ? node : { ...node, [field]: mapped };
}

export function makeNativeTexts<Kind extends string>(
  grammar: TextGrammar<Kind>,
  { request, answer, findEventKind, readPath, endedTexts, unseal, toolRuns, thought, positions }: Roots<Kind>,
): NativeTexts {
  return {
    mapRequest: (body, change) => mapBody(grammar, request, body, change),
    dropThoughts: (body, isDropped) =>
      dropBlocks(body, findThoughts(grammar, request, body, thought, isDropped)),
    mapAnswer: (given, change) => mapBody(grammar, answer, given, change),
    mapEvent: (event, change) => mapBody(grammar, findEventKind(event), event, change, readPath(event)),
    endedTexts,
    unseal,
    hasToolRun: (json) => toolRuns.test(json),
    movePositions: (body, move) => positions?.move(body, readPath(body), move) ?? body,
    hasPositions: (json) => positions?.fields.test(json) ?? false,
    dropAnnotations: (event) => positions?.drop?.(event) ?? event,
    quotesTexts: positions?.quotesTexts === true,
  };
}

/** Returns the places of the blocks to drop, in `turns[turn].blocks[block]` or, without blocks, `turns[turn]`. */
function findThoughts<Kind extends string>(
  grammar: TextGrammar<Kind>,
  kind: Kind,
  body: JsonObject,
  thought: RegExp,
  isDropped: IsDropped,
): ReadonlySet<string> {
  const found = new Set<string>();
  mapBody(grammar, kind, body, (text, place) => {
    if (place.kind === "thinking" && isDropped(text)) {
      const [block] = thought.exec(place.path) ?? [];
      if (block !== undefined) found.add(block);
    }
    return text;
  });
  return found;
}

/** A turn of which nothing is left is dropped as well: vendors refuse empty ones. */
function dropBlocks(body: JsonObject, blocks: ReadonlySet<string>): JsonObject {
  const [first] = blocks;
  const [, turns, inner] = (first && /^(\w+)\[\d+\](?:\.(\w+))?/.exec(first)) || [];
  if (turns === undefined) return body;
  const kept = asArray(body[turns]).flatMap((turn, at) => {
    const path = `${turns}[${at}]`;
    if (inner === undefined) return blocks.has(path) ? [] : [turn];
    const given = asArray(asObject(turn)[inner]);
    const left = given.filter((_block, place) => !blocks.has(`${path}.${inner}[${place}]`));
    if (left.length === given.length) return [turn];
    return left.length === 0 ? [] : [{ ...asObject(turn), [inner]: left }];
  });
  return { ...body, [turns]: kept };
}
