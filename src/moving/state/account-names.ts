// The accounts that a state file's keys and tokens may name: those of the file, and those that are here.
import { suggest } from "../../core/text/nearest.ts";
import type { KnownState } from "./known.ts";

type AccountMatch =
  | { readonly kind: "account"; readonly id: string; readonly isClosed: boolean }
  /** The account's own entry is refused. */
  | { readonly kind: "skipped" }
  | { readonly kind: "wrong"; readonly message: string };

export class StateAccountNames {
  readonly #closed = new Map<string, boolean>();
  readonly #names = new Map<string, string>();
  /** By the names that the file gives. */
  readonly #given = new Map<string, string[]>();
  readonly #here = new Map<string, string[]>();
  readonly #skipped = new Set<string>();

  constructor(accounts: KnownState["accounts"]) {
    for (const { id, place, state } of accounts) {
      this.#closed.set(id, state === "ended");
      this.#names.set(id, place);
      if (state !== "ended") this.#here.getOrInsertComputed(place, () => []).push(id);
    }
  }

  has(id: string): boolean {
    return this.#closed.has(id);
  }

  add(id: string, name: string, isClosed: boolean): void {
    this.#closed.set(id, isClosed);
    this.#names.set(id, name);
    this.#given.getOrInsertComputed(name, () => []).push(id);
  }

  skip(name: string): void {
    this.#skipped.add(name);
  }

  /** Returns the name that an account has once the file is applied. */
  nameOf(id: string): string {
    return this.#names.get(id) ?? id;
  }

  /** Finds an account by its id or name. Names in the file count before those that are here. */
  find(text: string): AccountMatch {
    if (this.#skipped.has(text)) return { kind: "skipped" };
    const ids = this.#closed.has(text) ? [text] : (this.#given.get(text) ?? this.#here.get(text) ?? []);
    const [id, another] = ids;
    if (id !== undefined && another === undefined)
      return { kind: "account", id, isClosed: this.#closed.get(id) ?? false };
    if (another !== undefined)
      return { kind: "wrong", message: `${ids.length} accounts have this name; give the id of one` };
    const hint = suggest(text, [...this.#given.keys(), ...this.#here.keys()]);
    return { kind: "wrong", message: `there is no account with this name or id${hint}` };
  }
}
