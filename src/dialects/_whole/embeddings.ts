// Embeddings in OpenAI's form, which most servers use with small differences (OpenAI API reference, `/embeddings`).
import { Fault } from "../../core/faults/fault.ts";
import { malformed } from "../../core/faults/malformed.ts";
import { asArray, asCount, asObject, type JsonObject } from "../../core/json/json.ts";
import { NO_AMOUNTS } from "../../core/money/units.ts";
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
import { type ChangedAsk, NONE } from "../../operations/form.ts";
import { leaveOut, type Unsent } from "../../operations/leave-out.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import type { WorkUsage } from "../../operations/whole-form.ts";
import { makeCall, passExtras } from "../_chat/outgoing.ts";
import { addTerms } from "../_chat/terms.ts";
import { namesTerms } from "../_chat/usage.ts";

/** A provider's field, and its words for ours. If it lacks a word, the client's field is left out and named. */
interface WordField {
  readonly field: string;
  readonly words: Readonly<Partial<Record<string, unknown>>>;
  /** The value if the client sets none. Missing if nothing is sent then. */
  readonly standard?: unknown;
}

/** The differences between servers. */
export interface EmbeddingsQuirks {
  /** True if it returns base64 of 32-bit floats on request. Missing if it returns numbers. */
  readonly givesBase64?: boolean;
  /** The field for the encoding of the vectors. Missing if it has none. */
  readonly encodingField?: string;
  /** The field for the length of the vectors. */
  readonly dimensionsField: string;
  /** Missing if it has no such field. */
  readonly inputType?: WordField;
  readonly truncation?: WordField;
  /** Missing if it takes only texts. */
  readonly takesTokenIds?: boolean;
  /** Fields outside the form that the server documents. The rest are left out and named. */
  readonly passes: readonly string[];
  /** At most this many inputs per call. */
  readonly inputsMax: number;
  /** At most this many tokens of all inputs per call. Missing if no limit is known. */
  readonly tokensMax?: (name: string) => number;
}

/** Cohere's words for the kinds of texts, which others have adopted. */
export const COHERE_KINDS: Readonly<Record<InputType, string>> = {
  query: "search_query",
  document: "search_document",
  classification: "classification",
  clustering: "clustering",
};

/** Returns the vectors of Cohere's answers: by type, or a bare list from older models and versions. */
export function listCohereVectors(embeddings: unknown): readonly unknown[] {
  return Array.isArray(embeddings) ? embeddings : asArray(asObject(embeddings).float);
}

/** Makes the codec for a server with these quirks. */
export function makeEmbeddings(quirks: EmbeddingsQuirks): Codec<EmbeddingsForm> {
  return makeWholeCodec({
    answersPerCall: ({ name }, ask) =>
      countInputsPerCall(ask, quirks.inputsMax, quirks.tokensMax?.(name) ?? Number.POSITIVE_INFINITY),
    fit: (ask) => (isBare(ask) ? { ask, dropped: NONE } : leaveOutWordless(ask, quirks)),
    encode(ask, card, target) {
      const { inputs, encoding, dimensions, inputType, truncation } = ask;
      if (!quirks.takesTokenIds) requireTexts(inputs);
      const { fields, dropped } = passExtras(ask.extras, quirks.passes, target);
      const [only] = inputs;
      const body: JsonObject = { ...fields, model: card.name, input: inputs.length === 1 ? only : inputs };
      if (quirks.encodingField) body[quirks.encodingField] = quirks.givesBase64 ? encoding : "float";
      if (dimensions !== undefined) body[quirks.dimensionsField] = dimensions;
      setWord(body, quirks.inputType, inputType);
      setWord(body, quirks.truncation, truncation);
      return makeCall(target, "/embeddings", body, dropped);
    },
    reply: (body, _card, ask) => readEmbeddings(body, ask),
  });
}

/** True for requests without fields that not every server has. */
function isBare({ inputType, truncation, task, title }: EmbeddingsRequest): boolean {
  return (inputType ?? truncation ?? task ?? title) === undefined;
}

function leaveOutWordless(ask: EmbeddingsRequest, quirks: EmbeddingsQuirks): ChangedAsk<EmbeddingsRequest> {
  return leaveOut(ask, [...listUnread(ask), ...listWordless(ask, quirks)]);
}

/** Names Google's fields that no other dialect has. Its task is carried as far as `inputType` says the same. */
export function listUnread({ inputType }: EmbeddingsRequest): Unsent<EmbeddingsRequest> {
  return inputType
    ? [["title", "title"]]
    : [
        ["task", "taskType"],
        ["title", "title"],
      ];
}

/** Names the fields whose value has no word there. */
function listWordless(
  { inputType, truncation }: EmbeddingsRequest,
  quirks: EmbeddingsQuirks,
): Unsent<EmbeddingsRequest> {
  return [
    ...(hasWord(quirks.inputType, inputType) ? [] : [["inputType", "input_type"] as const]),
    ...(hasWord(quirks.truncation, truncation) ? [] : [["truncation", "truncate"] as const]),
  ];
}

function hasWord(known: WordField | undefined, given: string | undefined): boolean {
  return given !== undefined && known?.words[given] !== undefined;
}

function setWord(body: JsonObject, known: WordField | undefined, given: string | undefined): void {
  const word = given === undefined ? known?.standard : known?.words[given];
  if (known && word !== undefined) body[known.field] = word;
}

/** Returns the inputs as texts. Throws a Fault for token ids, which mean other words to another model. */
export function requireTexts(inputs: readonly EmbeddingInput[]): readonly string[] {
  return inputs.map((input) => {
    if (typeof input === "string") return input;
    const message = "This model only accepts text, not token ids.";
    throw new Fault("unsupported_capability", message, { param: "input" });
  });
}

/** Reads `data`, in the order of the inputs. Throws a Fault if a vector is missing. */
function readEmbeddings(body: unknown, ask: EmbeddingsRequest): EmbeddingsReply {
  const { data, usage } = asObject(body);
  const vectors = new Map<unknown, unknown>();
  for (const [place, row] of asArray(data).entries()) {
    const { index, embedding } = asObject(row);
    // Servers without an index keep the order.
    vectors.set(index ?? place, embedding);
  }
  if (vectors.size !== asArray(data).length) throw malformed("an input has two embeddings");
  return makeReply(
    Array.from({ length: vectors.size }, (_, index) => vectors.get(index)),
    readUsage(usage),
    ask,
  );
}

/** Some servers report only `total_tokens`. */
export function readUsage(usage: unknown): WorkUsage | null {
  const given = asObject(usage);
  const counted = makeUsage(given.prompt_tokens ?? given.total_tokens);
  return counted !== null && namesTerms(given) ? (addTerms(counted, undefined, given) ?? counted) : counted;
}

/** Returns the usage for a reported number of tokens, or null if it is not a number. */
export function makeUsage(tokens: unknown): WorkUsage | null {
  return typeof tokens === "number" ? { amounts: { ...NO_AMOUNTS, prompt: asCount(tokens) } } : null;
}
