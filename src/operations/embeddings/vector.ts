// Vectors in the form that was asked for.
import { endianness } from "node:os";
import { garbled } from "../../core/upstream.ts";
import type { Vector } from "./form.ts";

const FLOAT_BYTES = 4;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Returns the numbers of a vector. */
export function toFloats(vector: Vector): readonly number[] {
  if (typeof vector !== "string") return vector;
  const bytes = Buffer.from(vector, "base64");
  return Array.from({ length: bytes.length / FLOAT_BYTES }, (_, at) => bytes.readFloatLE(at * FLOAT_BYTES));
}

/** Returns a vector as base64 of 32-bit floats, least significant byte first. */
export function toBase64(vector: Vector): string {
  if (typeof vector === "string") return vector;
  const bytes = Buffer.from(Float32Array.from(vector).buffer);
  return (endianness() === "LE" ? bytes : bytes.swap32()).toString("base64");
}

/** Returns a provider's vector. Throws the Fault of an answer that is none. */
export function readVector(given: unknown): Vector {
  if (typeof given === "string" && given !== "" && BASE64.test(given)) {
    if (Buffer.byteLength(given, "base64") % FLOAT_BYTES === 0) return given;
  }
  if (Array.isArray(given) && given.length > 0 && given.every(Number.isFinite)) return given;
  throw garbled("an embedding is no list of numbers");
}

/** Returns the vector with the length 1: some models give others for fewer dimensions than their own. */
export function normalize(vector: Vector): readonly number[] {
  const floats = toFloats(vector);
  const length = Math.hypot(...floats);
  return length === 0 ? floats : floats.map((one) => one / length);
}
