// Waits for the signal that asks a gateway to stop.
import { EXIT } from "../terminal.ts";

/**
 * Resolves at the first SIGTERM or SIGINT, or when the terminal is closed. A later SIGINT ends the process at once, other
 * signals are ignored then.
 */
export async function waitForSignal(hasTerminal: boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    process.on("SIGTERM", () => resolve());
    if (hasTerminal) process.on("SIGHUP", () => resolve());
    process.once("SIGINT", () => resolve());
  });
  process.once("SIGINT", () => process.exit(EXIT.failed));
}
