// The least that a JavaScript gateway can do with a stream: read it as text and write it unchanged. The call is
// repeated from the floor, because `floor.ts` has to remain a single file.
import { directStream } from "../../../src/http/serve/direct.ts";

const upstream = process.env.FLOOR_UPSTREAM ?? "";

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const body = await request.text();
    const answer = await fetch(upstream, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        authorization: "Bearer sim",
        "accept-encoding": "identity",
      },
      signal: request.signal,
    });
    const pieces = answer.textStream().getReader();
    const source = {
      async pull(controller: ReadableStreamDirectController) {
        for (let read = await pieces.read(); !read.done; read = await pieces.read()) {
          controller.write(read.value);
        }
        controller.end();
      },
      cancel: () => void pieces.cancel().catch(() => {}),
    };
    return new Response(directStream(source), {
      headers: { "content-type": answer.headers.get("content-type") ?? "application/json" },
    });
  },
});
console.log(`listens on http://127.0.0.1:${server.port}`);
