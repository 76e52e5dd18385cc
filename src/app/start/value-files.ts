// The files that the configuration names by `${file:…}`, while they are rotated: one that is missing or empty for a moment
// must not take the credential in use away, nor keep other changes from being applied.
import { describeUnread, type Environment, VALUE_BYTES_MAX } from "../../config/interpolate.ts";
import type { Log } from "../../core/world/world.ts";

export class ValueFiles {
  readonly #environment: Environment;
  readonly #log: Log;
  /** The last good text of each file. */
  readonly #texts = new Map<string, string>();

  constructor(environment: Environment, log: Log) {
    this.#environment = environment;
    this.#log = log;
  }

  /** Takes the files of the settings in use. */
  keep(files: readonly string[] = []): void {
    for (const path of files) {
      try {
        this.#take(path, this.#environment.readFile(path, VALUE_BYTES_MAX));
      } catch {
        // It has gone since it was read. The last good text stays, if there is one.
      }
    }
    for (const path of this.#texts.keys()) if (!files.includes(path)) this.#texts.delete(path);
  }

  /** Reads a file like the environment, but a value's file that can't be read now has its last good text. */
  readonly readFile: Environment["readFile"] = (path, bytesMax) => {
    const before = this.#texts.get(path);
    if (before === undefined) return this.#environment.readFile(path, bytesMax);
    try {
      const text = this.#environment.readFile(path, bytesMax);
      if (text.trim() !== "") return text;
      this.#warn(path, "is empty");
    } catch (thrown) {
      this.#warn(path, describeUnread(thrown));
    }
    return before;
  };

  #take(path: string, text: string): void {
    if (text.trim() !== "") this.#texts.set(path, text);
  }

  #warn(file: string, cause: string): void {
    this.#log({ event: "value_file_kept", level: "warn", file, cause });
  }
}
