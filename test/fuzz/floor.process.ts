// The least that a server can do, as a separate process: what a busy machine does to it, it does to the gateway.
const floor = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("ok") });
console.log(`listens on http://127.0.0.1:${floor.port}`);
