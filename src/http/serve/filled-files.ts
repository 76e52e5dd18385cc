// Files with the gateway's own address in their examples, made when they are asked for and kept for a few addresses.
import type { PageFile } from "./files.ts";

/** One gateway has few, but anybody on its machine can ask by many: the rest are made again at each request. */
const ADDRESSES_MAX = 4;
const FILLED = /\.(html|md|txt)$/;

/** Puts an address in the place of the examples'. */
export type FillAddress = (text: string, address: string) => string;

export class FilledFiles<File extends PageFile> {
  readonly #fill: FillAddress;
  readonly #describe: (file: PageFile) => File;
  readonly #kept = new Map<string, Map<string, File>>();

  constructor(fill: FillAddress, describe: (file: PageFile) => File) {
    this.#fill = fill;
    this.#describe = describe;
  }

  get(file: File, address: string): File {
    if (!FILLED.test(file.name)) return file;
    const own = this.#kept.get(address) ?? this.#add(address);
    return own.getOrInsertComputed(file.name, () => this.#make(file, address));
  }

  #add(address: string): Map<string, File> {
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= ADDRESSES_MAX) this.#kept.delete(oldest);
    const own = new Map<string, File>();
    this.#kept.set(address, own);
    return own;
  }

  #make(file: File, address: string): File {
    const text = new TextDecoder().decode(Bun.gunzipSync(file.gzip));
    const filled = this.#fill(text, address);
    // Quickly, rather than small: anybody can ask by many addresses.
    return filled === text
      ? file
      : this.#describe({ name: file.name, gzip: Bun.gzipSync(filled, { level: 1 }) });
  }
}
