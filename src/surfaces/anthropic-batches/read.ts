// Anthropic's batches: the list of requests in one body, split as it arrives.

import type { BatchMistake } from "../../core/batches/batch.ts";
import { Fault } from "../../core/faults/fault.ts";
import { isObject, type JsonObject } from "../../core/json/json.ts";
import { isBlank, type LineForm } from "../batch-lines.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const SPACE = 0x20;
const NEWLINE = 0x0a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const CUSTOM_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Splits the elements of `requests` into lines of bytes, with what stands around them left out. Ends of lines between an
 * element's texts become spaces; within a text, JSON has none. Throws the Fault `invalid_json` for anything else.
 */
export class RequestSplitter {
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  /** The last text at the depth of the body's own fields. */
  #name = "";
  #isNamed = false;
  #isWithin = false;
  #isOver = false;
  #hasElement = false;
  /** Each byte of a part becomes at most one. */
  #out = new Uint8Array();
  #length = 0;

  /** Returns the bytes of lines that this part completes or goes on with. */
  push(part: Uint8Array): Uint8Array {
    this.#out = new Uint8Array(part.length);
    this.#length = 0;
    for (let at = 0; at < part.length; ) {
      const end = this.#isText && !this.#isEscaped && this.#depth > 1 ? findTextEnd(part, at) : at;
      if (end > at) this.#writeText(part.subarray(at, end));
      else this.#take(part[at] ?? SPACE);
      at = Math.max(end, at + 1);
    }
    return this.#out.subarray(0, this.#length);
  }

  /** Throws if the body isn't over, or has no list. */
  end(): void {
    if (!this.#isOver) throw makeInvalid("The body ends before its list of requests does.");
    if (!this.#isNamed)
      throw new Fault("missing_required_parameter", "requests: Field required", { param: "requests" });
  }

  #take(byte: number): void {
    if (this.#isText) {
      this.#takeText(byte);
      return;
    }
    if (byte <= SPACE) {
      this.#takeSpace(byte);
      return;
    }
    if (this.#isOver) throw makeInvalid("There is something behind the body.");
    if (byte === QUOTE) this.#beginText();
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#open(byte);
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#close(byte);
    else if (this.#depth === 0) throw makeInvalid("The body is not a JSON object.");
    else if (byte === COMMA && this.#isWithin && this.#depth === 2) this.#endElement();
    else this.#write(byte);
  }

  #takeSpace(byte: number): void {
    if (!isBlank(byte)) throw makeInvalid("There is a control character between its texts.");
    if (this.#hasElement) this.#put(SPACE);
  }

  #beginText(): void {
    if (this.#depth === 0) throw makeInvalid("The body is not a JSON object.");
    this.#isText = true;
    if (this.#depth === 1) this.#name = "";
    this.#write(QUOTE);
  }

  #takeText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isText = false;
    if (byte < SPACE) throw makeInvalid("A text has a control character.");
    if (this.#depth === 1 && this.#isText && this.#name.length < 100) this.#name += String.fromCharCode(byte);
    this.#write(byte);
  }

  #open(byte: number): void {
    if (this.#depth === 0 && byte !== OPEN_OBJECT) throw makeInvalid("The body is not a JSON object.");
    if (this.#depth === 1 && byte === OPEN_LIST && this.#name === "requests") {
      if (this.#isNamed) throw makeInvalid("The body has 'requests' twice.");
      this.#isNamed = true;
      this.#isWithin = true;
    } else this.#write(byte);
    this.#depth++;
  }

  #close(byte: number): void {
    this.#depth--;
    if (this.#depth === 1 && this.#isWithin) {
      this.#endElement();
      this.#isWithin = false;
    } else this.#write(byte);
    if (this.#depth <= 0) this.#isOver = true;
  }

  #write(byte: number): void {
    if (!this.#isWithin) return;
    this.#hasElement = true;
    this.#put(byte);
  }

  /** Nearly all bytes of a body are in texts, which go on in one piece. */
  #writeText(bytes: Uint8Array): void {
    if (!this.#isWithin) return;
    this.#out.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #endElement(): void {
    if (this.#hasElement) this.#put(NEWLINE);
    this.#hasElement = false;
  }

  #put(byte: number): void {
    this.#out[this.#length++] = byte;
  }
}

/** Returns the place of the next byte that means something within a text. */
function findTextEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE || byte === BACKSLASH || byte < SPACE) return at;
  }
  return bytes.length;
}

function makeInvalid(message: string): Fault {
  return new Fault("invalid_json", `The request body is not valid JSON: ${message}`);
}

/** The form of such a line. A mistake in its `params` is that line's own error. */
export function makeAnthropicLines(bytesMax: number): LineForm {
  return { body: "params", bytesMax, check: checkRequest };
}

function checkRequest({ custom_id: customId, params }: JsonObject): Omit<BatchMistake, "line"> | null {
  if (typeof customId !== "string" || !CUSTOM_ID.test(customId))
    return {
      code: "invalid_custom_id",
      message: "custom_id: expected 1 to 64 letters, digits, '_' or '-'",
      param: "custom_id",
    };
  if (!isObject(params))
    return { code: "missing_required_parameter", message: "params: Field required", param: "params" };
  return null;
}
