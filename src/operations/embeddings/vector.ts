// Converts vectors to the requested format.
import { endianness } from "node:os";
import { Fault } from "../../core/faults/fault.ts";
import { malformed } from "../../core/faults/malformed.ts";
import type { WorkUsage } from "../whole-form.ts";
import type { EmbeddingsReply, EmbeddingsRequest, Vector } from "./form.ts";

const FLOAT_BYTES = 4;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Returns the numbers of a vector. */
export function toFloats(vector: Vector): readonly number[] {
  if (typeof vector !== "string") return vector;
  const bytes = Buffer.from(vector, "base64");
  return Array.from({ length: bytes.length / FLOAT_BYTES }, (_, at) => bytes.readFloatLE(at * FLOAT_BYTES));
}

/** Returns a vector as base64 of little-endian 32-bit floats. */
export function toBase64(vector: Vector): string {
  if (typeof vector === "string") return vector;
  const bytes = Buffer.from(Float32Array.from(vector).buffer);
  return (endianness() === "LE" ? bytes : bytes.swap32()).toString("base64");
}

/**
 * Returns the reply of one call from its vectors, in the order of the inputs. Throws a Fault if a vector is missing,
 * malformed or of the wrong length: some servers ignore `dimensions`.
 */
export function makeReply(
  given: readonly unknown[],
  usage: WorkUsage | null,
  { inputs, dimensions }: EmbeddingsRequest,
): EmbeddingsReply {
  if (given.length !== inputs.length) throw malformed("the embeddings don't match the inputs");
  const vectors = given.map(readVector);
  if (dimensions !== undefined && vectors.some((vector) => countFloats(vector) !== dimensions)) {
    const message = `This model does not support embeddings with ${dimensions} dimensions.`;
    throw new Fault("unsupported_capability", message, { param: "dimensions" });
  }
  return { vectors, usage };
}

function countFloats(vector: Vector): number {
  return typeof vector === "string" ? Buffer.byteLength(vector, "base64") / FLOAT_BYTES : vector.length;
}

/** Reads a provider's vector. Throws a Fault if it is malformed. */
function readVector(value: unknown): Vector {
  if (typeof value === "string" && value !== "" && BASE64.test(value)) {
    if (Buffer.byteLength(value, "base64") % FLOAT_BYTES === 0) return value;
  }
  if (Array.isArray(value) && value.length > 0 && value.every(Number.isFinite)) return value;
  throw malformed("an embedding is not a list of numbers");
}

/** Normalizes a vector to length 1, which some models don't do for fewer dimensions. */
export function normalize(vector: Vector): readonly number[] {
  const floats = toFloats(vector);
  const length = Math.sqrt(floats.reduce((sum, one) => sum + one * one, 0));
  return length === 0 ? floats : floats.map((one) => one / length);
}
