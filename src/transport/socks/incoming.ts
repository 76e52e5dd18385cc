// Reads a socket in the pieces that are asked for.
import type { Socket } from "node:net";

export class Incoming {
  readonly #socket: Socket;
  #held: Buffer = Buffer.alloc(0);
  #hasEnded = false;
  #wake = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", this.#take).on("end", this.#end).on("close", this.#end).on("error", this.#end);
  }

  readonly #take = (bytes: Buffer) => {
    this.#held = Buffer.concat([this.#held, bytes]);
    this.#wake();
  };

  readonly #end = () => {
    this.#hasEnded = true;
    this.#wake();
  };

  /** Returns so many bytes. Throws an Error if the connection ends before. */
  async read(count: number): Promise<Buffer> {
    while (this.#held.length < count) await this.#more();
    return this.#cut(count);
  }

  /** Returns all up to the mark, and takes the mark off. Throws an Error if it isn't among so many bytes. */
  async readTo(mark: string, bytesMax: number): Promise<Buffer> {
    for (let at = -1; ; ) {
      at = this.#held.indexOf(mark);
      if (at !== -1) return this.#cut(at + mark.length).subarray(0, at);
      if (this.#held.length > bytesMax) throw new Error(`It sent more than ${bytesMax} bytes at once.`);
      await this.#more();
    }
  }

  /** Stops reading, and returns what nobody has asked for. */
  release(): Buffer {
    const socket = this.#socket.pause().off("data", this.#take);
    for (const event of ["end", "close", "error"]) socket.off(event, this.#end);
    return this.#held;
  }

  async #more(): Promise<void> {
    if (this.#hasEnded) throw new Error("It closed the connection.");
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  #cut(count: number): Buffer {
    const read = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return read;
  }
}
