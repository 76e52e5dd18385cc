// A client of WebSockets that writes its own frames, so that they can be wrong.
import { connect, type Socket } from "node:net";
import { until } from "../../whole/world/until.ts";

export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

interface FrameShape {
  readonly opcode: number;
  readonly isLast?: boolean;
  /** The reserved bits, which mean nothing here. */
  readonly reserved?: number;
  readonly isMasked?: boolean;
  /** The length that the header claims. */
  readonly length?: number;
}

/** Returns a client's frame. Its mask is zeros, which leaves the payload as it is. */
export function frame(payload: Uint8Array | string, shape: FrameShape): Buffer {
  const { opcode, isLast = true, reserved = 0, isMasked = true } = shape;
  const body = Buffer.from(payload);
  const length = shape.length ?? body.length;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = (isLast ? 0x80 : 0) | (reserved << 4) | opcode;
  const mask = isMasked ? 0x80 : 0;
  if (length < 126) head[1] = mask | length;
  else if (length < 65_536) {
    head[1] = mask | 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = mask | 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, isMasked ? Buffer.alloc(4) : Buffer.alloc(0), body]);
}

export class RawClient {
  /** All that came, as text. */
  received = "";
  isOver = false;
  readonly #socket: Socket;

  constructor(url: string, secret: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect(Number(port), hostname);
    this.#socket.on("data", (bytes) => {
      this.received += bytes.toString("latin1");
    });
    this.#socket.on("close", () => {
      this.isOver = true;
    });
    this.#socket.on("error", () => {});
    this.#socket.write(
      [
        "GET /v1/responses HTTP/1.1",
        `host: ${hostname}:${port}`,
        `authorization: Bearer ${secret}`,
        "upgrade: websocket",
        "connection: Upgrade",
        "sec-websocket-version: 13",
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
        "\r\n",
      ].join("\r\n"),
    );
  }

  async open(): Promise<this> {
    await until("the handshake is answered", () => this.received.includes("\r\n\r\n") || this.isOver);
    return this;
  }

  write(bytes: Uint8Array): void {
    if (!this.isOver) this.#socket.write(bytes);
  }

  /** Says that nothing more comes, and reads to the end. */
  async leave(): Promise<void> {
    this.write(frame(Buffer.from([0x03, 0xe8]), { opcode: OPCODES.close }));
    this.#socket.end();
    await until("the connection is over", () => this.isOver);
  }

  /** Vanishes without a close frame. */
  destroy(): void {
    this.#socket.destroy();
  }
}
