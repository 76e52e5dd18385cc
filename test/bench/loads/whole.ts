// Whole answers over bare sockets, for requests that the load generator's own reader of answers doesn't know.
import type { Socket } from "bun";

/** A request as its bytes. */
export function writePost(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Buffer {
  const all = { host: `127.0.0.1:${port}`, "content-type": "application/json", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = `content-length: ${Buffer.byteLength(body)}`;
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join("")}${length}\r\n\r\n${body}`);
}

/** One connection with one open request at a time. */
export class WholeConnection {
  #socket: Socket<undefined> | null = null;
  #text = "";
  #answer: PromiseWithResolvers<string> | null = null;

  static async open(port: number): Promise<WholeConnection> {
    const connection = new WholeConnection();
    connection.#socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data: (_socket, bytes) => connection.#take(bytes.toString("latin1")),
        close: () => connection.#answer?.reject(new Error("The connection was closed.")),
      },
    });
    return connection;
  }

  /** Returns the answer, head and body. Rejects for any other status than 200. */
  async ask(bytes: Buffer): Promise<string> {
    this.#answer = Promise.withResolvers();
    this.#socket?.write(bytes);
    const answer = await this.#answer.promise;
    if (!answer.startsWith("HTTP/1.1 200")) throw new Error(answer.slice(0, 600));
    return answer;
  }

  close(): void {
    this.#answer = null;
    this.#socket?.end();
  }

  #take(text: string): void {
    this.#text += text;
    if (!isWhole(this.#text)) return;
    const answer = this.#answer;
    this.#answer = null;
    answer?.resolve(this.#text);
    this.#text = "";
  }
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return false;
  const length = /\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1];
  return length === undefined ? text.endsWith("\r\n0\r\n\r\n") : text.length >= end + 4 + Number(length);
}
