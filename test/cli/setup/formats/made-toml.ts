// Made settings files in TOML: tables in any order, dotted names, inline tables, lists of tables, texts over several lines.
import type { SettingPath } from "../../../../src/cli/setup/formats/format.ts";
import { isObject, type JsonObject } from "../../../../src/core/json/json.ts";
import type { Dice } from "../../../sim/dice.ts";
import { type MadeFile, Maker } from "./made-tree.ts";

export function makeToml(dice: Dice): MadeFile {
  const maker = new Maker(dice);
  const writer = new Writer(maker);
  const text = writer.write(maker.tree());
  return maker.finish(text);
}

class Writer {
  readonly #maker: Maker;
  readonly #sections: string[] = [];

  constructor(maker: Maker) {
    this.#maker = maker;
  }

  write(tree: JsonObject): string {
    const root = this.#pairs(tree, []);
    const { dice, lineEnd } = this.#maker;
    const gap = dice.chance(0.7) ? lineEnd : "";
    return [root, ...this.#sections.toSorted(() => (dice.chance(0.5) ? 1 : -1))].join(gap);
  }

  /** Writes a table's own fields, and keeps the tables within it. */
  #pairs(table: JsonObject, path: SettingPath): string {
    const { dice } = this.#maker;
    return Object.entries(table)
      .map(([key, value]) => {
        const inner = [...path, key];
        if (isList(value) && dice.chance(0.2)) return this.#keepEntries(value, inner);
        if (!isObject(value)) return this.#pair(this.#key(key), value, path);
        const isFlat = Object.keys(value).length > 0 && Object.values(value).every((one) => !isObject(one));
        if (isFlat && dice.chance(0.2))
          return Object.entries(value)
            .map(([name, field]) => this.#pair(`${this.#key(key)}.${this.#key(name)}`, field, inner))
            .join("");
        return dice.chance(0.75) ? this.#keepTable(value, inner) : this.#pair(this.#key(key), value, path);
      })
      .join("");
  }

  #keepTable(table: JsonObject, path: SettingPath): string {
    const pairs = this.#pairs(table, path);
    // A table of nothing but tables needs no header.
    const isImplied = pairs === "" && Object.keys(table).length > 0 && this.#maker.dice.chance(0.5);
    if (!isImplied)
      this.#sections.push(`${this.#above(path)}[${this.#keys(path)}]${this.#after(path)}${pairs}`);
    return "";
  }

  #keepEntries(list: readonly JsonObject[], path: SettingPath): string {
    const entries = list.map((entry) => {
      const pairs = Object.entries(entry).map(([key, value]) => this.#pair(this.#key(key), value, path));
      return `[[${this.#keys(path)}]]${this.#after(path)}${pairs.join("")}`;
    });
    this.#sections.push(entries.join(""));
    return "";
  }

  #pair(name: string, value: unknown, path: SettingPath): string {
    const equals = this.#maker.dice.pick([" = ", "=", "  =  "]);
    return `${this.#above(path)}${name}${equals}${this.#value(value)}${this.#after(path)}`;
  }

  #above(path: SettingPath): string {
    const words = this.#maker.comment(path);
    return words === null ? "" : `# ${words}${this.#maker.lineEnd}`;
  }

  #after(path: SettingPath): string {
    const words = this.#maker.comment(path, 0.1);
    return `${words === null ? "" : ` # ${words}`}${this.#maker.lineEnd}`;
  }

  #value(value: unknown): string {
    const { dice, lineEnd } = this.#maker;
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "number") return Object.is(value, 1e21) ? "1e21" : String(value);
    if (Array.isArray(value)) {
      const entries = value.map((entry) => this.#value(entry));
      return dice.chance(0.3) && entries.length > 0
        ? `[${lineEnd}${entries.map((entry) => `  ${entry}, # in list${lineEnd}`).join("")}]`
        : `[${entries.join(dice.pick([", ", ","]))}]`;
    }
    if (!isObject(value)) return String(value);
    const fields = Object.entries(value).map(([key, field]) => `${this.#key(key)} = ${this.#inline(field)}`);
    return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
  }

  /** An inline table has one line. */
  #inline(value: unknown): string {
    if (typeof value === "string") return JSON.stringify(value);
    if (Array.isArray(value)) return `[${value.map((entry) => this.#inline(entry)).join(", ")}]`;
    return this.#value(value);
  }

  #text(text: string): string {
    const { dice } = this.#maker;
    const kind = dice.pick(["basic", "basic", "literal", "long", "long literal"]);
    if (kind === "literal" && !/['\t]/.test(text)) return `'${text}'`;
    if (kind === "long") return `"""\n${JSON.stringify(text).slice(1, -1)}"""`;
    if (kind === "long literal" && !/['\t]/.test(text)) return `'''\n${text}'''`;
    return JSON.stringify(text);
  }

  #keys(path: SettingPath): string {
    return path.map((key) => this.#key(key)).join(this.#maker.dice.pick([".", ".", " . "]));
  }

  #key(key: string): string {
    if (/^[\w-]+$/.test(key) && this.#maker.dice.chance(0.9)) return key;
    return this.#maker.dice.chance(0.5) ? JSON.stringify(key) : `'${key}'`;
  }
}

function isList(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}
