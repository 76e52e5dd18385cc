// Clients of WebSockets, of whose gateway the end may come at any moment, and the turns whose ends they saw.
import { asObject, asString, type JsonObject, parseJson } from "../../src/core/json/json.ts";

const LANES = ["a", "b"];

export interface SocketLoad {
  /** The ids of the responses that came whole. */
  readonly completed: string[];
  /** The texts of error frames' codes. */
  readonly refused: string[];
  /** The codes with which connections were closed. */
  readonly closes: number[];
}

/** Keeps both lanes of so many connections busy. Resolves once all of them are gone. */
export async function loadSockets(url: string, secret: string, sockets: number): Promise<SocketLoad> {
  const load: SocketLoad = { completed: [], refused: [], closes: [] };
  await Promise.all(Array.from({ length: sockets }, () => keepBusy(url, secret, load)));
  return load;
}

function keepBusy(url: string, secret: string, load: SocketLoad): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const headers = { authorization: `Bearer ${secret}` };
  const socket: WebSocket = Reflect.construct(WebSocket, [
    `${url.replace("http", "ws")}/v1/responses`,
    { headers },
  ]);
  const previous = new Map<string, string>();
  const ask = (lane: string) => {
    const id = previous.get(lane);
    const going = id === undefined ? {} : { previous_response_id: id };
    const body = {
      model: "Own#sim-mini~latency=15~pace=4",
      input: "say: a few words of an answer",
      store: false,
    };
    socket.send(JSON.stringify({ type: "response.create", stream_id: lane, ...body, ...going }));
  };
  socket.onopen = () => {
    for (const lane of LANES) ask(lane);
  };
  socket.onmessage = ({ data }) => {
    const frame: JsonObject = asObject(parseJson(String(data)));
    const lane = asString(frame.stream_id) ?? "";
    if (frame.type === "response.completed") {
      const id = String(asObject(frame.response).id);
      load.completed.push(id);
      previous.set(lane, id);
      ask(lane);
    } else if (frame.type === "error") load.refused.push(String(asObject(frame.error).code));
  };
  socket.onclose = ({ code }) => {
    load.closes.push(code);
    resolve();
  };
  return promise;
}
