// Pages of all users by position. A page begins after a user whose position is known from an earlier one, since skipping
// rows takes the longer the more of them there are: a client that reads the whole list skips none.
import type { DirectoryPage } from "../../core/people/directory.ts";
import { type FoundRow, readInteger, readText } from "../columns/found.ts";
import { bind, type Engine } from "../engine/engine.ts";
import { joinNames } from "../engine/sql.ts";
import { USER } from "./directory-tables.ts";

/** A user's place in the order of the list. */
interface UserPosition {
  /** The number of users up to this one. */
  readonly position: number;
  readonly createdAtMs: number;
  readonly id: string;
  /** The directory's count of moves at which it was read. */
  readonly moves: number;
}

const START: UserPosition = { position: 0, createdAtMs: -1, id: "", moves: 0 };
/** One place is kept of so many, so that 100,000 users have at most 1,000. */
const BLOCK = 100;

/** Places that are known. They hold until a user goes, or comes between others. */
class KnownPositions {
  readonly #byBlock = new Map<number, UserPosition>();
  #moves = 0;

  /** Returns the nearest known place that isn't behind the position. */
  find(position: number): UserPosition {
    for (let block = Math.floor(position / BLOCK); block >= 0; block--) {
      const place = this.#byBlock.get(block);
      if (place !== undefined && place.position <= position) return place;
    }
    return START;
  }

  keep(place: UserPosition): void {
    this.forget(place.moves);
    this.#byBlock.set(Math.floor(place.position / BLOCK), place);
  }

  /** Forgets all that were read at another count of moves. */
  forget(moves: number): void {
    if (moves !== this.#moves) this.#byBlock.clear();
    this.#moves = moves;
  }
}

interface UserPage {
  readonly total: number;
  readonly found: readonly FoundRow[];
}

export function makeUserPages({ mark, run, isAmong }: Engine): (page: DirectoryPage) => Promise<UserPage> {
  const places = new KnownPositions();
  const after = `(created_at_ms, id) > (CAST(${mark(1)} AS BIGINT), ${mark(2)})`;
  // The rows are found by their ids, so that only the index is read of those that are skipped.
  const ids = `SELECT id FROM directory_user WHERE ${after} ORDER BY created_at_ms, id LIMIT ${mark(3)} OFFSET ${mark(4)}`;
  const columns = USER.columns.map((column) => `listed.${column}`);
  // One statement, so that the count of moves and the rows are those of the same moment.
  const text = `SELECT directory.users, directory.moves, ${joinNames(columns)}
    FROM directory LEFT JOIN directory_user AS listed ON ${isAmong("listed.id", ids)}
    WHERE directory.id = 'directory' ORDER BY listed.created_at_ms, listed.id`;
  return async ({ offset, limit }) => {
    for (;;) {
      const from = places.find(offset);
      const rows = await run(bind(text, from.createdAtMs, from.id, limit, offset - from.position));
      const [head = {}] = rows;
      const moves = readInteger(head, "moves");
      if (from.position > 0 && from.moves !== moves) {
        places.forget(moves);
        continue;
      }
      const found = rows.filter((row) => row.id !== null);
      const last = found.at(-1);
      if (last !== undefined) places.keep(readPlace(last, offset + found.length, moves));
      return { total: readInteger(head, "users"), found };
    }
  };
}

function readPlace(row: FoundRow, position: number, moves: number): UserPosition {
  return { position, moves, createdAtMs: readInteger(row, "created_at_ms"), id: readText(row, "id") };
}
