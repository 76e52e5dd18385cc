// Makes a family's functions that reach the texts of its own requests and answers, from its table.
import type { JsonObject } from "../core/json.ts";
import type { NativeTexts } from "../core/texts.ts";
import type { TextGrammar } from "../operations/text-grammar.ts";
import { mapBody } from "../operations/text-walk.ts";

/** The kinds of a family's bodies. */
interface Roots<Kind extends string> {
  readonly request: Kind;
  readonly answer: Kind;
  findEventKind(event: JsonObject): Kind;
  /** Returns what distinguishes the texts that an event continues from others of the stream. */
  readPath(event: JsonObject): string;
  /** Matches an answer's JSON if the provider ran a tool. No text of a model matches, as its quotes are escaped. */
  readonly toolRuns: RegExp;
}

/** True if any of these fields of a node has a text: what a provider signed or encrypted. */
export function hasSeal(node: JsonObject, fields: readonly string[]): boolean {
  return fields.some((field) => typeof node[field] === "string" && node[field] !== "");
}

export function makeNativeTexts<Kind extends string>(
  grammar: TextGrammar<Kind>,
  { request, answer, findEventKind, readPath, toolRuns }: Roots<Kind>,
): NativeTexts {
  return {
    mapRequest: (body, change) => mapBody(grammar, request, body, change),
    mapAnswer: (given, change) => mapBody(grammar, answer, given, change),
    mapEvent: (event, change) => mapBody(grammar, findEventKind(event), event, change, readPath(event)),
    hasToolRun: (json) => toolRuns.test(json),
  };
}
