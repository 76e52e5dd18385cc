// Keys pressed on a terminal, one each, or the characters of piped input.

/** Ctrl-C, which a terminal passes on as a character while keys are read one by one. */
const INTERRUPT = "\u0003";

export class Keys {
  readonly #input = process.stdin;
  #typed = "";
  #isEnded = false;
  #isOpen = false;
  #wake: (() => void) | null = null;

  /** Returns the next of these keys, ignoring others. Null at the input's end and at Ctrl-C. */
  async next(allowed: string): Promise<string | null> {
    this.#open();
    for (;;) {
      const key = this.#typed[0];
      if (key === INTERRUPT) return null;
      if (key === undefined && this.#isEnded) return null;
      this.#typed = this.#typed.slice(1);
      if (key !== undefined && allowed.includes(key.toLowerCase())) return key.toLowerCase();
      if (key === undefined) await this.#wait();
    }
  }

  close(): void {
    if (!this.#isOpen) return;
    if (this.#input.isTTY) this.#input.setRawMode(false);
    this.#input.pause();
  }

  /** Input is only read once a key is needed: a judge needs none. */
  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    if (this.#input.isTTY) this.#input.setRawMode(true);
    this.#input.setEncoding("utf8");
    this.#input.on("data", (text: string) => {
      this.#typed += text;
      this.#wake?.();
    });
    this.#input.on("end", () => {
      this.#isEnded = true;
      this.#wake?.();
    });
  }

  #wait(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }
}
