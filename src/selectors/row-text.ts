// A request's row of numbers as text: Float16 in base64, behind the name of the parameters that made it.
import { shippedParameters } from "./parameters.ts";

/** For `unpackRow`. */
export function rowText(row: Float32Array): string {
  return `${markOfParameters()}:${Buffer.from(Float16Array.from(row).buffer).toString("base64")}`;
}

/** The row of `KeptDecision.row`; null when it is not one, or other parameters made it: its numbers meant something else. */
export function unpackRow(text: string): Float32Array | null {
  const [mark, numbers = ""] = text.split(":");
  if (mark !== markOfParameters()) return null;
  const bytes = Buffer.from(numbers, "base64");
  if (bytes.length === 0 || bytes.length % Float16Array.BYTES_PER_ELEMENT !== 0) return null;
  const row = Float32Array.from(new Float16Array(new Uint8Array(bytes).buffer));
  // One number that is none would spread to every model, because all are learned together.
  return row.every(Number.isFinite) ? row : null;
}

let mark: string | undefined;

/** The name of the parameters. Rows of other ones mean something else. */
export function markOfParameters(): string {
  mark ??= Bun.hash.wyhash(shippedParameters().embedding).toString(36);
  return mark;
}
