// An answer of server-sent events that is written from outside: messages as they come, comments in silences.
import type { Deadline, Deadlines, Latecomer } from "../../core/world/world.ts";
import { dataLine, KEEP_ALIVE_LINE } from "../../surfaces/event-stream.ts";
import { STREAM_HEADERS } from "../serve/answers.ts";
import { type DirectSource, directStream } from "../serve/direct.ts";

/** A reader with more unread is left. */
const UNREAD_BYTES_MAX = 65_536;

interface EventParts {
  readonly deadlines: Deadlines;
  /** The longest silence. */
  readonly keepAliveMs: number;
  /** Called once if the client leaves, or reads too slowly. */
  readonly onLeft: () => void;
}

export class EventChannel implements DirectSource, Latecomer {
  readonly #parts: EventParts;
  readonly #over = Promise.withResolvers<void>();
  #controller: ReadableStreamDirectController | null = null;
  /** The texts that were written before the client began to read. */
  #waiting: string[] = [];
  #unreadBytes = 0;
  #silence: Deadline | null = null;
  #isOver = false;

  constructor(parts: EventParts) {
    this.#parts = parts;
  }

  /** `headers` are those beside a stream's own. */
  respond(headers: Readonly<Record<string, string>>): Response {
    return new Response(directStream(this), { headers: { ...headers, ...STREAM_HEADERS } });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async pull(controller: ReadableStreamDirectController): Promise<void> {
    if (this.#isOver && this.#waiting.length === 0) {
      controller.end();
      return;
    }
    this.#controller = controller;
    const first = this.#waiting.join("");
    this.#waiting = [];
    this.#unreadBytes = 0;
    this.#write(controller, first === "" ? KEEP_ALIVE_LINE : first);
    controller.flush();
    if (this.#isOver) controller.end();
    else {
      this.#watch();
      await this.#over.promise;
    }
  }

  /** Sends a message's JSON. Does nothing once the stream is over. */
  send(json: string): void {
    if (this.#isOver) return;
    const text = dataLine(json);
    if (this.#controller === null) {
      this.#waiting.push(text);
      this.#count(text.length);
    } else this.#write(this.#controller, text);
    if (this.#silence) this.#silence.atMs = this.#quietAtMs();
  }

  /** Ends the stream, after a last message if there is one. */
  end(json?: string): void {
    if (this.#isOver) return;
    this.#finish();
    if (json !== undefined) {
      if (this.#controller) this.#controller.write(dataLine(json));
      else this.#waiting.push(dataLine(json));
    }
    this.#controller?.end();
  }

  /** The client has left. */
  cancel(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#parts.onLeft();
  }

  late(): void {
    if (this.#isOver || this.#controller === null) return;
    this.#write(this.#controller, KEEP_ALIVE_LINE);
    this.#watch();
  }

  #finish(): void {
    this.#isOver = true;
    this.#silence?.clear();
    this.#over.resolve();
  }

  #write(controller: ReadableStreamDirectController, text: string): void {
    const written = controller.write(text);
    if (typeof written === "number") return;
    const read = () => {
      this.#unreadBytes = 0;
    };
    written.then(read, () => this.cancel());
    this.#count(text.length);
  }

  #count(bytes: number): void {
    this.#unreadBytes += bytes;
    if (this.#unreadBytes <= UNREAD_BYTES_MAX) return;
    const controller = this.#controller;
    this.#waiting = [];
    this.cancel();
    controller?.close(new Error("The client reads too slowly."));
  }

  #watch(): void {
    this.#silence = this.#parts.deadlines.watch(this.#quietAtMs(), this);
  }

  #quietAtMs(): number {
    return this.#parts.deadlines.nowMs() + this.#parts.keepAliveMs;
  }
}
