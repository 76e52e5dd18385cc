// Kinds that random conversations leave out, each with the reason why it would change a prefix.

interface LeftOut {
  readonly kind: "words before Claude's own API";
  readonly because: string;
}

export const LEFT_OUT: readonly LeftOut[] = [
  {
    kind: "words before Claude's own API",
    because:
      "What the gateway said before an answer with thinking stands beside that thinking, and a Messages request goes to Claude as its client wrote it.",
  },
];

export function isLeftOut(kind: LeftOut["kind"]): boolean {
  return LEFT_OUT.some((one) => one.kind === kind);
}
