// An answer whose texts pass a filter each, whole or in pieces: what leaves is the same, however the pieces are cut.
import type { IsChanged, NativeTexts, TextPlace } from "../../core/text/texts.ts";
import type { Around, Later } from "../../gateway/step.ts";
import type { Steps } from "../../guard/steps.ts";
import type { TextFilter, TextStream } from "../../guard/text-filter.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation } from "../../operations/operation.ts";
import { mapInSteps, pushInSteps } from "./in-steps.ts";
import { MovedAnswer } from "./positions.ts";

interface FilterTerms<F extends Form> {
  readonly operation: Operation<F>;
  /** Reaches the texts of the provider's own events. Null if they are translated. */
  readonly native: NativeTexts | null;
  /** Returns the stream of a text through a filter, which `watch` has to know. Null if the text leaves as it is. */
  readonly open: (place: TextPlace, watch: Watch) => TextStream | null;
  /** Called once the answer has passed. */
  readonly finish: () => void;
  /** Takes the rest of long work in turns with other requests. */
  readonly takeSteps: <Result>(steps: Steps<Result>) => Promise<Result>;
  /** Tells of which thinking a text was replaced: it leaves without what its maker signed. Missing if none ever is. */
  readonly isThoughtChanged?: IsChanged;
}

/** Notes how a filter moves the positions that annotations give into its text. */
export type Watch = (filter: TextFilter) => TextFilter;

/** A text that has begun. */
interface FilteredStream<Piece> {
  readonly path: string;
  readonly stream: TextStream;
  /** The last piece that carried a part of it. */
  latest: Piece;
}

/** A piece of a stream, with the texts that end in it and those that it carries a part of. */
interface PassedPiece<Piece> {
  readonly piece: Piece;
  readonly ended: readonly string[];
  readonly carried: Set<string>;
}

/** The choice, candidate or block that a text belongs to, such as `choices[0]`. */
function findHolder(path: string): string {
  return path.slice(0, path.indexOf("]") + 1);
}

const nameText = ({ kind, path }: TextPlace) => `${kind} ${path}`;

export class FilteredAnswer<F extends Form> implements Around<F> {
  readonly #terms: FilterTerms<F>;
  readonly #open = new Map<string, FilteredStream<F["piece"]>>();
  readonly #moved: MovedAnswer<F>;

  constructor(terms: FilterTerms<F>) {
    this.#terms = terms;
    this.#moved = new MovedAnswer(terms.operation, terms.native);
  }

  whole(reply: F["reply"]): Later<F["reply"]> {
    return this.#take(this.#filterReply(reply));
  }

  pass(pieces: readonly F["piece"][]): Later<readonly F["piece"][]> {
    return this.#take(this.#passAll(pieces));
  }

  end(): readonly F["piece"][] {
    const left = this.#moved.pass(this.#flush([...this.#open.keys()]));
    this.#terms.finish();
    return [...left, ...this.#moved.end()];
  }

  over(): void {}

  /** Nothing waits for what takes one step. */
  #take<Result>(steps: Steps<Result>): Later<Result> {
    const first = steps.next();
    return first.done ? first.value : this.#terms.takeSteps(steps);
  }

