// Kinds that random conversations leave out, each with the reason why it would change a prefix.

interface LeftOut {
  readonly kind: "words by another surface";
  readonly because: string;
}

export const LEFT_OUT: readonly LeftOut[] = [
  {
    kind: "words by another surface",
    because:
      "The entry with what the gateway said before an answer with thinking is read by the surface that gave it, and not by Claude's own.",
  },
];

export function isLeftOut(kind: LeftOut["kind"]): boolean {
  return LEFT_OUT.some((one) => one.kind === kind);
}
