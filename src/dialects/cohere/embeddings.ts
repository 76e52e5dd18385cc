// Cohere's embeddings (Cohere API v2 reference, `/embed`).
import { asObject, type JsonObject } from "../../core/json/json.ts";
import type { Codec } from "../../operations/codec.ts";
import type { EmbeddingsForm } from "../../operations/embeddings/form.ts";
import { makeReply } from "../../operations/embeddings/vector.ts";
import { leaveOut } from "../../operations/leave-out.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import { makeCall, passExtras } from "../_chat/outgoing.ts";
import {
  COHERE_KINDS,
  listCohereVectors,
  listUnread,
  makeUsage,
  requireTexts,
} from "../_whole/embeddings.ts";

const INPUTS_MAX = 96;

export const COHERE_EMBEDDINGS: Codec<EmbeddingsForm> = makeWholeCodec({
  answersPerCall: () => INPUTS_MAX,
  fit: (ask) => leaveOut(ask, listUnread(ask)),
  encode(ask, card, target) {
    // The field is required. A text of unknown kind is most often stored.
    const { inputs, inputType = "document", dimensions, truncation, extras } = ask;
    const { fields, dropped } = passExtras(extras, ["max_tokens"], target);
    const body: JsonObject = {
      ...fields,
      model: card.name,
      texts: requireTexts(inputs),
      input_type: COHERE_KINDS[inputType],
      embedding_types: ["float"],
      output_dimension: dimensions,
      truncate: truncation?.toUpperCase(),
    };
    return makeCall(target, "/embed", body, dropped);
  },
  reply(body, _card, ask) {
    const { embeddings, meta } = asObject(body);
    const { input_tokens: tokens } = asObject(asObject(meta).billed_units);
    return makeReply(listCohereVectors(embeddings), makeUsage(tokens), ask);
  },
});
