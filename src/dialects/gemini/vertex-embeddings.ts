// Embeddings on Vertex AI: `embedContent` for Gemini's second generation, `predict` for all older models.
import { asArray, asCount, asObject, type JsonObject } from "../../core/json.ts";
import { NO_AMOUNTS } from "../../core/units.ts";
import type { Codec } from "../../operations/codec.ts";
import type { EmbeddingsForm, EmbeddingsReply, EmbeddingsRequest } from "../../operations/embeddings/form.ts";
import { countInputsPerCall } from "../../operations/embeddings/operation.ts";
import { makeReply } from "../../operations/embeddings/vector.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import { requireTexts } from "../_whole/embeddings.ts";
import { GEMINI_EMBEDDINGS, makeRequest, normalizeShort } from "./embeddings.ts";
import { makeHeaders, makeVerbUrl } from "./outgoing.ts";

/** cloud.google.com/vertex-ai, "Text embeddings API": the limits of one call to `predict`. */
const INPUTS_MAX = 250;
const TOKENS_MAX = 20_000;
/** These take one text in one call. */
const ONE_BY_ONE = /^gemini-embedding/;
const EMBEDS_CONTENT = /^gemini-embedding-[2-9]/;

export const VERTEX_EMBEDDINGS: Codec<EmbeddingsForm> = makeWholeCodec({
  answersPerCall: ({ name }, ask) =>
    ONE_BY_ONE.test(name) ? 1 : countInputsPerCall(ask, INPUTS_MAX, TOKENS_MAX),
  encode(ask, { name }, target) {
    const isContent = EMBEDS_CONTENT.test(name);
    return {
      url: makeVerbUrl(name, target.baseUrl, isContent ? "embedContent" : "predict"),
      headers: makeHeaders(target),
      body: isContent ? makeContent(ask, name) : makePrediction(ask, name),
      dropped: [...Object.keys(ask.extras), ...(ask.truncation === "start" ? ["truncate"] : [])],
    };
  },
  reply(body, card, ask, headers) {
    const { predictions } = asObject(body);
    if (predictions === undefined) return GEMINI_EMBEDDINGS.reply(body, card, ask, headers);
    return normalizeShort(readPredictions(asArray(predictions), ask), card.name, ask);
  },
});

function makeContent(ask: EmbeddingsRequest, name: string): JsonObject {
  const [text = ""] = requireTexts(ask.inputs);
  const { model: _model, ...body } = makeRequest(text, ask, name);
  return body;
}

function makePrediction(ask: EmbeddingsRequest, name: string): JsonObject {
  const instances = requireTexts(ask.inputs).map((text) => {
    const { taskType, title } = makeRequest(text, ask, name);
    return {
      content: text,
      ...(taskType === undefined ? {} : { task_type: taskType }),
      ...(title === undefined ? {} : { title }),
    };
  });
  const parameters = {
    ...(ask.dimensions === undefined ? {} : { outputDimensionality: ask.dimensions }),
    ...(ask.truncation === "none" || ask.truncation === "end"
      ? { autoTruncate: ask.truncation === "end" }
      : {}),
  };
  return Object.keys(parameters).length > 0 ? { instances, parameters } : { instances };
}

function readPredictions(predictions: readonly unknown[], ask: EmbeddingsRequest): EmbeddingsReply {
  const rows = predictions.map((one) => asObject(asObject(one).embeddings));
  const counts = rows.map(({ statistics }) => asObject(statistics).token_count);
  const isCounted = counts.every((count) => typeof count === "number");
  const prompt = counts.reduce<number>((sum, count) => sum + asCount(count), 0);
  const usage = isCounted ? { amounts: { ...NO_AMOUNTS, prompt } } : null;
  return makeReply(
    rows.map(({ values }) => values),
    usage,
    ask,
  );
}
