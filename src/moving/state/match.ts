// Finds the row that an entry of a state file stands for: by its id, its name, or what the file stood for last time.
import type { Entry } from "./file.ts";
import type { Row } from "./known.ts";
import type { Memory, MemoryEntry } from "./memory.ts";

type Match<Of> =
  | { readonly kind: "new" }
  | { readonly kind: "row"; readonly row: Row<Of> }
  /** It has ended, and isn't made again. */
  | { readonly kind: "stays"; readonly row: Row<Of> }
  | { readonly kind: "wrong"; readonly field: "id" | "name"; readonly message: string };

/** An entry with its place, as rows have one. */
type PlacedEntry = Pick<Entry, "id"> & { readonly place: string };

export class Matcher<Of> {
  readonly #noun: string;
  readonly #byId: ReadonlyMap<string, Row<Of>>;
  readonly #byPlace = new Map<string, Row<Of>[]>();
  readonly #remembered: ReadonlyMap<string, MemoryEntry>;
  readonly #pruned: ReadonlySet<string>;
  /** The ids that entries give: no other entry stands for those rows. */
  readonly #given: ReadonlySet<string | null>;
  readonly #taken = new Set<string>();
  readonly #places = new Map<string, boolean>();

  constructor(
    noun: MemoryEntry["kind"],
    rows: readonly Row<Of>[],
    given: readonly Pick<Entry, "id">[],
    { entries, pruned }: Memory,
  ) {
    this.#noun = noun;
    this.#given = new Set(given.map(({ id }) => id));
    this.#byId = new Map(rows.map((row) => [row.id, row]));
    for (const row of rows) this.#byPlace.getOrInsertComputed(row.place, () => []).push(row);
    const own = entries.filter(({ kind }) => kind === noun);
    this.#remembered = new Map(own.map((one) => [one.place, one]));
    this.#pruned = pruned;
  }

  /** Each entry is matched once. */
  match(entry: PlacedEntry): Match<Of> {
    const twice = this.#refuseTwice(entry);
    if (twice !== null) return { kind: "wrong", field: "name", message: twice };
    const found = entry.id === null ? this.#findByPlace(entry.place) : this.#findById(entry.id, entry.place);
    const id = found.kind === "row" || found.kind === "stays" ? found.row.id : entry.id;
    if (id === null) return found;
    if (this.#taken.has(id))
      return { kind: "wrong", field: "id", message: `another entry stands for the same ${this.#noun}` };
    this.#taken.add(id);
    return found;
  }

  /** Two of one name are told apart only by their ids. */
  #refuseTwice({ id, place }: PlacedEntry): string | null {
    const hasId = this.#places.get(place);
    this.#places.set(place, id !== null && hasId !== false);
    if (hasId === undefined || (hasId && id !== null)) return null;
    return `another ${this.#noun} of the file has this name; choose another, or give the ids of both`;
  }

  #findById(id: string, place: string): Match<Of> {
    const row = this.#byId.get(id);
    if (row !== undefined)
      return { kind: row.state === "live" || row.state === "old" ? "row" : "stays", row };
    if (this.#list(place, "live").length === 0) return { kind: "new" };
    const message = `there is no ${this.#noun} with this id, but another one has its name; leave out the id, or rename it`;
    return { kind: "wrong", field: "id", message };
  }

  #findByPlace(place: string): Match<Of> {
    const list = (state: Row<Of>["state"]) =>
      this.#list(place, state).filter(({ id }) => !this.#given.has(id));
    const live = list("live");
    const rows = live.length > 0 ? live : list("old");
    const [row, another] = rows;
    if (another !== undefined) {
      const message = `${rows.length} ${this.#noun}s here have this name; give the id of the one that is meant`;
      return { kind: "wrong", field: "name", message };
    }
    if (row !== undefined) return { kind: "row", row };
    const before = this.#byId.get(this.#remembered.get(place)?.id ?? "");
    const isOther = before === undefined || this.#given.has(before.id) || this.#pruned.has(before.id);
    if (!isOther && before.state !== "passed")
      return { kind: before.state === "ended" ? "stays" : "row", row: before };
    const ended = list("ended").findLast(({ id }) => !this.#pruned.has(id));
    return ended === undefined ? { kind: "new" } : { kind: "stays", row: ended };
  }

  #list(place: string, state: Row<Of>["state"]): readonly Row<Of>[] {
    return (this.#byPlace.get(place) ?? []).filter((row) => row.state === state);
  }
}
