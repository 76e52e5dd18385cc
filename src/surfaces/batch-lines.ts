// The lines of a batch's input, read as a stream.

import type { BatchMistake, LinePlace } from "../core/batches/batch.ts";
import { parseBounded, REQUEST_SHAPE } from "../core/json/bounds.ts";
import { isObject, type JsonObject } from "../core/json/json.ts";
import { type ByteRange, findMembers } from "../core/json/members.ts";
import { measureShape } from "../core/json/shape.ts";
import { explainInput } from "./input-kinds.ts";

const NEWLINE = 0x0a;
/** JSON's white space. */
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** Enough to tell what an input is. */
const HEAD_BYTES = 4096;

/** A line and its place in the input. */
interface InputLine extends ByteRange {
  /** From 1, with blank ones. */
  readonly number: number;
  /** Null if it is longer than allowed. */
  readonly bytes: Uint8Array | null;
  /** At least its first bytes. */
  readonly head: Uint8Array;
}

/** Yields the lines of a stream that aren't blank, without their ends. The bytes of a line may be gone when the next one is asked for. */
export async function* splitLines(
  stream: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<InputLine> {
  const open = new OpenLine(bytesMax);
  for await (const chunk of stream) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      open.add(chunk.subarray(from, at));
      const line = open.end();
      if (line !== null) yield line;
      from = at + 1;
    }
    // The stream may use its memory again. A line that lies in it whole isn't copied: most do.
    open.add(new Uint8Array(chunk.subarray(from)));
  }
  const last = open.end();
  if (last !== null) yield last;
}

class OpenLine {
  readonly #bytesMax: number;
  #parts: Uint8Array[] = [];
  /** The first bytes of a line that is too long. */
  #head: Uint8Array | null = null;
  #from = 0;
  #length = 0;
  #number = 1;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#length += part.length;
    if (this.#length <= this.#bytesMax) {
      this.#parts.push(part);
      return;
    }
    this.#head ??= Buffer.concat([...this.#parts, part.subarray(0, HEAD_BYTES)]).subarray(0, HEAD_BYTES);
    this.#parts = [];
  }

  /** Returns null for a blank line. */
  end(): InputLine | null {
    const from = this.#from;
    const length = this.#length;
    const number = this.#number++;
    // Blank lines may be many.
    if (length === 0) {
      this.#from++;
      return null;
    }
    const [only] = this.#parts;
    const bytes = this.#parts.length === 1 && only ? only : Buffer.concat(this.#parts);
    this.#from += length + 1;
    this.#length = 0;
    this.#parts = [];
    const place = { number, from, to: from + length };
    if (length > this.#bytesMax) {
      const head = this.#head ?? bytes;
      this.#head = null;
      return { ...place, bytes: null, head };
    }
    return bytes.every(isBlank) ? null : { ...place, bytes, head: bytes };
  }
}

export function isBlank(byte: number): boolean {
  return BLANK.has(byte);
}

/** The form of a line: its fields, and what else it must say. */
export interface LineForm {
  /** The field with the body. */
  readonly body: string;
  /** The largest line. */
  readonly bytesMax: number;
  /** Returns a mistake in the fields, or null. */
  check(line: JsonObject): Omit<BatchMistake, "line"> | null;
}

type ParsedLine = { readonly place: LinePlace } | { readonly mistake: BatchMistake };

/** Reads the lines of one batch: no id may be there twice. */
export class LineReader {
  readonly #form: LineForm;
  readonly #ids = new Set<string>();
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #isFirst = true;

  constructor(form: LineForm) {
    this.#form = form;
  }

  /** Reads the next line. A mistake without a line's number is the whole input's. */
  read(line: InputLine): ParsedLine {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const read = this.#read(line);
    const isUnread = "mistake" in read && UNREAD.has(read.mistake.code);
    const message = isFirst && isUnread ? explainInput(line.head) : null;
    return message === null
      ? read
      : { mistake: { code: "invalid_json_line", message, param: "input_file_id", line: null } };
  }

  #read({ number, from, bytes }: InputLine): ParsedLine {
    const wrong = (code: string, message: string, param: string | null = null) => ({
      mistake: { code, message, param, line: number },
    });
    if (bytes === null)
      return wrong("line_too_large", `This line is longer than ${this.#form.bytesMax} bytes.`);
    const line = this.#parse(bytes);
    if (typeof line === "string") return wrong("invalid_json_line", line);
    const mistake = this.#form.check(line);
    if (mistake !== null) return { mistake: { ...mistake, line: number } };
    const customId = String(line.custom_id);
    if (this.#ids.has(customId))
      return wrong("duplicate_custom_id", `The custom_id '${customId}' is there twice.`, "custom_id");
    this.#ids.add(customId);
    const members = findMembers(bytes).get(this.#form.body);
    if (members === undefined)
      return wrong("missing_required_parameter", "This line has no body.", this.#form.body);
    const asked = line[this.#form.body];
    const model = isObject(asked) && typeof asked.model === "string" ? asked.model.slice(0, 200) : "";
    return { place: { from: from + members.from, to: from + members.to, customId, model } };
  }

  /** Returns what is wrong if it isn't an object. */
  #parse(bytes: Uint8Array): JsonObject | string {
    let text: string;
    try {
      text = this.#decoder.decode(bytes);
    } catch {
      return "This line is not in UTF-8.";
    }
    const most = REQUEST_SHAPE;
    const parsed = parseBounded(text, most);
    if (isObject(parsed)) return parsed;
    const { depth, elements } = measureShape(text, most);
    if (depth > most.depth) return `This line is nested deeper than ${most.depth} levels.`;
    if (elements > most.elements) return `This line has more than ${most.elements} elements.`;
    return "This line is not a JSON object.";
  }
}

/** The mistakes of a line of which nothing was read. */
const UNREAD: ReadonlySet<string> = new Set(["invalid_json_line", "line_too_large"]);
