// The fields of an entry in a foreign file. It knows which of them were read, so that all others can be reported.
import { asNumber, asString, type JsonObject } from "../core/json/json.ts";

/** The reasons why fields have no place here. */
export type Reasons = Readonly<Record<string, string>>;

export class Fields {
  readonly #values: JsonObject;
  readonly #read = new Set<string>();

  constructor(values: JsonObject) {
    this.#values = values;
  }

  /** Returns the value, and counts the field as read. */
  take(name: string): unknown {
    this.#read.add(name);
    return this.#values[name] ?? undefined;
  }

  takeText(name: string): string | undefined {
    return asString(this.take(name));
  }

  /** A field with another value, such as a variable, doesn't count as read. */
  takeNumber(name: string): number | undefined {
    const number = asNumber(this.#values[name]);
    if (number !== undefined) this.#read.add(name);
    return number;
  }

  /** Returns the text without counting the field as read. */
  peekText(name: string): string | undefined {
    return asString(this.#values[name]);
  }

  /** True if the field has a value. It doesn't count as read. */
  has(name: string): boolean {
    return this.#values[name] !== undefined && this.#values[name] !== null;
  }

  /** Counts all fields as read: there is a reason for the whole entry. */
  skip(): void {
    for (const name of Object.keys(this.#values)) this.#read.add(name);
  }

  /** Returns the fields with a value that nobody has read. */
  listUnread(): readonly string[] {
    return Object.keys(this.#values).filter((name) => this.has(name) && !this.#read.has(name));
  }
}
