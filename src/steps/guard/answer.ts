// The guard around an answer: it sees what is shown, and holds nothing back.
import type { ChangeText, NativeTexts, TextPlace } from "../../core/text/texts.ts";
import type { Around } from "../../gateway/step.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation } from "../../operations/operation.ts";
import { listTexts, type PlacedText } from "../../operations/ordered-texts.ts";
import { mapJsonText } from "../../operations/text-json.ts";
import { listDifferent } from "./note.ts";

interface GuardAnswerTerms<F extends Form> {
  readonly operation: Operation<F>;
  /** Reaches the texts of the provider's own events. Null if they are translated. */
  readonly native: NativeTexts | null;
  readonly search: (texts: Generator<undefined, readonly PlacedText[]>) => Promise<void>;
}

interface JoinedText {
  text: string;
  readonly place: TextPlace;
}

export class GuardedAnswer<F extends Form> implements Around<F> {
  readonly #terms: GuardAnswerTerms<F>;
  /** By kind and path: the pieces of a text so far. */
  readonly #joined = new Map<string, JoinedText>();
  readonly #whole: PlacedText[] = [];
  #characters = 0;

  constructor(terms: GuardAnswerTerms<F>) {
    this.#terms = terms;
  }

  async whole(reply: F["reply"]): Promise<F["reply"]> {
    const { operation, native, search } = this.#terms;
    await search(listReply((change) => operation.mapReply(reply, change, native)));
    return reply;
  }

  pass(pieces: readonly F["piece"][]): readonly F["piece"][] {
    const { operation, native } = this.#terms;
    // No longer answer is kept.
    if (this.#characters <= operation.answerBytesMax) operation.mapPieces(pieces, this.#take, native);
    return pieces;
  }

  async end(): Promise<readonly F["piece"][]> {
    await this.#terms.search(this.#list());
    return [];
  }

  over(): void {}

  *#list(): Generator<undefined, readonly PlacedText[]> {
    const found = [...this.#whole];
    for (const joined of this.#joined.values()) {
      for (const one of listJoined(joined)) found.push(one);
      yield;
    }
    return listDifferent(found);
  }

  readonly #take: ChangeText = Object.assign(
    (text: string, place: TextPlace): string => {
      this.#characters += text.length;
      if (!place.isPiece) this.#whole.push({ text, place });
      else {
        const joined = this.#joined.getOrInsertComputed(`${place.kind} ${place.path}`, () => ({
          text: "",
          place,
        }));
        joined.text += text;
      }
      return text;
    },
    { takesIntegers: true as const },
  );
}

// biome-ignore lint/correctness/useYield: a whole answer is bounded
function* listReply(walk: (change: ChangeText) => unknown): Generator<undefined, readonly PlacedText[]> {
  return listDifferent(listTexts(walk));
}

/** The client's own JSON is whole by now. */
function listJoined({ text, place }: JoinedText): readonly PlacedText[] {
  if (place.isJson !== true) return [{ text, place }];
  const found: PlacedText[] = [];
  const take = (kind: TextPlace["kind"]) => (given: string, field?: string) => {
    found.push({ text: given, place: { ...place, kind, ...(field !== undefined && { field }) } });
    return given;
  };
  mapJsonText(text, { text: take("text"), key: take("key"), integer: take("integer") });
  return found;
}
