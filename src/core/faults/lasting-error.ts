// The error of a start that no repetition heals: somebody has to change a password, a key or the configuration first.

/** The message says what to change. */
export class LastingError extends Error {}
