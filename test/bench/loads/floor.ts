// The floor that the gateway is compared with: a pass-through of Bun.serve and fetch that does nothing else.
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
    return new Response(answer.body, {
      headers: { "content-type": answer.headers.get("content-type") ?? "application/json" },
    });
  },
});
console.log(`listens on http://127.0.0.1:${server.port}`);
