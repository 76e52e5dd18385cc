// Sessions over WebSockets whose connections may end at any moment: each opens another, and sends its conversation once.
import { asArray, asObject, asString, type JsonObject, parseJson } from "../../src/core/json/json.ts";

const AGAIN_MS = 20;

export interface EndedTurn {
  readonly id: string;
  /** The answer, and the words that it should have. */
  readonly said: string;
  readonly wanted: string;
}

/** Sessions that are busy until `end` is called. */
export class Sessions {
  readonly turns: EndedTurn[] = [];
  /** The codes of refused turns. */
  readonly refused: string[] = [];
  /** Turns before which a conversation was sent as a whole. */
  healed = 0;
  readonly #url: string;
  readonly #secret: string;
  readonly #running: Promise<void>[];
  #isOver = false;

  constructor(url: string, secret: string, count: number, model: string) {
    this.#url = url;
    this.#secret = secret;
    this.#running = Array.from({ length: count }, (_, at) => this.#run(at, model));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  async #run(number: number, model: string): Promise<void> {
    const items: unknown[] = [{ role: "user", content: `codeword-${number} is to be kept` }];
    let previous: string | null = null;
    for (let turn = 0; !this.#isOver; ) {
      const socket = await this.#open();
      while (socket !== null && !this.#isOver) {
        const wanted = `session ${number} turn ${turn}`;
        const added = { role: "user", content: `say: ${wanted}` };
        const going: object =
          previous === null
            ? { input: [...items, added] }
            : { input: [added], previous_response_id: previous };
        if (previous === null && turn > 0) this.healed++;
        const last = await ask(socket, { model, store: false, ...going });
        if (last === null) break;
        if (last.type !== "response.completed") {
          this.refused.push(String(asObject(last.error).code));
          previous = null;
          await Bun.sleep(AGAIN_MS);
          continue;
        }
        const { id, output } = asObject(last.response);
        items.push(added, ...asArray(output));
        this.turns.push({ id: String(id), said: readText(output), wanted });
        previous = String(id);
        turn++;
      }
      socket?.close();
    }
  }

  /** Null if nobody takes the connection now. */
  async #open(): Promise<WebSocket | null> {
    const { promise, resolve } = Promise.withResolvers<WebSocket | null>();
    const headers = { authorization: `Bearer ${this.#secret}` };
    const url = `${this.#url.replace("http", "ws")}/v1/responses`;
    const socket: WebSocket = Reflect.construct(WebSocket, [url, { headers }]);
    socket.onopen = () => resolve(socket);
    socket.onclose = () => resolve(null);
    const open = await promise;
    if (open === null) await Bun.sleep(AGAIN_MS);
    return open;
  }
}

/** Returns the turn's last frame, or null if the connection ends first. */
function ask(socket: WebSocket, body: object): Promise<JsonObject | null> {
  const { promise, resolve } = Promise.withResolvers<JsonObject | null>();
  socket.onclose = () => resolve(null);
  socket.onmessage = ({ data }) => {
    const frame = asObject(parseJson(String(data)));
    if (/^(error|response\.(completed|failed|incomplete))$/.test(String(frame.type))) resolve(frame);
  };
  if (socket.readyState !== WebSocket.OPEN) return Promise.resolve(null);
  socket.send(JSON.stringify({ type: "response.create", ...body }));
  return promise;
}

function readText(output: unknown): string {
  const parts = asArray(output).flatMap((item) => asArray(asObject(item).content));
  return parts.map((part) => asString(asObject(part).text) ?? "").join("");
}
