// Takes a credential out of what a tool server answers, in whatever field the server quotes it.
import { isObject, type JsonObject } from "../core/json/json.ts";
import { HIDDEN_CHARACTERS_MIN } from "../core/tools/tool-server.ts";

const SHOWN = "[redacted]";
/** A value behind the name of its scheme, as in `Bearer …`. */
const SCHEME = /^[A-Za-z][\w-]*\s+(\S+)$/;
const BASIC = /^basic\s+(\S+)$/i;
/** Escapes by which a text in JSON may be written in more than one way. */
const OTHER_ESCAPES = /\\[u/]/;

export class Redaction {
  /** Longer ones first, so that a value goes before its parts. */
  readonly #forms: readonly string[];
  /** The same, as they stand in JSON. */
  readonly #written: readonly string[];

  /** Takes the values of headers too, with a scheme before the secret. */
  constructor(values: readonly string[]) {
    const secrets = new Set(values.flatMap(listSecrets).filter((one) => one.length >= HIDDEN_CHARACTERS_MIN));
    const forms = new Set([...secrets].flatMap(listForms));
    this.#forms = [...forms].toSorted((one, other) => other.length - one.length);
    this.#written = this.#forms.map(writeText);
  }

  /** Returns the parsed JSON of `text` without the secrets, in strings and in names of fields: the same value if it has none. */
  hide(value: unknown, text: string): unknown {
    if (this.#forms.length === 0) return value;
    const isFound = this.#written.some((form) => text.includes(form));
    return isFound || OTHER_ESCAPES.test(text) ? this.#hideIn(value) : value;
  }

  #hideIn(value: unknown): unknown {
    if (typeof value === "string") return this.#hideText(value);
    if (Array.isArray(value)) return value.map((one) => this.#hideIn(one));
    return isObject(value) ? this.#hideFields(value) : value;
  }

  #hideFields(value: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [this.#hideText(name), this.#hideIn(one)]),
    );
  }

  #hideText(text: string): string {
    return this.#forms.reduce((shown, form) => shown.replaceAll(form, SHOWN), text);
  }
}

/** Returns a header's value, and the secret in it: of `Basic`, the name and the password too. */
function listSecrets(value: string): readonly string[] {
  const [, secret = ""] = SCHEME.exec(value) ?? [];
  const [, encoded] = BASIC.exec(value) ?? [];
  if (encoded === undefined) return [value, secret];
  const decoded = Buffer.from(encoded, "base64").toString();
  return [value, secret, decoded, decoded.slice(decoded.indexOf(":") + 1)];
}

/** Returns the ways in which a server may write a secret: as it is, in JSON or an address that is itself a text, and in base64. */
function listForms(secret: string): readonly string[] {
  const texts = [...new Set([secret, writeText(secret), encodeURIComponent(secret)])];
  const encoded = texts.flatMap(listEncoded);
  const inAddresses = encoded.map((one) => one.replaceAll("+", "-").replaceAll("/", "_"));
  return [...texts, ...encoded, ...inAddresses];
}

function writeText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * Base64 takes three bytes at a time. So the secret looks in three ways, by what stands before it, such as a name and a colon:
 * of each, it is the part that nothing else decides.
 */
function listEncoded(secret: string): readonly string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    return bytes.toString("base64").slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
}
