// Forty seconds of silence, in real time, since the clients' own deadlines can't be shortened.
import { expect } from "bun:test";
import { doorTo } from "../clients/setting.ts";

const SILENT_MS = 40_000;
export const SAID = "worth the wait";
export const ASK = `say: ${SAID}`;
export const PATIENT_MS = 300_000;

/** The simulator's controls: before the head of the provider's answer, behind it, and between two parts. */
export const SILENCES = [`~latency=${SILENT_MS}`, `~pause=${SILENT_MS}`, `~gap=${SILENT_MS}~chunks=3`];

/** Runs a client through a proxy to the gateway. Returns the statuses of its requests, once it has the whole answer. */
export async function readPatiently(
  gatewayUrl: string,
  read: (url: string) => Promise<string>,
): Promise<readonly number[]> {
  const door = doorTo(gatewayUrl);
  const beganMs = performance.now();
  try {
    const printed = await read(door.url);
    expect(printed).toContain(SAID);
    expect(performance.now() - beganMs).toBeGreaterThan(SILENT_MS);
    return door.posts;
  } finally {
    await door.stop();
  }
}
