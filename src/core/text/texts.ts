// The texts of a request or an answer, as the operator's masks and hooks see them.
import type { JsonObject } from "../json/json.ts";
import type { MovePosition } from "./moves.ts";

/** Describes a text and says where it stands. */
export interface TextPlace {
  /**
   * A `key` is a field's name in the client's own JSON: arguments, results, schemas. An `integer` has 9 to 19 digits and
   * stands there as a number. All others are `text`.
   */
  readonly kind: "text" | "thinking" | "key" | "integer";
  /** True if a provider signed the text or encrypted it as well: it would refuse any other. */
  readonly isSealed: boolean;
  /** True if the text is a piece of a stream. Pieces with the same path and kind make up one text. */
  readonly isPiece: boolean;
  /** The text's place in the body, such as `messages[0].content`. Within the client's own JSON, the place of all of it. */
  readonly path: string;
  /** The name of the field that holds it in the client's own JSON. Missing elsewhere. */
  readonly field?: string;
  /**
   * True for a piece of the client's own JSON, which can only be parsed once it is whole, and for all of it if the change
   * takes that. It may be no JSON.
   */
  readonly isJson?: true;
}

/**
 * Returns what replaces a text, or the text itself. The same text must always get the same answer, since a request may
 * hold it in two forms. To ask somebody about all of them at once, collect the texts in a first call that
 * returns each unchanged, and replace them in a second.
 */
export interface ChangeText {
  (text: string, place: TextPlace): string;
  /** True if it is asked about integers in the client's own JSON too. One that is replaced becomes a string. */
  readonly takesIntegers?: true;
  /** True if it is asked about a whole string of the client's own JSON as it is written, instead of about its values. */
  readonly takesJson?: true;
}

/** True if a text was changed whose path begins so. */
export type IsChanged = (start: string) => boolean;

/** True if the thinking with this text goes. */
export type IsDropped = (text: string) => boolean;

/**
 * Reaches the texts of a family's own bodies. Each function is linear in the body and returns the same object if no
 * text was changed.
 */
export interface NativeTexts {
  mapRequest(body: JsonObject, change: ChangeText): JsonObject;
  /** For a whole answer. */
  mapAnswer(answer: JsonObject, change: ChangeText): JsonObject;
  /** Returns a request without such thinking. A block of it goes as a whole, with what its maker signed. */
  dropThoughts(body: JsonObject, isDropped: IsDropped): JsonObject;
  /** For one event of a stream. */
  mapEvent(event: JsonObject, change: ChangeText): JsonObject;
  /**
   * Returns a whole answer or an event without what its maker signed or encrypted of thinking that was changed, or of
   * which the text comes later and what is signed comes again. Null for an event that has nothing else.
   */
  unseal(body: JsonObject, isChanged: IsChanged): JsonObject | null;
  /** Returns how the paths of the texts begin that have no piece after this event. An empty one ends all. */
  endedTexts(event: JsonObject): readonly string[];
  /** True if an answer's JSON, or an event's, has work in it that the provider did beside: a search, code that it ran. */
  hasToolRun(json: string): boolean;
  /**
   * Moves the positions that annotations of an answer or an event give into the answer's own texts, once these are changed.
   * Positions in the client's documents stay. Returns the same object if none moved.
   */
  movePositions(body: JsonObject, move: MovePosition): JsonObject;
  /** True if an answer's JSON, or an event's, may have such positions. */
  hasPositions(json: string): boolean;
  /** Returns an event whose texts are sent once more, without the annotations that it has beside them. */
  dropAnnotations(event: JsonObject): JsonObject;
  /** True if annotations repeat the text that they cite. */
  readonly quotesTexts: boolean;
}
