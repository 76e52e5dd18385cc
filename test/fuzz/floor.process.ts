// The least that a server can do, as a separate process: a busy machine affects it as much as the gateway.
const floor = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("ok") });
console.log(`listens on http://127.0.0.1:${floor.port}`);
