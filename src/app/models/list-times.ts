// When a watched list is looked at: all nodes look within the same minute, without asking each other.
import { createHash } from "node:crypto";

const MINUTE_MS = 60_000;

/**
 * Returns the time of the next look. `share`, from 0 to 1, is the node's place within the minute, which depends on the list's
 * address alone.
 */
export function findNextLook(from: string, everyMs: number, nowMs: number, share: number): number {
  const minutes = Math.max(1, Math.floor(everyMs / MINUTE_MS));
  const ownMs = (createHash("sha256").update(from).digest().readUInt32BE() % minutes) * MINUTE_MS;
  const periodMs = minutes * MINUTE_MS;
  const begunMs = Math.floor((nowMs - ownMs) / periodMs) * periodMs + ownMs;
  return begunMs + periodMs + Math.floor(share * (MINUTE_MS - 1));
}
