// The runtime decodes a body in pieces as `decoded` does: split characters, byte order marks, invalid bytes.
import { expect, test } from "bun:test";
import { decoded } from "../harness/decoded.ts";

const BODIES: readonly (readonly [string, readonly number[]])[] = [
  ["characters of every length", [...new TextEncoder().encode("data: aä€😀\n\n")]],
  ["a byte-order mark, dropped at the start alone", [0xef, 0xbb, 0xbf, 0x61, 0xef, 0xbb, 0xbf, 0x62]],
  ["bytes that are no text", [0x61, 0xff, 0xed, 0xa0, 0x80, 0xf4, 0x90, 0x80, 0x80, 0xc0, 0xaf, 0x62]],
  ["a character cut off by the end", [0x61, 0xf0, 0x9f, 0x98]],
];

/** Returns the text as read, with "|" between its non-empty pieces. */
async function read(response: Response): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of response.textStream()) pieces.push(piece);
  return pieces.join("|");
}

for (const [what, bytes] of BODIES) {
  test(`${what}, cut into two pieces anywhere`, async () => {
    let cut = 0;
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response(piecewise(piecesAt(cut))),
    });
    for (cut = 0; cut <= bytes.length; cut++) {
      const whole = [...decoded(piecesAt(cut))].join("");
      const made = await read(new Response(piecewise(piecesAt(cut))));
      const fetched = await read(await fetch(server.url));
      expect([made, fetched].map((text) => text.replaceAll("|", ""))).toEqual([whole, whole]);
    }
    await server.stop(true);
  });

  function piecesAt(cut: number): readonly Uint8Array[] {
    const all = Uint8Array.from(bytes);
    return [all.subarray(0, cut), all.subarray(cut)].filter(({ length }) => length > 0);
  }
}

function piecewise(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream({
    async pull(controller) {
      const piece = left.shift();
      if (piece) controller.enqueue(piece);
      else controller.close();
      // Makes the next piece leave separately.
      await Bun.sleep(1);
    },
  });
}