  *#filterReply(reply: F["reply"]): Steps<F["reply"]> {
    const { operation, native, finish } = this.#terms;
    const shown = yield* mapInSteps(
      (change) => operation.mapReply(reply, change, native),
      (text, place) => this.#filterWhole(text, place),
    );
    finish();
    return this.#moved.whole(this.#unsealReply(shown));
  }

  *#passAll(pieces: readonly F["piece"][]): Steps<readonly F["piece"][]> {
    const passed: F["piece"][] = [];
    for (const piece of pieces) passed.push(...(yield* this.#passOne(piece)).flatMap(this.#unseal));
    return this.#moved.pass(passed);
  }

  /** The rest of the texts that a piece ends leaves before it. */
  *#passOne(piece: F["piece"]): Steps<readonly F["piece"][]> {
    const { operation, native } = this.#terms;
    const ended = operation.streamed?.endedTexts(piece, native) ?? [];
    const carried = new Set<string>();
    const passed = { piece, ended, carried };
    const shown = yield* mapInSteps(
      (change) => operation.mapPieces([piece], change, native),
      (text, place) => (place.isPiece ? this.#pass(text, place, passed) : this.#filterWhole(text, place)),
    );
    if (this.#open.size === 0) return shown;
    const holders = new Set(carried.values().map((name) => findHolder(name.slice(name.indexOf(" ") + 1))));
    const over = [...this.#open].flatMap(([name, { path }]) => {
      const isOver = isEnded(path, ended) || holders.has(findHolder(path));
      return isOver && !carried.has(name) ? [name] : [];
    });
    return over.length === 0 ? shown : [...this.#flush(over), ...shown];
  }

  *#pass(text: string, place: TextPlace, { piece, ended, carried }: PassedPiece<F["piece"]>): Steps<string> {
    const name = nameText(place);
    const known = this.#open.get(name) ?? this.#begin(name, place, piece);
    if (known === null) return text;
    carried.add(name);
    known.latest = piece;
    const now = yield* pushInSteps(known.stream, text);
    return isEnded(place.path, ended) ? now + this.#close(name) : now;
  }

  #begin(name: string, place: TextPlace, latest: F["piece"]): FilteredStream<F["piece"]> | null {
    const stream = this.#openAt(place);
    if (stream === null) return null;
    const opened = { path: place.path, stream, latest };
    this.#open.set(name, opened);
    return opened;
  }

  #openAt(place: TextPlace): TextStream | null {
    return this.#terms.open(place, (filter) => this.#moved.moves.watch(place, filter));
  }

  #close(name: string): string {
    const left = this.#open.get(name)?.stream.end() ?? "";
    this.#open.delete(name);
    return left;
  }

  /** Ends texts. The characters that were held back leave in the last piece that carried each once more, without its other texts. */
  #flush(names: readonly string[]): readonly F["piece"][] {
    const byPiece = new Map<F["piece"], Map<string, string>>();
    for (const name of names) {
      const { latest } = this.#open.get(name) ?? {};
      const left = this.#close(name);
      if (left !== "" && latest !== undefined)
        byPiece.getOrInsertComputed(latest, () => new Map()).set(name, left);
    }
    return [...byPiece].flatMap(([piece, left]) => this.#repeat(piece, left));
  }

  #repeat(piece: F["piece"], left: ReadonlyMap<string, string>): readonly F["piece"][] {
    const { operation, native } = this.#terms;
    // Every text is changed, so that none is part of a longer piece.
    const [last] = operation.mapPieces([piece], (text) => `${text} `, native).slice(-1);
    if (last === undefined) return [];
    const bare = operation.streamed?.positions?.dropFromPiece(last, native) ?? last;
    return operation.mapPieces([bare], (_text, place) => left.get(nameText(place)) ?? "", native);
  }

  #unsealReply(reply: F["reply"]): F["reply"] {
    const { operation, native, isThoughtChanged } = this.#terms;
    if (isThoughtChanged === undefined || operation.thoughts === undefined) return reply;
    return operation.thoughts.unsealReply(reply, native, isThoughtChanged);
  }

  readonly #unseal = (piece: F["piece"]): readonly F["piece"][] => {
    const { operation, native, isThoughtChanged } = this.#terms;
    if (isThoughtChanged === undefined || operation.thoughts === undefined) return [piece];
    return operation.thoughts.unseal(piece, native, isThoughtChanged);
  };

  *#filterWhole(text: string, place: TextPlace): Steps<string> {
    const stream = this.#openAt(place);
    return stream === null ? text : (yield* pushInSteps(stream, text)) + stream.end();
  }
}

function isEnded(path: string, ended: readonly string[]): boolean {
  return ended.some((start) => path.startsWith(start));
}
