// Random changes to JSON and bytes: wrong types, odd numbers and texts, deep nesting, lost and flipped bytes.
import { isObject } from "../../src/core/json/json.ts";
import type { Dice } from "../sim/dice.ts";

/** JSON text that `JSON.stringify` would not write. */
export class Raw {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The value as text, in which each `Raw` is inserted unchanged. */
export function write(value: unknown): string {
  const pieces: string[] = [];
  collect(value, pieces);
  return pieces.join("");
}

/** The pieces are joined only once, because a deep value would be copied at each of its levels. */
function collect(value: unknown, pieces: string[]): void {
  if (value instanceof Raw) pieces.push(value.text);
  else if (Array.isArray(value)) {
    pieces.push("[");
    for (const [at, one] of value.entries()) {
      if (at > 0) pieces.push(",");
      collect(one, pieces);
    }
    pieces.push("]");
  } else if (isObject(value)) {
    const fields = Object.entries(value).filter(([, one]) => one !== undefined);
    pieces.push("{");
    for (const [at, [name, one]] of fields.entries()) {
      pieces.push(`${at > 0 ? "," : ""}${JSON.stringify(name)}:`);
      collect(one, pieces);
    }
    pieces.push("}");
  } else pieces.push(JSON.stringify(value) ?? "null");
}

const NUMBERS = ["1e400", "-1e400", "1e-400", "-0", "0.1e1", "9007199254740993", "1e21", "-1", "1.5", "0"];
const TEXTS = [
  "",
  " ",
  "\0",
  "\u2028",
  "﻿",
  "🙈",
  "Router#best",
  "data: [DONE]\n\n",
  "null",
  "1",
  "constructor",
];
const WRONG = [
  "NaN",
  "",
  "'x'",
  "01",
  '"\\ud800"',
  '"\\u0000"',
  '{"a":1,"a":2}',
  '{"__proto__":{"n":1}}',
  "1 2",
  '"\n"',
];
const MANY = ["[]", "{}", "0", '""', '{"a":[]}', "null"];
/** The chance of a text, nesting or list beyond the limits. */
const LARGE_CHANCE = 0.03;
const LARGE_BYTES = 4_000_000;

/** A value that hardly any field expects. */
export function oddValue(dice: Dice): unknown {
  const size = dice.chance(LARGE_CHANCE) ? LARGE_BYTES : 10 ** dice.int(0, 4);
  const makers: readonly (() => unknown)[] = [
    () => null,
    () => dice.chance(0.5),
    () => new Raw(dice.pick(NUMBERS)),
    () => dice.int(-5, 100_000),
    () => dice.pick(TEXTS),
    () => new Raw(dice.pick(WRONG)),
    () => dice.pick(["a", "é", "\\", '"', "\n", "🙈", "1"]).repeat(size),
    () => new Raw(`[${`${dice.pick(MANY)},`.repeat(size / 10)}0]`),
    () => {
      const depth = Math.min(size, 100_000);
      return new Raw(
        dice.chance(0.5)
          ? "[".repeat(depth) + "]".repeat(depth)
          : `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
      );
    },
    () => ({ [dice.pick(TEXTS)]: dice.pick(TEXTS), type: dice.pick(["text", "image_url", "function", "x"]) }),
    () => Array.from({ length: dice.int(0, 5) }, () => dice.pick(TEXTS)),
  ];
  return dice.pick(makers)();
}

interface Slot {
  readonly holder: Record<string, unknown> | unknown[];
  readonly name: string;
}

function slotsOf(value: unknown, found: Slot[] = []): readonly Slot[] {
  if (value instanceof Raw || value === null || typeof value !== "object") return found;
  const holder = Array.isArray(value) ? value : isObject(value) ? value : [];
  for (const [name, one] of Object.entries(holder)) {
    found.push({ holder, name });
    slotsOf(one, found);
  }
  return found;
}

/** A copy of plain JSON with this many structural changes. */
export function mutateJson(dice: Dice, value: unknown, changes: number): unknown {
  const root: unknown[] = [structuredClone(value)];
  for (let change = 0; change < changes; change++) {
    const { holder, name } = dice.pick(slotsOf(root));
    const entries = new Map(Object.entries(holder));
    const old = entries.get(name);
    const put = (one: unknown) => {
      if (Array.isArray(holder)) holder[Number(name)] = one;
      else holder[name] = one;
    };
    const how = dice.weighted({ odd: 6, drop: 2, wrap: 1, repeat: 1, rename: 1 });
    if (how === "odd") put(oddValue(dice));
    if (how === "drop") put(undefined);
    if (how === "wrap") put(dice.chance(0.5) ? [old] : { value: old });
    if (how === "repeat") put(repeat(dice, old));
    if (how === "rename" && !Array.isArray(holder))
      holder[dice.pick(["x", "type", "role", "stream", "n"])] = old;
  }
  return root[0];
}

/** The value twice or more, as text and within the limits: repeats of repeats would fill the memory. */
function repeat(dice: Dice, value: unknown): readonly Raw[] {
  const one = new Raw(write(value));
  const most = Math.max(1, Math.floor(LARGE_BYTES / one.text.length));
  return Array.from({ length: Math.min(dice.int(2, 40), most) }, () => one);
}

/** The bytes with some of them flipped, lost, repeated or inserted. */
export function mutateBytes(dice: Dice, bytes: Buffer, changes: number): Buffer {
  let text = bytes;
  for (let change = 0; change < changes; change++) {
    const at = dice.int(0, Math.max(0, text.length - 1));
    const end = Math.min(text.length, at + dice.int(1, 40));
    const before = text.subarray(0, at);
    const middle = text.subarray(at, end);
    const after = text.subarray(end);
    const how = dice.weighted({ flip: 3, cut: 1, lose: 2, repeat: 2, insert: 2 });
    if (how === "flip")
      text = Buffer.concat([before, middle.map((byte) => byte ^ (1 << dice.int(0, 7))), after]);
    if (how === "cut") text = before;
    if (how === "lose") text = Buffer.concat([before, after]);
    if (how === "repeat") text = Buffer.concat([before, middle, middle, after]);
    if (how === "insert") text = Buffer.concat([before, dice.bytes(dice.int(1, 8)), middle, after]);
  }
  return text;
}
