// Embeddings and rerank on Bedrock by InvokeModel (Amazon Bedrock, "Inference parameters" of Titan, Nova and Cohere).
import { asArray, asObject, type JsonObject } from "../../core/json/json.ts";
import type { Codec } from "../../operations/codec.ts";
import type { EmbeddingsForm, EmbeddingsRequest, InputType } from "../../operations/embeddings/form.ts";
import { makeReply } from "../../operations/embeddings/vector.ts";
import { leaveOut, type Unsent } from "../../operations/leave-out.ts";
import type { RerankForm } from "../../operations/rerank/form.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import { makeModelUrl } from "../_bedrock/call.ts";
import { makeBearerHeaders, passExtras } from "../_chat/outgoing.ts";
import {
  COHERE_KINDS,
  listCohereVectors,
  listUnread,
  makeUsage,
  requireTexts,
} from "../_whole/embeddings.ts";
import { readRerank } from "../_whole/rerank.ts";

interface EmbeddingMaker {
  readonly names: RegExp;
  readonly inputsMax: number;
  /** The request's fields that it can't carry, with the client's names. */
  readonly unsent: Unsent<EmbeddingsRequest>;
  encode(ask: EmbeddingsRequest, texts: readonly string[], name: string): JsonObject;
  /** Returns the vectors of an answer, in the order of the inputs. */
  readVectors(body: JsonObject): readonly unknown[];
}

const TITAN: EmbeddingMaker = {
  names: /amazon\.titan-embed/,
  inputsMax: 1,
  unsent: [
    ["inputType", "input_type"],
    ["truncation", "truncate"],
  ],
  // The first version accepts no other field than the text.
  encode: ({ dimensions }, [inputText = ""], name) =>
    /embed-text-v2/.test(name) ? { inputText, normalize: true, dimensions } : { inputText },
  readVectors: ({ embedding }) => [embedding],
};

/** Nova's names for the kinds. A text of unknown kind is most often stored. */
const PURPOSES: Readonly<Record<InputType, string>> = {
  query: "GENERIC_RETRIEVAL",
  document: "GENERIC_INDEX",
  classification: "CLASSIFICATION",
  clustering: "CLUSTERING",
};

const NOVA: EmbeddingMaker = {
  names: /amazon\.nova.*embeddings/,
  inputsMax: 1,
  unsent: [],
  encode({ dimensions, inputType = "document", truncation = "none" }, [value = ""]) {
    const singleEmbeddingParams = {
      embeddingPurpose: PURPOSES[inputType],
      text: { value, truncationMode: truncation.toUpperCase() },
      embeddingDimension: dimensions,
    };
    return { taskType: "SINGLE_EMBEDDING", singleEmbeddingParams };
  },
  readVectors: ({ embeddings }) => asArray(embeddings).map((row) => asObject(row).embedding),
};

const COHERE: EmbeddingMaker = {
  names: /cohere\.embed/,
  inputsMax: 96,
  unsent: [],
  encode({ dimensions, inputType = "document", truncation }, texts, name) {
    // The third version has a fixed length, against which the reply is checked.
    const hasLengths = !/-v3/.test(name);
    return {
      texts,
      input_type: COHERE_KINDS[inputType],
      output_dimension: hasLengths ? dimensions : undefined,
      truncate: truncation?.toUpperCase(),
    };
  },
  readVectors: ({ embeddings }) => listCohereVectors(embeddings),
};

const MAKERS: readonly EmbeddingMaker[] = [NOVA, COHERE, TITAN];

/** Unknown models are called in Titan's form, the simplest. */
function findMaker(name: string): EmbeddingMaker {
  return MAKERS.find(({ names }) => names.test(name)) ?? TITAN;
}

export const BEDROCK_EMBEDDINGS: Codec<EmbeddingsForm> = makeWholeCodec({
  answersPerCall: ({ name }) => findMaker(name).inputsMax,
  fit: (ask, { name }) => leaveOut(ask, [...findMaker(name).unsent, ...listUnread(ask)]),
  encode(ask, card, target) {
    const extras = passExtras(ask.extras, [], target);
    const body = findMaker(card.name).encode(ask, requireTexts(ask.inputs), card.name);
    return {
      url: makeModelUrl(target, card, "invoke"),
      headers: makeBearerHeaders(target),
      body: { ...extras.fields, ...body },
      dropped: extras.dropped,
    };
  },
  reply(body, card, ask, headers) {
    const given = asObject(body);
    const usage = makeUsage(countTokens(given, headers));
    return makeReply(findMaker(card.name).readVectors(given), usage, ask);
  },
});

const COUNT = "x-amzn-bedrock-input-token-count";

/** Titan reports the count in the body, the others only in a header. */
function countTokens({ inputTextTokenCount: counted }: JsonObject, headers: Headers): number | undefined {
  const tokens = typeof counted === "number" ? counted : Number(headers.get(COUNT) ?? Number.NaN);
  return Number.isNaN(tokens) ? undefined : tokens;
}

/** Required by Bedrock. */
const API_VERSION = 2;

/** Cohere's form (Amazon Bedrock, "Cohere Rerank"). */
export const BEDROCK_RERANK: Codec<RerankForm> = makeWholeCodec({
  encode({ query, documents, resultsMax, documentTokensMax, extras }, card, target) {
    const passed = passExtras(extras, [], target);
    const body: JsonObject = {
      ...passed.fields,
      api_version: API_VERSION,
      query,
      documents: documents.map(({ text }) => text),
    };
    if (resultsMax !== undefined) body.top_n = Math.min(resultsMax, documents.length);
    if (documentTokensMax !== undefined) body.max_tokens_per_doc = documentTokensMax;
    return {
      url: makeModelUrl(target, card, "invoke"),
      headers: makeBearerHeaders(target),
      body,
      dropped: passed.dropped,
    };
  },
  reply: readRerank,
});
