// A stream's bytes as text, piece by piece, as `upstream-text.test.ts` shows that the runtime decodes them.

export function* decoded(pieces: Iterable<Uint8Array>): Generator<string> {
  const decoder = new TextDecoder();
  for (const piece of pieces) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}
