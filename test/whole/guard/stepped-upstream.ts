// A provider that sends a text per event, each when a test asks for it.
import { asString } from "../../../src/core/json/json.ts";

export interface SteppedUpstream {
  /** A row of the configuration's providers, whose models are `Stepped#any`. */
  readonly row: string;
  /** Returns the body of the next call. */
  next(): Promise<string>;
  /** Sends the next text of the running answer. */
  send(text: string): void;
  /** Ends the running answer. */
  end(): void;
  stop(): Promise<void>;
}

export function startStepped(): SteppedUpstream {
  let asked = Promise.withResolvers<string>();
  let running: ReadableStreamDefaultController<string> | null = null;
  const write = (event: string) => running?.enqueue(`data: ${event}\n\n`);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text();
      const stream = new ReadableStream<string>({
        start(controller) {
          running = controller;
        },
      });
      asked.resolve(body);
      return new Response(stream.pipeThrough(new TextEncoderStream()), {
        headers: { "content-type": "text/event-stream" },
      });
    },
  });
  const writeChunk = (delta: object, finish: string | null) => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    write(
      JSON.stringify({
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        created: 1,
        model: "any",
        choices,
      }),
    );
  };
  return {
    row: `  Stepped: { dialect: openai, keys: ["sim-key"], base_url: "http://127.0.0.1:${server.port}/v1", unlisted_models: true }`,
    next() {
      asked = Promise.withResolvers();
      return asked.promise;
    },
    send: (text) => writeChunk({ content: text }, null),
    end() {
      writeChunk({}, "stop");
      write("[DONE]");
      running?.close();
      running = null;
    },
    stop: () => server.stop(true),
  };
}

/** The text of a streamed answer so far, on chat completions or Messages. */
export class ReadText {
  text = "";
  readonly over: Promise<void>;
  #wanted: { readonly characters: number; readonly reached: () => void } | null = null;

  constructor(response: Response) {
    this.over = this.#read(response);
  }

  /** Settles once there are so many characters. */
  reach(characters: number): Promise<void> | undefined {
    if (this.text.length >= characters) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wanted = { characters, reached: resolve };
    return promise;
  }

  async #read({ body }: Response): Promise<void> {
    const decoder = new TextDecoder();
    let left = "";
    for await (const bytes of body ?? []) {
      const lines = (left + decoder.decode(bytes, { stream: true })).split("\n");
      left = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("data: {")) this.#take(JSON.parse(line.slice(6)));
    }
  }

  #take({
    choices,
    delta,
  }: {
    choices?: { delta?: { content?: unknown } }[];
    delta?: { text?: unknown };
  }): void {
    this.text += asString(choices?.[0]?.delta?.content ?? delta?.text) ?? "";
    if (this.#wanted === null || this.text.length < this.#wanted.characters) return;
    this.#wanted.reached();
    this.#wanted = null;
  }
}
