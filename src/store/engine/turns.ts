// Splits long work into parts, each in its own event loop turn, so that none blocks the loop for long.

/** Runs functions one after the other, each in its own turn. */
export function makeSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(nextTurn).then(work);
    last = next.catch(() => {});
    return next;
  };
}

export function nextTurn(): Promise<unknown> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** About how long a part works in one turn. */
const TURN_MS = 5;

/**
 * Returns a function that runs statements which block the event loop, in the order of asking: at once while this turn has
 * had less than 5 ms of them, else in a later one. A list that is read page by page would otherwise let nothing else run
 * until its end, since awaiting what is already there doesn't end a turn, and lists that wait for the same turn would
 * share it, however long they take together.
 */
export function makePacing(): <T>(statement: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let beganMs: number | null = null;
  const isFull = () => beganMs !== null && performance.now() - beganMs >= TURN_MS;
  const begin = () => {
    beganMs = performance.now();
    setImmediate(end);
  };
  const end = () => {
    beganMs = null;
    if (waiting.length > 0) begin();
    while (waiting.length > 0 && !isFull()) waiting.shift()?.();
  };
  return (statement) => {
    if (waiting.length > 0 || isFull())
      return new Promise((resolve) => waiting.push(() => resolve(statement())));
    if (beganMs === null) begin();
    return statement();
  };
}

interface RowBounds {
  readonly min: number;
  readonly max: number;
}

/** Returns how many rows the next part has, if the last took this long: a row's cost differs by table, content and machine. */
export function adaptRows(rows: number, tookMs: number, { min, max }: RowBounds): number {
  const factor = Math.min(2, Math.max(0.5, TURN_MS / Math.max(tookMs, 0.001)));
  return Math.min(max, Math.max(min, Math.round(rows * factor)));
}

const DELETED: RowBounds = { min: 5, max: 500 };
const DELETED_AT_FIRST = 20;

/**
 * Deletes up to `rowsMax` rows and returns how many. `part` deletes up to a number of rows. Where statements block the
 * event loop, the parts are small, and each is followed by as long a rest: deleting millions of rows at once would keep
 * all requests waiting for minutes.
 */
export async function deleteInParts(
  { blocksLoop }: { readonly blocksLoop: boolean },
  rowsMax: number,
  part: (rowsMax: number) => Promise<number>,
): Promise<number> {
  if (!blocksLoop) return part(rowsMax);
  let gone = 0;
  let rows = DELETED_AT_FIRST;
  while (gone < rowsMax) {
    const asked = Math.min(rows, rowsMax - gone);
    const beganMs = performance.now();
    const deleted = await part(asked);
    gone += deleted;
    if (deleted < asked) break;
    const tookMs = performance.now() - beganMs;
    rows = adaptRows(rows, tookMs, DELETED);
    await Bun.sleep(tookMs);
  }
  return gone;
}
