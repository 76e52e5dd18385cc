// The text that commands print, and the codes they exit with.

/** Both take text without the newline that ends it. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export const EXIT = { done: 0, failed: 1, usage: 2 } as const;
