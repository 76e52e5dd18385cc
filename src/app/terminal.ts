// The text that commands print, and their exit codes.

/** Both append a newline to the text. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The characters of a line, if the output is a terminal. */
  readonly width?: number | undefined;
  /** True on a terminal that shows colours. */
  readonly isColored?: boolean;
}

/** `partial` is for work that was done and left something for people to decide, `lasting` for a start that fails until they act. */
export const EXIT = { done: 0, failed: 1, usage: 2, partial: 3, lasting: 4 } as const;
