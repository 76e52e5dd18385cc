// Tables of what the fields of a body hold: where its nodes (messages, blocks, tools) are, and which texts are its own.
import type { JsonObject } from "../core/json/json.ts";

/**
 * The content of a field. `text` is read by the model, alone or in a list, and `thought` is its thinking. `own` is the
 * client's own JSON (arguments, results), in which nothing refers to anything, and `schema` is a JSON Schema of theirs.
 * `file` is a file, as base64 or a data: URL. `again` repeats the texts of the node, token by token. `setting` is
 * anything else. Otherwise the field holds nodes.
 */
export type Holding<Kind extends string> =
  | ("text" | "thought" | "own" | "schema" | "file" | "again" | "setting")
  | ClientJsonNode<Kind>
  | Nodes<Kind>;

/** The client's own JSON with some fields of the API: their texts are found as in a node of this kind. */
interface ClientJsonNode<Kind extends string> {
  readonly own: Kind;
}

export interface Nodes<Kind extends string> {
  readonly kind: Kind;
  readonly takes: readonly ("text" | "object" | "list")[];
  /** True if the holder makes no sense without them: once all are left out, it is left out too. */
  readonly isNeeded?: true;
}

export type Form<Kind extends string> = ReadonlyMap<string, Holding<Kind>>;

/** Makes a form from its fields. */
export function makeForm<Kind extends string>(fields: Readonly<Record<string, Holding<Kind>>>): Form<Kind> {
  return new Map(Object.entries(fields));
}

export interface NodeKind<Kind extends string> {
  /** The forms by `type`. If missing, all nodes have the same form. */
  readonly types?: ReadonlyMap<string, Form<Kind>>;
  /** The form of nodes without a type. */
  readonly form?: Form<Kind>;
  /** The contents of fields that the form doesn't list: settings, or (if missing) perhaps blocks. */
  readonly others?: "settings";
  /** True if its texts are pieces of a stream, false if they are whole. Missing if they are as in the node that holds it. */
  readonly isPiece?: boolean;
}

/** A table of every place in a body where a block, a tool or a text may be. */
export interface Grammar<Kind extends string> {
  readonly kinds: Readonly<Record<Kind, NodeKind<Kind>>>;
  /** The kind of typed objects in fields that a form doesn't list. */
  readonly stray: Kind;
  /** Returns a field's name in the table, for families with several spellings. */
  readonly spell?: (field: string) => string;
}

/** A table by which texts are found. */
export interface TextGrammar<Kind extends string> extends Grammar<Kind> {
  /**
   * Fields whose strings are the API's own words, ids or data, wherever no form lists them. All other strings count as
   * texts, so that a field that nobody thought of is seen.
   */
  readonly words: ReadonlySet<string>;
  /** True if a provider signed this field of the node, or encrypted it as well. Missing if none does. */
  readonly isSealed?: (node: JsonObject, field: string) => boolean;
}

/** Undefined if the table has no form for the node's type. */
export function findForm<Kind extends string>(
  { types, form }: NodeKind<Kind>,
  { type }: JsonObject,
): Form<Kind> | undefined {
  if (types === undefined || type === undefined || type === null) return form;
  return typeof type === "string" ? types.get(type) : undefined;
}
