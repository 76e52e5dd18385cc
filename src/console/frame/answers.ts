// The gateway's answers by path. All that a page shows of one path shares one answer and one request on its way.

import { monotonicMs, runAfter } from "../browser.ts";
import { ApiError, countChanges, describeError, getText } from "./api.ts";
import { countVisits } from "./route.ts";

/** A part that opens later on the same page, such as a dialog, asks again for an answer that is older. */
const FRESH_MS = 30_000;
/** A page that couldn't be loaded asks again this often, until the gateway is back. */
const RETRY_MS = 2500;

interface Request {
  /** The number of changes that the gateway had answered. The answer may lack those that came later. */
  readonly changes: number;
  readonly visit: number;
  readonly atMs: number;
  readonly ended: Promise<void>;
}

/** One path's latest answer, and those who show it. */
class AnswerSource {
  readonly #path: string;
  readonly #readers = new Set<() => void>();
  #text: string | undefined;
  #error: string | null = null;
  #version = 0;
  #latest: Request | null = null;
  #isPending = false;
  #stopRetry = () => {};

  constructor(path: string) {
    this.#path = path;
  }

  /** The answer, parsed by each reader into a value of its own. Undefined until known. */
  get text(): string | undefined {
    return this.#text;
  }

  /** Null unless the latest request failed. */
  get error(): string | null {
    return this.#error;
  }

  /** Changes with each answer and error. */
  get version(): number {
    return this.#version;
  }

  get isRead(): boolean {
    return this.#readers.size > 0;
  }

  /** Calls `draw` at each answer and error, and asks unless this page has a fresh answer. Returns a function that ends it. */
  join(draw: () => void): () => void {
    this.#readers.add(draw);
    if (!this.#isFresh()) void this.#request();
    return () => {
      this.#readers.delete(draw);
      if (this.isRead) return;
      this.#stopRetry();
      this.#error = null;
    };
  }

  /** Asks unless that was done within the last `ageMs`. */
  async refresh(ageMs: number): Promise<void> {
    const isYoung = this.#latest !== null && monotonicMs() - this.#latest.atMs < ageMs;
    if (!isYoung) await this.#request();
  }

  /** Resolves after an answer to a request that began after this call. */
  async reload(): Promise<void> {
    if (this.#isPending && !this.#isOutdated()) await this.#latest?.ended;
    await this.#request();
  }

  #isOutdated(): boolean {
    return this.#latest?.changes !== countChanges();
  }

  #isFresh(): boolean {
    if (this.#latest === null || this.#text === undefined || this.#error !== null) return false;
    if (this.#isOutdated()) return false;
    return this.#latest.visit === countVisits() && monotonicMs() - this.#latest.atMs < FRESH_MS;
  }

  /** Joins the request on its way, unless something has been changed since it began. */
  #request(): Promise<void> {
    if (this.#isPending && this.#latest !== null && !this.#isOutdated()) return this.#latest.ended;
    this.#stopRetry();
    const ended = this.#ask(() => this.#latest === request);
    const request = { changes: countChanges(), visit: countVisits(), atMs: monotonicMs(), ended };
    this.#latest = request;
    this.#isPending = true;
    return ended;
  }

  /** The answer to a request that another one has replaced is dropped, so that it can't hide a change. */
  async #ask(isLatest: () => boolean): Promise<void> {
    const [text, error] = await getText(this.#path).then(
      (answer) => [answer, null] as const,
      (thrown: unknown) => [undefined, thrown] as const,
    );
    if (!isLatest()) return;
    this.#isPending = false;
    this.#text = text ?? this.#text;
    this.#error = text === undefined ? describeError(error) : null;
    if (isOutage(error) && this.isRead) this.#stopRetry = runAfter(RETRY_MS, () => void this.#request());
    this.#version++;
    for (const draw of [...this.#readers]) draw();
  }
}

function isOutage(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500);
}

/** The paths in the order of their last use. */
const sources = new Map<string, AnswerSource>();
const SOURCES_MAX = 200;

/** Returns the path's answers. Those that nobody shows are kept too, so that a page seen before appears at once. */
export function findSource(path: string): AnswerSource {
  const source = sources.get(path) ?? new AnswerSource(path);
  sources.delete(path);
  sources.set(path, source);
  for (const [oldest, { isRead }] of sources) {
    if (sources.size <= SOURCES_MAX) break;
    if (!isRead && oldest !== path) sources.delete(oldest);
  }
  return source;
}

export function clearSources(): void {
  sources.clear();
}
