// Reaches every text of a body by its table: each string that isn't listed as a setting or a word of the API.

import type { JsonObject } from "../core/json/json.ts";
import { Attachment } from "../core/models/attachment.ts";
import type { ChangeText, TextPlace } from "../core/text/texts.ts";
import { type Form, findForm, type Holding, makeForm, type TextGrammar } from "./text-grammar.ts";
import {
  isPlain,
  type JsonChange,
  mapFields,
  mapFile,
  mapJson,
  mapJsonText,
  mapList,
  mapSchema,
  readMediaType,
} from "./text-json.ts";

/** Inherited by the texts of a node from the node that holds it. */
interface TextContext {
  readonly path: string;
  readonly isSealed: boolean;
  readonly isPiece: boolean;
  /** The name of the field at hand within the client's own JSON. Missing elsewhere. */
  readonly field?: string | undefined;
}

const TOP: TextContext = { path: "", isSealed: false, isPiece: false };

/**
 * Returns the body with its texts changed, or the same body if none was. Never throws for a value of another shape than
 * the table expects: it may be anything, and is searched as such. `path` is that of the body.
 */
export function mapBody<Kind extends string>(
  grammar: TextGrammar<Kind>,
  kind: Kind,
  body: JsonObject,
  change: ChangeText,
  path = "",
): JsonObject {
  return new TextWalk(grammar, change).node(kind, body, { ...TOP, path });
}

/** Requests and answers of operations with a single result. Of its pieces, a part's own texts continue, those of a segment are whole. */
const PLAIN = {
  ask: {},
  reply: { form: makeForm<"reply">({ logprobs: "again" }) },
  piece: { form: makeForm<"part">({ part: { kind: "part", takes: ["object"] } }) },
  part: { form: makeForm<"whole">({ segment: { kind: "whole", takes: ["object"] } }), isPiece: true },
  whole: { isPiece: false },
} as const;

/** The same for an operation's own object, of which only the fields without texts are listed. */
export function mapTextsBut<Holder extends object>(
  holder: Holder,
  words: ReadonlySet<string>,
  change: ChangeText,
  kind: keyof typeof PLAIN = "ask",
): Holder {
  const fields: JsonObject = Object.fromEntries(Object.entries(holder));
  const grammar: TextGrammar<keyof typeof PLAIN> = {
    kinds: PLAIN,
    stray: kind === "ask" ? "ask" : "reply",
    words,
  };
  const mapped = mapBody(grammar, kind, fields, change);
  return mapped === fields ? holder : Object.assign({ ...holder }, mapped);
}

class TextWalk<Kind extends string> {
  readonly #grammar: TextGrammar<Kind>;
  readonly #change: ChangeText;
  readonly #takesIntegers: boolean;
  readonly #takesJson: boolean;

  constructor(grammar: TextGrammar<Kind>, change: ChangeText) {
    this.#grammar = grammar;
    this.#takesIntegers = change.takesIntegers === true;
    this.#takesJson = change.takesJson === true;
    this.#change = (text, place) => (text === "" ? text : change(text, place));
  }

  node(kind: Kind, node: JsonObject, holder: TextContext): JsonObject {
    const { spell, isSealed } = this.#grammar;
    const table = this.#grammar.kinds[kind];
    const form = findForm(table, node);
    const mapped = mapFields(node, (value, field) => {
      const name = spell?.(field) ?? field;
      const context: TextContext = {
        path: holder.path === "" ? field : `${holder.path}.${field}`,
        isSealed: holder.isSealed || isSealed?.(node, field) === true,
        isPiece: table.isPiece ?? holder.isPiece,
        field: holder.field === undefined ? undefined : field,
      };
      return this.#field(form?.get(name), name, node, value, context);
    });
    return mapped === node ? node : emptyRepeated(mapped, form);
  }

