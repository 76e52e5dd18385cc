// Addresses on which nothing listens: ports that were free a moment ago.
import { createServer } from "node:net";

/** Returns URLs such as `http://127.0.0.1:PORT/v1` that refuse connections at once. */
export async function deadAddresses(count: number): Promise<readonly string[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      const { promise, resolve } = Promise.withResolvers<void>();
      server.listen(0, "127.0.0.1", resolve);
      await promise;
      return server;
    }),
  );
  const urls = servers.map((server) => {
    const address = server.address();
    return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 1}/v1`;
  });
  await Promise.all(
    servers.map((server) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      return promise;
    }),
  );
  return urls;
}
