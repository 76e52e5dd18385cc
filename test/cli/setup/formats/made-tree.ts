// Made settings as a tree, which each format writes in its own ways: all texts and comments have numbers of their own.
import type { SettingPath } from "../../../../src/cli/setup/formats/format.ts";
import type { JsonObject } from "../../../../src/core/json/json.ts";
import type { Dice } from "../../../sim/dice.ts";

/** A settings file, and of each comment in it the object or entry that it stands in. */
export interface MadeFile {
  readonly text: string;
  readonly comments: ReadonlyMap<string, SettingPath>;
}

const DECORATIONS = ["", "", "", " // no", " # no", ' "q"', " \\ {", " }]", ", x: 1", " 'é", "\tT", " = [a]"];

/** Numbers texts and comments, and makes trees of settings. */
export class Maker {
  readonly dice: Dice;
  readonly comments = new Map<string, SettingPath>();
  readonly hasComments: boolean;
  readonly lineEnd: string;
  readonly isPlain: boolean;
  #texts = 0;
  #comments = 0;

  constructor(dice: Dice) {
    this.dice = dice;
    this.hasComments = dice.chance(0.7);
    this.lineEnd = dice.chance(0.25) ? "\r\n" : "\n";
    this.isPlain = dice.chance(0.3);
  }

  /** Returns a comment's words, or null. */
  comment(path: SettingPath, probability = 0.25): string | null {
    if (!this.hasComments || !this.dice.chance(probability)) return null;
    const name = `c${this.#comments++}c`;
    this.comments.set(name, path);
    return `${name}${this.dice.pick(["", " plain", ' "quoted', " {", " [x]", ", a = 1"])}`;
  }

  finish(text: string): MadeFile {
    const mark = this.dice.chance(0.15) ? "\uFEFF" : "";
    const body = this.dice.chance(0.2) ? text.replace(/\r?\n$/, "") : text;
    return { text: mark + body, comments: this.comments };
  }

  text(): string {
    return `v${this.#texts++}v${this.isPlain ? "" : this.dice.pick(DECORATIONS)}`;
  }

  scalar(): unknown {
    const value = this.dice.next();
    if (value < 0.8) return this.text();
    return this.dice.pick([true, false, 0, 42, -1.5, 1e21, ""]);
  }

  tree(): JsonObject {
    const { dice } = this;
    const fields: [string, () => unknown][] = [
      ["model", () => this.scalar()],
      ["note", () => this.scalar()],
      ["env", () => this.object(["A", "B", "C", "ours"], () => this.scalar())],
      ["provider", () => this.object(["one", "ours", "weird.key"], () => this.#provider())],
      ["list", () => this.#list()],
      ["deep", () => this.object(["x"], () => this.object(["y", "z"], () => this.#provider()))],
      ["a b", () => this.scalar()],
      ["__proto__", () => this.scalar()],
    ];
    return Object.fromEntries(
      fields
        .filter(([name]) => dice.chance(name === "__proto__" ? 0.05 : 0.6))
        .map(([name, make]) => [name, make()] as const)
        .toSorted(() => (dice.chance(0.5) ? 1 : -1)),
    );
  }

  object(names: readonly string[], make: () => unknown): JsonObject {
    return Object.fromEntries(names.filter(() => this.dice.chance(0.6)).map((name) => [name, make()]));
  }

  #provider(): JsonObject {
    return this.object(["name", "url", "auth"], () =>
      this.dice.chance(0.3) ? this.object(["x", "y"], () => this.scalar()) : this.scalar(),
    );
  }

  #list(): readonly unknown[] {
    const { dice } = this;
    return Array.from({ length: dice.int(0, 4) }, () =>
      dice.chance(0.2)
        ? this.scalar()
        : {
            id: dice.chance(0.4) ? "ours" : this.text(),
            ...this.object(["url", "tags"], () => (dice.chance(0.3) ? [this.text(), 1] : this.scalar())),
          },
    );
  }
}
