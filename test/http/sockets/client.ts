// A client of the Responses API's WebSockets that shows what comes, frame by frame.
import { asObject, asString, type JsonObject } from "../../../src/core/json/json.ts";
import { until } from "../../whole/world/until.ts";

export class SocketClient {
  readonly frames: JsonObject[] = [];
  closed: { readonly code: number; readonly reason: string } | null = null;
  readonly #socket: WebSocket;

  constructor(url: string, secret: string, headers: Record<string, string> = {}) {
    const sent = { authorization: `Bearer ${secret}`, ...headers };
    this.#socket = connect(`${url.replace("http", "ws")}/v1/responses`, sent);
    this.#socket.onmessage = ({ data }) => void this.frames.push(asObject(JSON.parse(String(data))));
    this.#socket.onclose = ({ code, reason }) => {
      this.closed = { code, reason };
    };
  }

  async open(): Promise<this> {
    await until("the connection is open", () => this.#socket.readyState === WebSocket.OPEN);
    return this;
  }

  send(frame: object | string): void {
    this.#socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  /** Sends a request, and returns its frames once the last one is here. */
  async create(fields: object): Promise<readonly JsonObject[]> {
    const from = this.frames.length;
    this.send({ type: "response.create", ...fields });
    return this.ended(from);
  }

  /** Returns the frames from a number on, once one of them ends a turn. */
  async ended(from: number): Promise<readonly JsonObject[]> {
    const end = /^(error|response\.(completed|incomplete|failed))$/;
    await until("the turn has ended", () =>
      this.frames.slice(from).some(({ type }) => end.test(asString(type) ?? "")),
    );
    return this.frames.slice(from);
  }

  async gone() {
    await until("the connection is closed", () => this.closed !== null);
    return this.closed;
  }

  close(): void {
    this.#socket.close();
  }
}

/** Bun's own client sends headers. */
function connect(url: string, headers: Record<string, string>): WebSocket {
  return Reflect.construct(WebSocket, [url, { headers }]);
}
