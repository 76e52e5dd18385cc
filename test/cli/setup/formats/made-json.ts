// Made settings files in JSON: strict ones, and ones with comments and trailing commas; on lines, or on one.
import type { SettingPath } from "../../../../src/cli/setup/formats/format.ts";
import { isObject } from "../../../../src/core/json/json.ts";
import type { Dice } from "../../../sim/dice.ts";
import { type MadeFile, Maker } from "./made-tree.ts";

export function makeJson(dice: Dice): MadeFile {
  const maker = new Maker(dice);
  const writer = new Writer(maker);
  const end = maker.lineEnd;
  const before = writer.comment([], "block");
  const text = dice.chance(0.03) ? "" : writer.write(maker.tree(), [], "");
  return maker.finish(`${before}${text}${end}${writer.comment([], "line")}`);
}

class Writer {
  readonly #maker: Maker;
  readonly #unit: string;
  readonly #gap: string;
  readonly #hasTrailing: boolean;
  readonly #lines: number;

  constructor(maker: Maker) {
    const { dice } = maker;
    this.#maker = maker;
    this.#unit = dice.pick(["  ", "    ", "\t"]);
    this.#gap = dice.pick([" ", " ", ""]);
    this.#hasTrailing = maker.hasComments && dice.chance(0.4);
    this.#lines = dice.pick([1, 1, 0.7, 0]);
  }

  /** Returns a comment with the space around it, or nothing. */
  comment(path: SettingPath, kind: "line" | "block"): string {
    const words = this.#maker.comment(path);
    if (words === null) return "";
    return kind === "line" ? ` // ${words}${this.#maker.lineEnd}` : ` /* ${words} */ `;
  }

  write(value: unknown, path: SettingPath, indent: string): string {
    if (Array.isArray(value)) {
      const entries = value.map(
        (entry, at) => (inner: string) => this.write(entry, [...path, `${at}`], inner),
      );
      return `[${this.#elements(entries, path, indent)}]`;
    }
    if (!isObject(value)) return JSON.stringify(value);
    const fields = Object.entries(value).map(([key, field]) => (inner: string) => {
      const comment = this.#maker.dice.chance(0.1) ? this.comment([...path, key], "block") : "";
      return `${JSON.stringify(key)}:${comment}${this.#gap}${this.write(field, [...path, key], inner)}`;
    });
    return `{${this.#elements(fields, path, indent)}}`;
  }

  #elements(writes: readonly ((indent: string) => string)[], path: SettingPath, indent: string): string {
    const { dice, lineEnd } = this.#maker;
    if (writes.length === 0) return dice.pick(["", "", " ", lineEnd, this.comment(path, "block")]);
    const isSpread = dice.chance(this.#lines);
    const inner = isSpread ? indent + this.#unit : indent;
    const parts = writes.map((write, at) => {
      const comma = at < writes.length - 1 || (this.#hasTrailing && dice.chance(0.8)) ? "," : "";
      const early = dice.chance(0.1) ? this.comment(path, "block") : "";
      if (!isSpread) return `${write(inner)}${early}${comma}${this.comment(path, "block")}`;
      const above = this.comment(path, "line");
      const after = this.comment(path, "line") || lineEnd;
      return `${above === "" ? "" : inner + above.trimStart()}${inner}${write(inner)}${early}${comma}${after}`;
    });
    if (!isSpread) return `${this.#gap}${parts.join(this.#gap)}${this.#gap}`;
    return `${this.comment(path, "line") || lineEnd}${parts.join("")}${indent}`;
  }
}
