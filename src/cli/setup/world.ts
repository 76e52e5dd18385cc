// The effects of `poundkey setup`, which are passed in, so that tests give it a home, a disk and answers of their own.
import type { Fetch } from "../../core/world/world.ts";
import type { Disk } from "./disk.ts";

export interface SetupWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly disk: Disk;
  readonly fetch: Fetch;
  /** The longest that an answer of the gateway may take. */
  readonly waitMs: number;
  /** True if a person can be asked. */
  readonly isTerminal: boolean;
  /** Asks a person, and returns true for a yes. */
  readonly ask: (question: string) => boolean;
  /** Reads standard input: to its end, or a line of a terminal. */
  readonly readInput: () => string;
  /** The words that start this program from anywhere, or null if no lasting path leads to it. */
  readonly program: readonly [string, ...string[]] | null;
}
