// The steps of an input, whichever of its forms it came in, and those of the conversation before it.
import { Fault } from "../../core/faults/fault.ts";
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { readType, refuseType, refuseUnknownType } from "./contents.ts";
import { CONTENTS, findReading } from "./known.ts";

/** A step, and the place of its fields in the client's request. */
export interface PlacedStep {
  readonly step: JsonObject;
  readonly path: string;
  /** The place of its contents, which may be the whole input. */
  readonly contentPath: string;
}

const CONTENT = "content";

/** Returns an input as steps. Throws a Fault for what is neither a step nor a content, and for both together. */
export function listSteps(input: unknown): readonly PlacedStep[] {
  if (typeof input === "string") return [placeInput(input)];
  if (isObject(input)) {
    return isContent(input, "input") ? [placeInput(input)] : [placeStep(input, "input")];
  }
  const given = asArray(input);
  const kinds = given.map((one, at) => isContent(one, `input[${at}]`));
  if (kinds.every((isOne) => isOne)) return [placeInput(given)];
  const mixed = kinds.indexOf(true);
  if (mixed === -1) return given.map((one, at) => placeStep(asObject(one), `input[${at}]`));
  const message = `'input[${mixed}]' is a content beside steps: put contents into a step of the type 'user_input'.`;
  throw new Fault("invalid_value", message, { param: `input[${mixed}]` });
}

function placeInput(content: unknown): PlacedStep {
  return { step: { type: "user_input", content }, path: "input", contentPath: "input" };
}

function placeStep(step: JsonObject, path: string): PlacedStep {
  return { step, path, contentPath: `${path}.${CONTENT}` };
}

function isContent(value: unknown, path: string): boolean {
  if (!isObject(value)) throw refuseType(path, "an object");
  const type = readType(value, path);
  if (findReading(type) !== undefined) return false;
  if (CONTENTS.has(type)) return true;
  throw refuseUnknownType(path, type);
}

/** A place within the history that isn't in the request. */
export const EARLIER = "previous_interaction_id";

/** Returns an input's steps, without the thoughts that the steps before it already have. */
export function listNewSteps(earlier: readonly unknown[], input: unknown): readonly PlacedStep[] {
  const own = listSteps(input);
  if (earlier.length === 0) return own;
  const known = new Set(earlier.map(readThoughtSignature));
  return own.filter(({ step }) => !isRepeated(step, known));
}

/** Returns the input's steps after those before it. */
export function joinSteps(earlier: readonly unknown[], input: unknown): readonly PlacedStep[] {
  const before = earlier.map((step) => ({ step: asObject(step), path: EARLIER, contentPath: EARLIER }));
  return [...before, ...listNewSteps(earlier, input)];
}

/** ADK sends the last turn's thoughts again, which its provider would read twice. */
function isRepeated(step: JsonObject, known: ReadonlySet<string>): boolean {
  const signature = readThoughtSignature(step);
  return signature !== "" && known.has(signature);
}

function readThoughtSignature(step: unknown): string {
  const { type, signature } = asObject(step);
  return type === "thought" ? (asString(signature) ?? "") : "";
}
