// Embeddings in OpenAI's form, which most servers speak (OpenAI API reference, `/embeddings`).
import { asArray, asCount, asObject, isObject, type JsonObject } from "../../core/json.ts";
import { NO_AMOUNTS } from "../../core/units.ts";
import { garbled } from "../../core/upstream.ts";
import type { Codec } from "../../operations/codec.ts";
import type { EmbeddingsForm, EmbeddingsReply, EmbeddingsRequest } from "../../operations/embeddings/form.ts";
import { readVector } from "../../operations/embeddings/vector.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import type { WorkUsage } from "../../operations/whole-form.ts";
import { makeBearerHeaders } from "../_chat/outgoing.ts";

/** The differences between servers. */
export interface EmbeddingsQuirks {
  /** True if it gives base64 of 32-bit floats where that is asked for; vLLM once gave 64-bit ones. */
  readonly givesBase64: boolean;
  /** The name of the field for the length of the vectors. */
  readonly dimensionsField: string;
  /** The name of the field for the kind of text, and its words; null: it has none. */
  readonly inputType: { readonly field: string; readonly words: Readonly<Record<string, string>> } | null;
  /** The most inputs that one call takes. */
  readonly inputsMax: number;
}

export const OPENAI_EMBEDDINGS: EmbeddingsQuirks = {
  givesBase64: true,
  dimensionsField: "dimensions",
  inputType: null,
  inputsMax: 2048,
};

export function makeOpenaiEmbeddings(quirks: EmbeddingsQuirks): Codec<EmbeddingsForm> {
  return makeWholeCodec({
    answersPerCall: () => quirks.inputsMax,
    encode(ask, card, target) {
      const { inputs, encoding, dimensions, inputType, truncation, extras } = ask;
      const [only] = inputs;
      const body: JsonObject = {
        ...extras,
        model: card.name,
        input: inputs.length === 1 ? only : inputs,
        encoding_format: quirks.givesBase64 ? encoding : "float",
      };
      const dropped: string[] = [];
      if (dimensions !== undefined) body[quirks.dimensionsField] = dimensions;
      if (inputType !== undefined) {
        if (quirks.inputType) body[quirks.inputType.field] = quirks.inputType.words[inputType] ?? inputType;
        else dropped.push("input_type");
      }
      if (truncation !== undefined) dropped.push("truncate");
      return { url: `${target.baseUrl}/embeddings`, headers: makeBearerHeaders(target), body, dropped };
    },
    reply: (body, _card, ask) => readEmbeddings(body, ask),
  });
}

/** Reads `data`, in the order of the inputs. Throws the Fault of an answer that lacks one. */
export function readEmbeddings(body: unknown, { inputs }: EmbeddingsRequest): EmbeddingsReply {
  const { data, usage } = asObject(body);
  const vectors = inputs.map((_, index) => {
    const found = asObject(asArray(data)[index]);
    // Servers that leave the index out keep the order.
    const isInPlace = found.index === undefined || found.index === index;
    const own = isInPlace ? found : asObject(asArray(data).find((one) => asObject(one).index === index));
    return readVector(own.embedding);
  });
  if (asArray(data).length !== inputs.length) throw garbled("not one embedding for each input");
  return { vectors, usage: readUsage(usage) };
}

/** Some servers count `total_tokens` alone. */
export function readUsage(usage: unknown): WorkUsage | null {
  if (!isObject(usage)) return null;
  return { amounts: { ...NO_AMOUNTS, prompt: asCount(usage.prompt_tokens ?? usage.total_tokens) } };
}
