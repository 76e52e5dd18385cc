// An upstream in the test's own hand: streams that wait until they are let go, and streams without an end.
import type { IncomingMessage, ServerResponse } from "node:http";
import { asArray, asObject, asString, parseJson } from "../../src/core/json.ts";
import { readText, serveHttp } from "./serve.ts";

const FLOOD_PIECE = "x".repeat(16 * 1024);

export interface OwnUpstream {
  /** Of a server that speaks the OpenAI dialect. */
  readonly url: string;
  /** Streams of the model `held` that wait behind their first piece. */
  readonly held: number;
  /** Pieces that streams of the model `flood` could hand over. */
  readonly flooded: number;
  /** Calls under way. */
  readonly open: number;
  /** Lets the streams that wait go on to their end. */
  release(): void;
  stop(): Promise<void>;
}

/** `pieces`: how many each stream has. `held` repeats the user's words in them, one to each. */
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

/** Shows that it lives, and never says anything. */
function ping(response: ServerResponse): void {
  const timer = setInterval(() => response.write(": ping\n\n"), PING_EVERY_MS);
  response.once("close", () => clearInterval(timer));
}

/** Writes as fast as the reader takes it, and no faster. */
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
