// Made settings files in YAML: mappings and lists on lines or in brackets, texts in all their forms.
import type { SettingPath } from "../../../../src/cli/setup/formats/format.ts";
import { isObject, type JsonObject } from "../../../../src/core/json/json.ts";
import type { Dice } from "../../../sim/dice.ts";
import { type MadeFile, Maker } from "./made-tree.ts";

export function makeYaml(dice: Dice): MadeFile {
  const maker = new Maker(dice);
  const writer = new Writer(maker);
  const start = dice.chance(0.1) ? `---${maker.lineEnd}` : "";
  return maker.finish(start + writer.mapping(maker.tree(), [], ""));
}

class Writer {
  readonly #maker: Maker;
  readonly #unit: string;
  readonly #isCompactList: boolean;
  readonly #marks: number;

  constructor(maker: Maker) {
    this.#maker = maker;
    this.#unit = maker.dice.pick(["  ", "  ", "    "]);
    this.#isCompactList = maker.dice.chance(0.3);
    this.#marks = maker.dice.chance(0.05) ? 0.3 : 0;
  }

  mapping(table: JsonObject, path: SettingPath, indent: string): string {
    const { dice, lineEnd } = this.#maker;
    return Object.entries(table)
      .map(([key, value]) => {
        const blank = dice.chance(0.1) ? lineEnd : "";
        const name = /^\w+$/.test(key) && dice.chance(0.9) ? key : JSON.stringify(key);
        return `${blank}${this.#above(path, indent)}${indent}${name}:${this.#field(value, [...path, key], indent)}`;
      })
      .join("");
  }

  #field(value: unknown, path: SettingPath, indent: string): string {
    const { dice } = this.#maker;
    const around = path.slice(0, -1);
    const mark = dice.chance(this.#marks) ? ` &m${path.length}` : "";
    const isBlock = (Array.isArray(value) || isObject(value)) && Object.keys(value).length > 0;
    if (!isBlock || dice.chance(0.15)) {
      if (dice.chance(0.03) && isObject(value) && !isBlock) return this.#after(around);
      return `${mark} ${this.#inline(value, indent + this.#unit)}${this.#after(around)}`;
    }
    const inner = indent + this.#unit;
    if (isObject(value)) return `${mark}${this.#after(path)}${this.mapping(value, path, inner)}`;
    const dashes = this.#isCompactList ? indent : inner;
    return `${mark}${this.#after(path)}${value.map((entry) => this.#entry(entry, path, dashes)).join("")}`;
  }

  #entry(entry: unknown, path: SettingPath, indent: string): string {
    const above = this.#above(path, indent);
    if (!isObject(entry) || this.#maker.dice.chance(0.2))
      return `${above}${indent}- ${this.#inline(entry, `${indent}  `)}${this.#after(path)}`;
    const fields = Object.entries(entry).map(([key, field]) => {
      const comment = this.#above([...path, "0"], `${indent}  `);
      return [comment, `${key}: ${this.#inline(field, `${indent}    `)}${this.#maker.lineEnd}`] as const;
    });
    const lines = fields.map(([comment, line], at) =>
      at === 0 ? `${indent}- ${line}` : `${comment}${indent}  ${line}`,
    );
    // A comment that isn't written has no place in the file.
    for (const name of fields[0]?.[0].match(/c\d+c/g) ?? []) this.#maker.comments.delete(name);
    return above + lines.join("");
  }

  #above(path: SettingPath, indent: string): string {
    const words = this.#maker.comment(path);
    return words === null ? "" : `${indent}# ${words}${this.#maker.lineEnd}`;
  }

  #after(path: SettingPath): string {
    const words = this.#maker.comment(path, 0.1);
    return `${words === null ? "" : ` # ${words}`}${this.#maker.lineEnd}`;
  }

  /** Writes what may have a comment behind it. */
  #inline(value: unknown, indent: string): string {
    const { dice, lineEnd } = this.#maker;
    if (typeof value === "number") return Object.is(value, 1e21) ? "1e+21" : String(value);
    if (typeof value !== "string")
      return JSON.stringify(value, null, dice.chance(0.1) ? 1 : undefined).replaceAll("\n", lineEnd + indent);
    const isWord = /^v\d+v$/.test(value);
    if (isWord && dice.chance(0.5)) return value;
    if (dice.chance(0.2) && value !== "") return `|-${lineEnd}${indent}${value}`.replace(/\t/g, "\t");
    if (!/['\t]/.test(value) && dice.chance(0.4)) return `'${value}'`;
    return JSON.stringify(value);
  }
}
