// A stream's bytes as text, piece by piece, decoded as in `upstream-text.test.ts`.

export function* decoded(pieces: Iterable<Uint8Array>): Generator<string> {
  const decoder = new TextDecoder();
  for (const piece of pieces) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}
