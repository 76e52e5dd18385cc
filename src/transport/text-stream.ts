// Sends a long text as a stream: `fetch` keeps a text in memory until its answer has ended.

/** A shorter text is sent as it is, in one write. */
export const SHORT_CHARACTERS = 256 * 1024;

/** Returns a stream of the text in UTF-8, which lets go of it once it is read. The text has no lone surrogates. */
export function streamText(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  const utf8 = new TextEncoder();
  let left = text;
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      const end = findEnd(left, at + SHORT_CHARACTERS);
      controller.enqueue(utf8.encode(left.slice(at, end)));
      at = end;
      if (at < left.length) return;
      left = "";
      controller.close();
    },
  });
}

/** Two halves of a surrogate pair can't be encoded separately. */
function findEnd(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : Math.min(at, text.length);
}
