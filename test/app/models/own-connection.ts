// A request on a connection of its own, however many there are at once: a process's own `fetch` makes 256 calls at once.
import { connect } from "node:net";

/** POSTs a body of ASCII to an address, and resolves with the status of the answer once that has arrived whole. */
export function postApart(
  address: string,
  secret: string,
  body: object,
  headers: readonly string[] = [],
): Promise<number> {
  const url = new URL(address);
  const text = JSON.stringify(body);
  const head = [
    `POST ${url.pathname} HTTP/1.1`,
    `Host: ${url.host}`,
    `Authorization: Bearer ${secret}`,
    "Content-Type: application/json",
    `Content-Length: ${text.length}`,
    "Connection: close",
    ...headers,
  ];
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(Number(url.port), url.hostname, () => {
      socket.write(`${head.join("\r\n")}\r\n\r\n${text}`);
    });
    socket.on("data", (bytes) => {
      answer += bytes;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])));
  });
}
