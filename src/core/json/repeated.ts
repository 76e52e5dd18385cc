// The large values that many requests repeat byte for byte, such as an agent's tools: parsed once, and shared.

import { freezeDeep } from "../world/frozen.ts";

/** Agents repeat these fields in every turn. Others, such as messages, grow. */
const REPEATED_FIELDS: ReadonlySet<unknown> = new Set(["tools"]);
/** A shorter value is parsed almost as fast as it is found. */
const BYTES_MIN = 4096;
const BYTES_MAX = 131_072;
/** The bytes of all that is remembered. Their objects take some five times as much. */
const TOTAL_BYTES_MAX = 2 * 1024 * 1024;
const SIGHTINGS_MAX = 1000;

/** Values of equal bytes are this one object, so it is frozen. */
export interface RepeatedValue {
  readonly value: object;
  readonly bytes: Buffer;
  /** The elements and fields within it. */
  readonly elements: number;
}

/** By a hash of their bytes, the last used one last. */
const remembered = new Map<bigint, RepeatedValue>();
const byValue = new WeakMap<object, RepeatedValue>();
let totalBytes = 0;
/** Hashes of values that came once, most of which never come again. */
const sightings = new Set<bigint>();

export function mayRepeat(field: unknown, bytes: number): boolean {
  return bytes >= BYTES_MIN && bytes <= BYTES_MAX && REPEATED_FIELDS.has(field);
}

/** Returns what is remembered of these bytes. A hash can be forged, so all of them are compared. */
export function findRepeated(bytes: Uint8Array): RepeatedValue | null {
  const hash = Bun.hash.wyhash(bytes);
  const known = remembered.get(hash);
  if (known === undefined || !known.bytes.equals(bytes)) return null;
  remembered.delete(hash);
  remembered.set(hash, known);
  return known;
}

/** Returns what was remembered of this very object, for as long as a request has it. */
export function readRepeated(value: object): RepeatedValue | undefined {
  return byValue.get(value);
}

/** Remembers a value and freezes it, once its bytes come for the second time. */
export function noteRepeated(value: object, bytes: Uint8Array, elements: number): void {
  const hash = Bun.hash.wyhash(bytes);
  if (!sightings.delete(hash)) {
    if (sightings.size >= SIGHTINGS_MAX) sightings.clear();
    sightings.add(hash);
    return;
  }
  forget(hash);
  const one = { value: freezeDeep(value), bytes: Buffer.from(bytes), elements };
  remembered.set(hash, one);
  byValue.set(value, one);
  totalBytes += bytes.length;
  for (const oldest of remembered.keys()) {
    if (totalBytes <= TOTAL_BYTES_MAX) break;
    forget(oldest);
  }
}

/** Remembers the bytes of a value for as long as it lives, and freezes it. */
export function holdRepeated(value: unknown, bytes: Uint8Array, elements: number): void {
  if (typeof value !== "object" || value === null || byValue.has(value)) return;
  byValue.set(value, { value: freezeDeep(value), bytes: Buffer.from(bytes), elements });
}

function forget(hash: bigint): void {
  totalBytes -= remembered.get(hash)?.bytes.length ?? 0;
  remembered.delete(hash);
}
