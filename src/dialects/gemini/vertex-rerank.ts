// Rerank on Google Cloud by its ranking API, which stands beside Vertex AI (Discovery Engine API, "rankingConfigs.rank").
import { Fault } from "../../core/fault.ts";
import { asArray, asNumber, asObject, asString, type JsonObject } from "../../core/json.ts";
import type { Codec } from "../../operations/codec.ts";
import type { RerankForm } from "../../operations/rerank/form.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import { rankDocuments } from "../_whole/rerank.ts";
import { makeHeaders } from "./outgoing.ts";

/** Its guide names the location `global` alone; documents for another one are not sent there. */
const GLOBAL = /^https:\/\/aiplatform\.googleapis\.com\/v1\/(projects\/[^/]+\/locations\/global)$/;
const RANKING_API = "https://discoveryengine.googleapis.com/v1";

export const VERTEX_RERANK: Codec<RerankForm> = makeWholeCodec({
  encode({ query, documents, resultsMax, documentTokensMax, extras }, { name }, target) {
    const place = GLOBAL.exec(target.baseUrl)?.[1];
    if (place === undefined) {
      const message = "Vertex AI ranks documents for a project at the location global alone.";
      throw new Fault("unsupported_capability", message, { param: "model" });
    }
    const body: JsonObject = {
      model: name,
      query,
      records: documents.map(({ text }, at) => ({ id: String(at), content: text })),
      ignoreRecordDetailsInResponse: true,
    };
    if (resultsMax !== undefined) body.topN = Math.min(resultsMax, documents.length);
    return {
      url: `${RANKING_API}/${place}/rankingConfigs/default_ranking_config:rank`,
      headers: makeHeaders(target),
      body,
      dropped: [...Object.keys(extras), ...(documentTokensMax === undefined ? [] : ["max_tokens_per_doc"])],
    };
  },
  reply(body, _card, ask) {
    const rows = asArray(asObject(body).records).map((row) => {
      const { id, score } = asObject(row);
      return { index: /^\d+$/.test(asString(id) ?? "") ? Number(id) : undefined, score: asNumber(score) };
    });
    // It reports nothing of what it counts.
    return rankDocuments(rows, null, ask);
  },
});
