// Embeddings in OpenAI's form, which most servers speak with small differences (OpenAI API reference, `/embeddings`).
import { Fault } from "../../core/fault.ts";
import { asArray, asCount, asObject, type JsonObject } from "../../core/json.ts";
import { NO_AMOUNTS } from "../../core/units.ts";
import { garbled } from "../../core/upstream.ts";
import type { Codec } from "../../operations/codec.ts";
import type {
  EmbeddingInput,
  EmbeddingsForm,
  EmbeddingsReply,
  EmbeddingsRequest,
  InputType,
} from "../../operations/embeddings/form.ts";
import { countInputsPerCall } from "../../operations/embeddings/operation.ts";
import { makeReply } from "../../operations/embeddings/vector.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import type { WorkUsage } from "../../operations/whole-form.ts";
import { makeCall, passExtras } from "../_chat/outgoing.ts";

/** A field of the provider's, and its words for ours; a word that it lacks is left out, and named. */
interface WordField {
  readonly field: string;
  readonly words: Readonly<Partial<Record<string, unknown>>>;
  /** Sent where the client says nothing; left out: nothing is. */
  readonly standard?: unknown;
}

/** The differences between servers. */
export interface EmbeddingsQuirks {
  /** True if it gives base64 of 32-bit floats where that is asked for; left out: it gives numbers. */
  readonly givesBase64?: boolean;
  /** The name of the field for the form of the vectors; left out: it has none. */
  readonly encodingField?: string;
  /** The name of the field for the length of the vectors. */
  readonly dimensionsField: string;
  /** Left out: it has no such field. */
  readonly inputType?: WordField;
  readonly truncation?: WordField;
  /** Left out: it takes texts only. */
  readonly takesTokenIds?: boolean;
  /** Fields that it doesn't know are left out, but for these. */
  readonly passes: "all" | readonly string[];
  /** The most inputs that one call takes. */
  readonly inputsMax: number;
  /** The most tokens of all inputs of a call together; left out: no limit is known. */
  readonly tokensMax?: (name: string) => number;
}

/** Cohere's words for the kinds of texts, which others have taken over. */
export const COHERE_KINDS: Readonly<Record<InputType, string>> = {
  query: "search_query",
  document: "search_document",
  classification: "classification",
  clustering: "clustering",
};

/** The vectors of Cohere's answers, by type or, from older models and versions, as a bare list. */
export function listCohereVectors(embeddings: unknown): readonly unknown[] {
  return Array.isArray(embeddings) ? embeddings : asArray(asObject(embeddings).float);
}

/** The codec for a server with these quirks. */
export function makeEmbeddings(quirks: EmbeddingsQuirks): Codec<EmbeddingsForm> {
  return makeWholeCodec({
    answersPerCall: ({ name }, ask) =>
      countInputsPerCall(ask, quirks.inputsMax, quirks.tokensMax?.(name) ?? Number.POSITIVE_INFINITY),
    encode(ask, card, target) {
      const { inputs, encoding, dimensions, inputType, truncation } = ask;
      if (!quirks.takesTokenIds) requireTexts(inputs);
      const { fields, dropped } = passExtras(ask.extras, quirks.passes);
      const [only] = inputs;
      const body: JsonObject = { ...fields, model: card.name, input: inputs.length === 1 ? only : inputs };
      if (quirks.encodingField) body[quirks.encodingField] = quirks.givesBase64 ? encoding : "float";
      if (dimensions !== undefined) body[quirks.dimensionsField] = dimensions;
      const left = [
        ...dropped,
        ...listUnread(ask),
        ...setWord(body, quirks.inputType, inputType, "input_type"),
        ...setWord(body, quirks.truncation, truncation, "truncate"),
      ];
      return makeCall(target, "/embeddings", body, left);
    },
    reply: (body, _card, ask) => readEmbeddings(body, ask),
  });
}

/** Google's fields that no other dialect has. */
export function listUnread({ task, title, inputType }: EmbeddingsRequest): readonly string[] {
  return [...(task && !inputType ? ["taskType"] : []), ...(title === undefined ? [] : ["title"])];
}

/** Returns the client's field if it could not be carried. */
function setWord(
  body: JsonObject,
  known: WordField | undefined,
  given: string | undefined,
  clientField: string,
): readonly string[] {
  const word = given === undefined ? known?.standard : known?.words[given];
  if (known && word !== undefined) body[known.field] = word;
  return given !== undefined && word === undefined ? [clientField] : [];
}

/** The inputs as texts. Throws the Fault of token ids: each model has its own, and another one would read other words. */
export function requireTexts(inputs: readonly EmbeddingInput[]): readonly string[] {
  return inputs.map((input) => {
    if (typeof input === "string") return input;
    const message = "This model takes texts only, no token ids.";
    throw new Fault("unsupported_capability", message, { param: "input" });
  });
}

/** Reads `data`, in the order of the inputs. Throws the Fault of an answer that lacks one. */
function readEmbeddings(body: unknown, ask: EmbeddingsRequest): EmbeddingsReply {
  const { data, usage } = asObject(body);
  const vectors = new Map<unknown, unknown>();
  for (const [place, row] of asArray(data).entries()) {
    const { index, embedding } = asObject(row);
    // Servers that leave the index out keep the order.
    vectors.set(index ?? place, embedding);
  }
  if (vectors.size !== asArray(data).length) throw garbled("two embeddings for one input");
  return makeReply(
    Array.from({ length: vectors.size }, (_, index) => vectors.get(index)),
    readUsage(usage),
    ask,
  );
}

/** Some servers count `total_tokens` alone. */
export function readUsage(usage: unknown): WorkUsage | null {
  const { prompt_tokens, total_tokens } = asObject(usage);
  return makeUsage(prompt_tokens ?? total_tokens);
}

/** The usage of an answer for which its server counted so many tokens; null if that is no number. */
export function makeUsage(tokens: unknown): WorkUsage | null {
  return typeof tokens === "number" ? { amounts: { ...NO_AMOUNTS, prompt: asCount(tokens) } } : null;
}
