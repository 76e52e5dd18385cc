// The program that tests start as a process of its own.
import { join } from "node:path";
import { BINARY } from "./harness.ts";

/**
 * The binary that `npm test` has built from the sources, since each start from the sources takes three times the CPU. It
 * only stands in for them in new processes: gateways that a test starts within its own process run from the sources.
 */
const BUILT = BINARY ?? process.env.POUNDKEY_BUILT;

/** The words that start it, before the name of its own command. */
export const PROGRAM: readonly string[] = BUILT
  ? [BUILT]
  : [process.execPath, join(import.meta.dir, "..", "..", "src", "main.ts")];
