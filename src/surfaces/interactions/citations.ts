// Citations on the texts of an answer: each stands on the text in which it ends, with its place in bytes of UTF-8.
import { type JsonObject, omitUndefined } from "../../core/json/json.ts";
import { isDocument, moveCitation, readSource } from "../../operations/chat/answer/citations.ts";
import type { Citation } from "../../operations/chat/form.ts";
import { ByteRuler } from "../gemini/byte-ruler.ts";

/** A text of the answer, of which more may come. */
export class CitedText {
  readonly index: number;
  /** The characters of the answer's texts before it. */
  readonly start: number;
  readonly annotations: JsonObject[] = [];
  /** Set once something is cited: most texts cite nothing. */
  #ruler: ByteRuler | null = null;
  #text = "";

  constructor(index: number, start: number) {
    this.index = index;
    this.start = start;
  }

  get text(): string {
    return this.#text;
  }

  get end(): number {
    return this.start + this.#text.length;
  }

  add(piece: string): void {
    this.#text += piece;
    this.#ruler?.add(piece);
  }

  /** Adds a citation whose place counts from the beginning of the answer's texts. */
  cite(citation: Citation): JsonObject {
    if (this.#ruler === null) {
      this.#ruler = new ByteRuler();
      this.#ruler.add(this.#text);
    }
    const annotation = writeAnnotation(moveCitation(citation, this.start), this.#ruler);
    this.annotations.push(annotation);
    return annotation;
  }
}

function writeAnnotation(citation: Citation, ruler: ByteRuler): JsonObject {
  const { start_index: start, end_index: end } = readSource(citation);
  const place = { start_index: ruler.measure(start), end_index: ruler.measure(end) };
  if (!isDocument(citation)) {
    const { url, title } = citation.url_citation;
    return { type: "url_citation", url, title, ...place };
  }
  const { title, document_id, location } = citation.document_citation;
  const page = location?.unit === "page" ? location.start : undefined;
  return omitUndefined({
    type: "file_citation",
    file_name: title || document_id,
    page_number: page,
    ...place,
  });
}

/** The texts of an answer, and the citations whose text hasn't come yet. */
export class CitedTexts {
  readonly #texts: CitedText[] = [];
  readonly #waiting: Citation[] = [];
  #length = 0;

  begin(index: number): CitedText {
    const text = new CitedText(index, this.#length);
    this.#texts.push(text);
    return text;
  }

  add(text: CitedText, piece: string): void {
    text.add(piece);
    this.#length += piece.length;
  }

  push(citation: Citation): void {
    this.#waiting.push(citation);
  }

  /** Returns the waiting citations that have their text by now, in order. At the end, the last text takes the others. */
  take(isEnd: boolean): readonly (readonly [CitedText, Citation])[] {
    const taken: (readonly [CitedText, Citation])[] = [];
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      const { end_index: end } = readSource(next);
      const text = this.#texts.find((one) => end <= one.end) ?? (isEnd ? this.#texts.at(-1) : undefined);
      if (text === undefined) break;
      this.#waiting.shift();
      taken.push([text, next]);
    }
    return taken;
  }
}
