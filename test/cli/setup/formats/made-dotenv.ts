// Made files of variables: with quotes, comments, `export`, and names that appear twice.
import type { Dice } from "../../../sim/dice.ts";
import { type MadeFile, Maker } from "./made-tree.ts";

const NAMES = ["A", "B", "ours", "OTHER", "GEMINI_API_KEY"];

export function makeDotenv(dice: Dice): MadeFile {
  const maker = new Maker(dice);
  const { lineEnd } = maker;
  const lines = NAMES.filter(() => dice.chance(0.7)).flatMap((name) => {
    const above = maker.comment([]);
    const after = maker.comment([], 0.15);
    const equals = dice.pick(["=", "=", " = "]);
    const start = dice.chance(0.2) ? "export " : "";
    const value = writeValue(maker.text(), dice);
    const line = `${start}${name}${equals}${value}${after === null ? "" : ` # ${after}`}`;
    return [
      ...(above === null ? [] : [`# ${above}`]),
      line,
      ...(dice.chance(0.02) ? [line] : []),
      ...(dice.chance(0.1) ? [""] : []),
    ];
  });
  return maker.finish(lines.map((line) => line + lineEnd).join(""));
}

function writeValue(text: string, dice: Dice): string {
  if (!/['\t]/.test(text) && dice.chance(0.4)) return `'${text}'`;
  if (!/["\\]/.test(text) && dice.chance(0.4)) return dice.chance(0.1) ? `"${text}\n more"` : `"${text}"`;
  return text.replace(/^(v\d+v).*$/s, "$1");
}
