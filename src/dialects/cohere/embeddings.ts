// Cohere's embeddings (Cohere API v2 reference, `/embed`).
import { asArray, asCount, asObject, type JsonObject } from "../../core/json.ts";
import { NO_AMOUNTS } from "../../core/units.ts";
import type { Codec } from "../../operations/codec.ts";
import type { EmbeddingsForm, InputType } from "../../operations/embeddings/form.ts";
import { makeReply } from "../../operations/embeddings/vector.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import type { WorkUsage } from "../../operations/whole-form.ts";
import { makeBearerHeaders } from "../_chat/outgoing.ts";
import { listUnread, requireTexts } from "../_whole/embeddings.ts";
import { passExtras } from "../_whole/extras.ts";

const INPUTS_MAX = 96;
/** The field is required. A text of unknown kind is most often one to be stored. */
const KINDS: Readonly<Record<InputType, string>> = {
  query: "search_query",
  document: "search_document",
  classification: "classification",
  clustering: "clustering",
};

export const COHERE_EMBEDDINGS: Codec<EmbeddingsForm> = makeWholeCodec({
  answersPerCall: () => INPUTS_MAX,
  encode(ask, card, target) {
    const { inputs, inputType = "document", dimensions, truncation, extras } = ask;
    const { fields, dropped } = passExtras(extras, ["max_tokens"]);
    const body: JsonObject = {
      ...fields,
      model: card.name,
      texts: requireTexts(inputs),
      input_type: KINDS[inputType],
      embedding_types: ["float"],
    };
    if (dimensions !== undefined) body.output_dimension = dimensions;
    if (truncation !== undefined) body.truncate = truncation.toUpperCase();
    const left = [...dropped, ...listUnread(ask)];
    return { url: `${target.baseUrl}/embed`, headers: makeBearerHeaders(target), body, dropped: left };
  },
  reply(body, _card, ask) {
    const { embeddings, meta } = asObject(body);
    // Version 1, which some servers in between still speak, gives a bare list.
    const vectors = Array.isArray(embeddings) ? embeddings : asArray(asObject(embeddings).float);
    return makeReply(vectors, readTokens(meta), ask);
  },
});

function readTokens(meta: unknown): WorkUsage | null {
  const { input_tokens: tokens } = asObject(asObject(meta).billed_units);
  return typeof tokens === "number" ? { amounts: { ...NO_AMOUNTS, prompt: asCount(tokens) } } : null;
}
