// Embeddings on Bedrock by InvokeModel, in each maker's own form (Amazon Bedrock, "Inference parameters" of Titan, Nova and Cohere).
import { asArray, asCount, asObject, type JsonObject } from "../../core/json.ts";
import { NO_AMOUNTS } from "../../core/units.ts";
import type { Codec } from "../../operations/codec.ts";
import type { EmbeddingsForm, EmbeddingsRequest, InputType } from "../../operations/embeddings/form.ts";
import { makeReply } from "../../operations/embeddings/vector.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import type { WorkUsage } from "../../operations/whole-form.ts";
import { makeModelUrl } from "../_bedrock/call.ts";
import { makeBearerHeaders } from "../_chat/outgoing.ts";
import { listUnread, requireTexts } from "../_whole/embeddings.ts";

interface Body {
  readonly fields: JsonObject;
  readonly dropped: readonly string[];
}

interface Maker {
  readonly names: RegExp;
  readonly inputsMax: number;
  encode(ask: EmbeddingsRequest, texts: readonly string[], name: string): Body;
  /** The vectors of an answer, in the order of the inputs. */
  readVectors(body: JsonObject): readonly unknown[];
}

const TITAN: Maker = {
  names: /amazon\.titan-embed/,
  inputsMax: 1,
  encode({ dimensions, inputType, truncation }, [inputText = ""], name) {
    const dropped = [
      ...(inputType === undefined ? [] : ["input_type"]),
      ...(truncation === undefined ? [] : ["truncate"]),
    ];
    // The first version knows no other field.
    if (!/embed-text-v2/.test(name)) return { fields: { inputText }, dropped };
    return {
      fields: { inputText, normalize: true, ...(dimensions === undefined ? {} : { dimensions }) },
      dropped,
    };
  },
  readVectors: ({ embedding }) => [embedding],
};

/** Nova's names of the kinds: a text of unknown kind is most often one to be stored. */
const PURPOSES: Readonly<Record<InputType, string>> = {
  query: "GENERIC_RETRIEVAL",
  document: "GENERIC_INDEX",
  classification: "CLASSIFICATION",
  clustering: "CLUSTERING",
};

const NOVA: Maker = {
  names: /amazon\.nova.*embeddings/,
  inputsMax: 1,
  encode({ dimensions, inputType = "document", truncation = "none" }, [value = ""]) {
    const singleEmbeddingParams = {
      embeddingPurpose: PURPOSES[inputType],
      text: { value, truncationMode: truncation.toUpperCase() },
      ...(dimensions === undefined ? {} : { embeddingDimension: dimensions }),
    };
    return { fields: { taskType: "SINGLE_EMBEDDING", singleEmbeddingParams }, dropped: [] };
  },
  readVectors: ({ embeddings }) => asArray(embeddings).map((row) => asObject(row).embedding),
};

const KINDS: Readonly<Record<InputType, string>> = {
  query: "search_query",
  document: "search_document",
  classification: "classification",
  clustering: "clustering",
};

const COHERE: Maker = {
  names: /cohere\.embed/,
  inputsMax: 96,
  encode({ dimensions, inputType = "document", truncation }, texts, name) {
    // The third version has one length, which the reply is held against.
    const hasLengths = dimensions !== undefined && !/-v3/.test(name);
    const fields = {
      texts,
      input_type: KINDS[inputType],
      ...(hasLengths ? { output_dimension: dimensions } : {}),
      ...(truncation === undefined ? {} : { truncate: truncation.toUpperCase() }),
    };
    return { fields, dropped: [] };
  },
  // The third version gives a bare list, the fourth one by type, to the same request.
  readVectors: ({ embeddings }) =>
    Array.isArray(embeddings) ? embeddings : asArray(asObject(embeddings).float),
};

const MAKERS: readonly Maker[] = [NOVA, COHERE, TITAN];

/** A model of an unknown name is asked in Titan's form, the plainest. */
function findMaker(name: string): Maker {
  return MAKERS.find(({ names }) => names.test(name)) ?? TITAN;
}

export const BEDROCK_EMBEDDINGS: Codec<EmbeddingsForm> = makeWholeCodec({
  answersPerCall: ({ name }) => findMaker(name).inputsMax,
  encode(ask, card, target) {
    const { fields, dropped } = findMaker(card.name).encode(ask, requireTexts(ask.inputs), card.name);
    return {
      url: makeModelUrl(target, card, "invoke"),
      headers: makeBearerHeaders(target),
      body: fields,
      dropped: [...Object.keys(ask.extras), ...dropped, ...listUnread(ask)],
    };
  },
  reply(body, card, ask, headers) {
    const given = asObject(body);
    return makeReply(findMaker(card.name).readVectors(given), readUsage(given, headers), ask);
  },
});

const COUNT = "x-amzn-bedrock-input-token-count";

/** Titan counts in the body, the others in a header alone. */
function readUsage({ inputTextTokenCount: counted }: JsonObject, headers: Headers): WorkUsage | null {
  const tokens = typeof counted === "number" ? counted : Number(headers.get(COUNT) ?? Number.NaN);
  return Number.isNaN(tokens) ? null : { amounts: { ...NO_AMOUNTS, prompt: asCount(tokens) } };
}
