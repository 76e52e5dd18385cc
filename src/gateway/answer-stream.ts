// A streamed request as its client draws it: let in with the first batch, settled before the last, left in any case.
import type { Usage } from "../operations/chat/form.ts";
import type { Part } from "../operations/chat/run.ts";
import type { Batches } from "./batches.ts";
import type { PartStream } from "./streamed.ts";

/** An answer that has begun. */
export interface Begun {
  readonly first: readonly Part[];
  /** null: that was all. */
  readonly rest: PartStream | null;
  /** Called with each batch that leaves after the first. */
  readonly took: (parts: readonly Part[]) => void;
  /** Settles the answer that is whole, and gives its last batch. */
  readonly last: (usage: Usage | null) => Promise<readonly Part[]>;
}

/** The steps of each request; `leave` follows every `enter`. */
export interface Course<Entered> {
  readonly enter: () => Entered;
  readonly begin: (entered: Entered) => Promise<Begun>;
  readonly failed: (entered: Entered, thrown: unknown) => void;
  readonly leave: (entered: Entered) => Promise<void>;
}

/** An object and not a generator around another: for each batch they made four promises more. */
export class AnswerStream<Entered> implements Batches<readonly Part[]> {
  readonly #course: Course<Entered>;
  #entered: Entered | null = null;
  #begun: Begun | null = null;
  #rest: PartStream | null = null;
  #isDrawn = false;
  #isLeft = false;
  #isOver = false;

  constructor(course: Course<Entered>) {
    this.#course = course;
  }

  async next(): Promise<readonly Part[] | null> {
    if (this.#isOver || this.#isLeft) return null;
    this.#isDrawn = true;
    try {
      let parts: readonly Part[] | null;
      if (this.#rest) {
        parts = await this.#rest.next();
        if (parts) this.#begun?.took(parts);
        else parts = await this.#last(this.#rest);
      } else parts = this.#begun ? null : await this.#first();
      if (parts === null || this.#isLeft) await this.#end();
      return parts;
    } catch (thrown) {
      if (this.#entered !== null) this.#course.failed(this.#entered, thrown);
      await this.#end();
      throw thrown;
    } finally {
      this.#isDrawn = false;
    }
  }

  /** A batch that is being drawn meanwhile ends by the call's signal, which fires on leaving too. */
  leave(): void {
    this.#isLeft = true;
    if (!this.#isDrawn) this.#end().catch(() => {});
  }

  async #first(): Promise<readonly Part[]> {
    this.#entered = this.#course.enter();
    this.#begun = await this.#course.begin(this.#entered);
    this.#rest = this.#begun.rest;
    return this.#begun.first;
  }

  async #last(rest: PartStream): Promise<readonly Part[] | null> {
    this.#rest = null;
    rest.leave();
    return this.#begun?.last(rest.usage) ?? null;
  }

  async #end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#rest?.leave();
    if (this.#entered !== null) await this.#course.leave(this.#entered);
  }
}
