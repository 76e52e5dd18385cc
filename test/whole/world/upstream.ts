// An upstream controlled by the test: streams that wait until released, and endless streams.
import type { IncomingMessage, ServerResponse } from "node:http";
import { asArray, asObject, asString, parseJson } from "../../../src/core/json/json.ts";
import { readText, serveHttp } from "./serve.ts";

const FLOOD_PIECE = "x".repeat(16 * 1024);

export interface OwnUpstream {
  /** The base URL of a server that speaks the OpenAI dialect. */
  readonly url: string;
  /** The number of streams of the model `held` that wait after their first piece. */
  readonly held: number;
  /** The number of pieces that streams of the model `flood` could write. */
  readonly flooded: number;
  /** The number of running calls. */
  readonly open: number;
  /** Lets the waiting streams finish. */
  release(): void;
  stop(): Promise<void>;
}

/** Each stream of `flood` has `floodPieces` pieces. `held` repeats the user's words, one per piece. */
export async function startOwnUpstream(floodPieces: number): Promise<OwnUpstream> {
  const waiting = new Map<ServerResponse, () => void>();
  const state = { flooded: 0, open: 0 };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    state.open++;
    response.once("close", () => {
      state.open--;
      waiting.delete(response);
    });
    const body = asObject(parseJson(await readText(request)));
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (body.model === "pings") return ping(response);
    if (body.model === "flood") return flood(response, floodPieces, () => state.flooded++);
    const [first = "", ...rest] = wordsOf(body);
    response.write(piece(first));
    waiting.set(response, () => response.end(rest.map(piece).join("") + END));
  };
  const { url, stop } = await serveHttp(serve);
  return {
    url,
    stop,
    get held() {
      return waiting.size;
    },
    get flooded() {
      return state.flooded;
    },
    get open() {
      return state.open;
    },
    release() {
      for (const go of waiting.values()) go();
      waiting.clear();
    },
  };
}

function wordsOf(body: unknown): readonly string[] {
  const message = asObject(asArray(asObject(body).messages).at(-1));
  return (asString(message.content) ?? "").match(/\S+\s*/g) ?? [];
}

function event(choice: object): string {
  const chunk = { id: "x", object: "chat.completion.chunk", created: 1, model: "x", choices: [choice] };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function piece(content: string): string {
  return event({ index: 0, delta: { content }, finish_reason: null });
}

const END = `${event({ index: 0, delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`;

const PING_EVERY_MS = 100;

/** Sends keep-alives and no content. */
function ping(response: ServerResponse): void {
  const timer = setInterval(() => response.write(": ping\n\n"), PING_EVERY_MS);
  response.once("close", () => clearInterval(timer));
}

/** Writes as fast as the reader reads, and no faster. */
async function flood(response: ServerResponse, pieces: number, onWritten: () => void): Promise<void> {
  const text = piece(FLOOD_PIECE);
  let goOn = () => {};
  let open = true;
  response.on("drain", () => goOn());
  response.once("close", () => {
    open = false;
    goOn();
  });
  for (let at = 0; at < pieces && open; at++) {
    const room = Promise.withResolvers<void>();
    goOn = room.resolve;
    if (!response.write(text)) await room.promise;
    onWritten();
  }
  response.end(END);
}