  #field(
    holding: Holding<Kind> | undefined,
    name: string,
    node: JsonObject,
    value: unknown,
    context: TextContext,
  ): unknown {
    switch (holding) {
      case "setting":
      case "again":
        return value;
      case "text":
        return this.#texts(value, node.thought === true, context);
      case "thought":
        return this.#texts(value, true, context);
      case "file":
        return this.#file(value, readMediaType(node), context);
      case "own":
        return this.#own(value, context);
      case "schema":
        return mapSchema(value, this.#makeChange(context));
      case undefined:
        return this.#isWord(name, value) ? value : this.#stray(value, context);
      default:
        if ("own" in holding) return this.#nodes(holding.own, value, { ...context, field: name });
        return this.#nodes(holding.kind, value, context);
    }
  }

  #isWord(name: string, value: unknown): boolean {
    if (!this.#grammar.words.has(name)) return false;
    return (
      typeof value === "string" || (Array.isArray(value) && value.every((one) => typeof one !== "object"))
    );
  }

  #texts(value: unknown, isThinking: boolean, context: TextContext): unknown {
    const place = makePlace(isThinking ? "thinking" : "text", context);
    if (typeof value === "string") return this.#change(value, place);
    if (!Array.isArray(value)) return this.#stray(value, context);
    return mapList<unknown>(value, (one) =>
      typeof one === "string" ? this.#change(one, place) : this.#stray(one, context),
    );
  }

  /** A piece of JSON is no JSON yet. */
  #own(value: unknown, context: TextContext): unknown {
    if (typeof value === "string" && (context.isPiece || this.#takesJson))
      return this.#change(value, { ...makePlace("text", context), isJson: true });
    const change = this.#makeChange(context);
    return typeof value === "string" ? mapJsonText(value, change) : mapJson(value, change);
  }

  #file(value: unknown, type: string, context: TextContext): unknown {
    return typeof value === "string" ? mapFile(value, type, this.#makeChange(context)) : value;
  }

  #nodes(kind: Kind, value: unknown, context: TextContext): unknown {
    if (isPlain(value)) return this.node(kind, value, context);
    if (typeof value === "string") return this.#change(value, makePlace("text", context));
    if (typeof value === "number" || typeof value === "bigint")
      return context.field === undefined ? value : mapJson(value, this.#makeChange(context), context.field);
    if (value instanceof Attachment) return this.#attachment(value, context);
    if (!Array.isArray(value)) return value;
    return mapList<unknown>(value, (one, index) =>
      isPlain(one)
        ? this.node(kind, one, { ...context, path: makePath(context, one, index) })
        : this.#stray(one, context),
    );
  }

  /** Searches a value that no form lists. Objects in it that have a type may be blocks. */
  #stray(value: unknown, context: TextContext): unknown {
    return this.#nodes(this.#grammar.stray, value, context);
  }

  #attachment(file: Attachment, context: TextContext): Attachment {
    const name = this.#change(file.name, makePlace("text", context));
    return name === file.name ? file : new Attachment(name, file.type, file.bytes);
  }

  #makeChange(context: TextContext): JsonChange {
    const place = (kind: TextPlace["kind"], field = context.field): TextPlace =>
      makePlace(kind, context, field);
    return {
      text: (text, field) => this.#change(text, place("text", field)),
      key: (key) => this.#change(key, place("key")),
      integer: this.#takesIntegers
        ? (digits, field) => this.#change(digits, place("integer", field))
        : undefined,
    };
  }
}

function makePlace(
  kind: TextPlace["kind"],
  { path, isSealed, isPiece, field: own }: TextContext,
  field = own,
): TextPlace {
  return field === undefined ? { kind, isSealed, isPiece, path } : { kind, isSealed, isPiece, path, field };
}

/** A node of a stream is found again by its own index only: its position is that in one event. */
function makePath({ path, isPiece }: TextContext, { index }: JsonObject, position: number): string {
  if (typeof index === "number") return `${path}[${index}]`;
  return isPiece ? path : `${path}[${position}]`;
}

/** Tokens that spell a changed text would still say what it was. */
function emptyRepeated<Kind extends string>(node: JsonObject, form: Form<Kind> | undefined): JsonObject {
  const repeated = [...(form ?? [])].filter(([field, holding]) => holding === "again" && node[field]);
  if (repeated.length === 0) return node;
  const emptied = repeated.map(([field]) => [field, Array.isArray(node[field]) ? [] : null]);
  return { ...node, ...Object.fromEntries(emptied) };
}
