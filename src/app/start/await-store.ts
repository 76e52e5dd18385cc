// A gateway's start waits for a store that is away, such as a database that starts later than it.
import { writeDuration } from "../../core/text/duration.ts";
import { StoreAwayError } from "../../store/engine/unavailable.ts";
import { EXIT } from "../terminal.ts";

const PAUSE_MS = 500;

interface StoreWait {
  /** The longest that it waits: `server.store_wait`. */
  readonly waitMs: number;
  readonly say: (line: string) => void;
  /** Called after each attempt that found the store away. */
  readonly onAway: () => void;
}

/** Opens the store, once it is there. Throws its last StoreAwayError if it stays away, and all others at once. */
export async function awaitStore<Store>(open: () => Promise<Store>, waiting: StoreWait): Promise<Store> {
  // As the first process of a container it would otherwise be deaf to a signal.
  const end = () => process.exit(EXIT.done);
  process.on("SIGTERM", end).on("SIGINT", end);
  try {
    return await repeat(open, waiting);
  } finally {
    process.off("SIGTERM", end).off("SIGINT", end);
  }
}

async function repeat<Store>(open: () => Promise<Store>, { waitMs, say, onAway }: StoreWait): Promise<Store> {
  const untilMs = performance.now() + waitMs;
  for (let tries = 0; ; tries++) {
    try {
      return await open();
    } catch (error) {
      const leftMs = untilMs - performance.now();
      if (!(error instanceof StoreAwayError) || leftMs <= 0) throw error;
      if (tries === 0)
        say(`poundkey: ${error.message} Waiting up to ${writeDuration(waitMs)} for it (server.store_wait)`);
      onAway();
      await Bun.sleep(Math.min(PAUSE_MS, leftMs));
    }
  }
}
