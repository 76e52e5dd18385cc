// Joins a call's arguments, which Vertex AI streams in pieces with a JSON path each, into one object.
import { malformed } from "../../core/faults/malformed.ts";
import { asArray, asString, isObject, type JsonObject } from "../../core/json/json.ts";

/** A step is `.name`, `['name']`, `["name"]` or `[3]`. */
const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/y;
/** Requests can't be nested deeper either. */
const STEPS_MAX = 64;
/** Lists arrive nearly in order. Each gap is filled with nulls, so larger ones would take thousands of bytes a path. */
const GAP_MAX = 16;

type ArgsStep = string | number;

/** Writes the pieces of `partialArgs` into `args`. Throws a Fault for an invalid path. */
export function applyPartialArgs(args: JsonObject, partialArgs: unknown): void {
  for (const piece of asArray(partialArgs)) {
    if (!isObject(piece)) throw malformed("a partial argument is not an object");
    const steps = parseSteps(asString(piece.jsonPath) ?? "");
    setAt(args, steps, (before) => readPieceValue(piece, before));
  }
}

function parseSteps(path: string): ArgsStep[] {
  const steps: ArgsStep[] = [];
  STEP.lastIndex = path.startsWith("$") ? 1 : 0;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (!match) throw malformed("a partial argument's path is malformed");
    const [, name, index, single, double] = match;
    steps.push(index === undefined ? (name ?? single ?? double ?? "") : Number(index));
  }
  if (steps.length === 0 || steps.length > STEPS_MAX || steps.includes("__proto__")) {
    throw malformed("a partial argument's path is out of bounds");
  }
  return steps;
}

/** Strings are appended piece by piece, other values arrive whole. */
function readPieceValue(piece: JsonObject, before: unknown): unknown {
  const text = asString(piece.stringValue);
  if (text !== undefined) return typeof before === "string" ? before + text : text;
  return piece.numberValue ?? piece.boolValue ?? null;
}

function setAt(args: JsonObject, steps: readonly ArgsStep[], value: (before: unknown) => unknown): void {
  let at: JsonObject | unknown[] = args;
  for (const [position, step] of steps.entries()) {
    const next = steps[position + 1];
    const before = read(at, step);
    if (next === undefined) write(at, step, value(before));
    else {
      const holder = isObject(before) || Array.isArray(before) ? before : typeof next === "number" ? [] : {};
      write(at, step, holder);
      at = holder;
    }
  }
}

function read(holder: JsonObject | unknown[], step: ArgsStep): unknown {
  if (Array.isArray(holder)) return holder[Number(step)];
  return Object.hasOwn(holder, step) ? holder[step] : undefined;
}

function write(holder: JsonObject | unknown[], step: ArgsStep, value: unknown): void {
  if (!Array.isArray(holder)) holder[String(step)] = value;
  else if (typeof step === "number" && step <= holder.length + GAP_MAX) holder[step] = value;
  else throw malformed("a partial argument's place in a list is out of bounds");
}
