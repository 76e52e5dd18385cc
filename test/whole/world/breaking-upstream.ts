// A TCP upstream that reads and counts whole requests, then breaks its connections as the test asks.
import { createServer, type Socket } from "node:net";

/** Closes (FIN) or resets (RST) the connection, "half" after the first bytes of the response's head. */
export type Break = "fin" | "rst" | "half-fin" | "half-rst";
export type Act =
  | { readonly do: "answer"; readonly thenClose?: boolean }
  /** Answered once `count` requests wait, so that each has its own connection. */
  | { readonly do: "gather"; readonly count: number }
  /** Reset unless it is the first on its connection. */
  | { readonly do: "reset-kept" }
  | { readonly do: Break; readonly afterMs: number };

export interface BreakingUpstream {
  /** The base URL of a server that speaks the OpenAI dialect. */
  readonly url: string;
  /** The requests read in full, each as the number of its connection. */
  readonly calls: readonly number[];
  /** The number of open connections. */
  readonly open: number;
  /** Sets one act for each of the next requests. The last one applies to all that follow. */
  act(...acts: readonly Act[]): void;
  stop(): Promise<void>;
}

const REPLY = JSON.stringify({
  id: "x",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "good day" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
});
const ANSWER = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${REPLY.length}\r\n\r\n${REPLY}`;
const RESET = { do: "rst", afterMs: 0 } as const;
const HALF = "HTTP/1.1 200 OK\r\ncontent-ty";

export async function startBreakingUpstream(): Promise<BreakingUpstream> {
  const calls: number[] = [];
  const sockets = new Set<Socket>();
  let acts: Act[] = [{ do: "answer" }];
  let connections = 0;
  const waiting: Socket[] = [];
  const served = (socket: Socket, connection: number) => {
    const isKept = calls.includes(connection);
    calls.push(connection);
    const act = acts.length > 1 ? acts.shift() : acts[0];
    if (act?.do === "gather") {
      waiting.push(socket);
      if (waiting.length === act.count) for (const one of waiting.splice(0)) one.write(ANSWER);
    } else if (act?.do === "reset-kept") play(socket, isKept ? RESET : { do: "answer" });
    else if (act) play(socket, act);
  };
  const server = createServer((socket) => {
    const connection = ++connections;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    onEachRequest(socket, () => served(socket, connection));
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/v1`,
    calls,
    get open() {
      return sockets.size;
    },
    act(...next) {
      acts = [...next];
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      return closed.promise;
    },
  };
}

function onEachRequest(socket: Socket, served: () => void): void {
  let received = Buffer.alloc(0);
  socket.on("data", (part: Buffer) => {
    received = Buffer.concat([received, part]);
    for (;;) {
      const end = received.indexOf("\r\n\r\n");
      const head = received.subarray(0, end).toString("latin1");
      const length = end + 4 + Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      if (end === -1 || received.length < length) return;
      received = received.subarray(length);
      served();
    }
  });
}

function play(socket: Socket, act: Exclude<Act, { do: "gather" | "reset-kept" }>): void {
  if (act.do === "answer") {
    if (act.thenClose) socket.end(ANSWER);
    else socket.write(ANSWER);
    return;
  }
  if (act.do.startsWith("half")) socket.write(HALF);
  setTimeout(() => {
    if (act.do.endsWith("rst")) socket.resetAndDestroy();
    else socket.end();
  }, act.afterMs);
}
