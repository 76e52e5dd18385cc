// An HTTP server for a test on its own port. Closing it closes every open connection.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface TestServer {
  /** A provider's `base_url`, such as `http://127.0.0.1:40123/v1`. */
  readonly url: string;
  stop(): Promise<void>;
}

export async function serveHttp(
  answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<TestServer> {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}
