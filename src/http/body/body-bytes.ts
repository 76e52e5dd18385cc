// Reads a request body's bytes as they arrive, within its size, memory and speed.
import { Fault } from "../../core/faults/fault.ts";
import type { Deadlines } from "../../core/world/world.ts";
import { BodyPace } from "./body-bounds.ts";
import type { HeldBody } from "./body-memory.ts";

interface BodyReading {
  readonly owner: string;
  /** The bytes promised, at most `bytesMax`. Null if the length is unknown. */
  readonly declaredBytes: number | null;
  readonly bytesMax: number;
  readonly deadlines: Deadlines;
  readonly held: HeldBody;
}

type BodyBytes = Uint8Array<ArrayBuffer>;

/** Throws a Fault if the body is too large, too slow, breaks off, or finds no memory. */
export function readBytes(request: Request, reading: BodyReading): Promise<BodyBytes> {
  const isInOneGo = reading.held.fitsInOneGo(reading.declaredBytes);
  return isInOneGo ? readInOneGo(request, reading) : readPieces(request, reading);
}

/** Nothing is known before the body's end: it has the time that it would take at the slowest speed allowed. */
function readInOneGo(
  request: Request,
  { owner, declaredBytes, deadlines, held }: BodyReading,
): Promise<BodyBytes> {
  const { promise, resolve, reject } = Promise.withResolvers<BodyBytes>();
  held.expect({ owner, declaredBytes, onEnded: reject });
  const pace = new BodyPace(deadlines, reject, declaredBytes ?? 0);
  request.bytes().then(
    (bytes) => {
      pace.end();
      held.finish();
      resolve(bytes);
    },
    (error: unknown) => {
      pace.end();
      reject(toBodyFault(error));
    },
  );
  return promise;
}

async function readPieces(
  request: Request,
  { owner, declaredBytes, bytesMax, deadlines, held }: BodyReading,
): Promise<BodyBytes> {
  const reader = request.body?.getReader();
  const bytes = new GrowingBytes(declaredBytes ?? bytesMax);
  if (!reader) return bytes.take();
  const given: { up: Fault | null } = { up: null };
  // The rest of the body is not awaited.
  const leave = () => void reader.cancel().catch(() => {});
  const giveUp = (fault: Fault) => {
    given.up = fault;
    leave();
  };
  held.expect({ owner, declaredBytes, onEnded: giveUp });
  const pace = new BodyPace(deadlines, giveUp);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (given.up) throw given.up;
      if (done) {
        held.finish();
        return bytes.take();
      }
      if (bytes.length + value.length > bytesMax) throw tooLarge(bytesMax);
      pace.add(value.length);
      held.arrive(value.length);
      bytes.add(value);
    }
  } catch (thrown) {
    throw toBodyFault(thrown);
  } finally {
    pace.end();
    leave();
  }
}

/**
 * One buffer of at most twice the bytes that have arrived: thousands of connections could each promise 32 MB. Pieces are
 * copied at once, because a list of tiny ones would take a hundred times their size.
 */
class GrowingBytes {
  readonly #bytesMax: number;
  #bytes: BodyBytes = new Uint8Array(0);
  length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(piece: Uint8Array): void {
    const length = this.length + piece.length;
    if (length > this.#bytes.length) this.#grow(Math.max(length, Math.min(this.#bytesMax, 2 * length)));
    this.#bytes.set(piece, this.length);
    this.length = length;
  }

  /** Returns what has arrived. */
  take(): BodyBytes {
    return this.#bytes.subarray(0, this.length);
  }

  /** The old buffer is freed at once, not at the next collection. */
  #grow(bytes: number): void {
    this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(bytes));
  }
}

export function tooLarge(bytesMax: number): Fault {
  return new Fault("request_too_large", `The request body is larger than ${bytesMax} bytes.`);
}

export function toBodyFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return new Fault("client_gone", "The request body ended early.", { cause: error });
}
