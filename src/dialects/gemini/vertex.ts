// Google's models on Vertex AI: its form of generateContent, and the separate ranking API.

import { Fault } from "../../core/faults/fault.ts";
import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Outgoing, Target } from "../../core/models/dialect.ts";
import type { Codec } from "../../operations/codec.ts";
import type { RerankForm } from "../../operations/rerank/form.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import { passExtras } from "../_chat/outgoing.ts";
import { leaveOutDocumentTokens, rankDocuments } from "../_whole/rerank.ts";
import { findFacts } from "./models.ts";
import { makeHeaders } from "./outgoing.ts";

/** Moves a call under a publisher's path, with a role in each turn and, before generation 3, without call ids. */
export function carryVertexGemini(outgoing: Outgoing, card: ModelCard, { baseUrl }: Target): Outgoing {
  // The ranking API has an address of its own.
  if (!outgoing.url.startsWith(baseUrl)) return outgoing;
  const path = outgoing.url.slice(baseUrl.length);
  const { contents } = outgoing.body;
  const body = Array.isArray(contents)
    ? { ...outgoing.body, contents: contents.map((turn) => makeTurn(turn, findFacts(card).signed)) }
    : outgoing.body;
  return { ...outgoing, url: `${baseUrl}/publishers/google${path}`, body };
}

/** The Developer API treats a turn without a role as the user's, Vertex AI refuses it. */
function makeTurn(turn: unknown, takesIds: boolean): unknown {
  if (!isObject(turn)) return turn;
  const parts = takesIds ? turn.parts : withoutIds(turn.parts);
  return { ...turn, role: turn.role ?? "user", ...(parts === undefined ? {} : { parts }) };
}

function withoutIds(parts: unknown): unknown {
  if (!Array.isArray(parts)) return parts;
  return asArray(parts).map((given) => {
    const part = asObject(given);
    const field = ["functionCall", "functionResponse"].find((name) => isObject(part[name]));
    if (field === undefined) return given;
    const { id: _id, ...rest } = asObject(part[field]);
    return { ...part, [field]: rest };
  });
}

/** Its guide names only the location `global`, so documents for other locations are not sent there. */
const GLOBAL = /^https:\/\/aiplatform\.googleapis\.com\/v1\/(projects\/[^/]+\/locations\/global)$/;
const RANKING_API = "https://discoveryengine.googleapis.com/v1";

/** Discovery Engine API, "rankingConfigs.rank". */
export const VERTEX_RERANK: Codec<RerankForm> = makeWholeCodec({
  fit: leaveOutDocumentTokens,
  encode({ query, documents, resultsMax, extras }, { name }, target) {
    const place = GLOBAL.exec(target.baseUrl)?.[1];
    if (place === undefined) {
      const message = "Vertex AI only reranks documents for a project in the location 'global'.";
      throw new Fault("unsupported_capability", message, { param: "model" });
    }
    const passed = passExtras(extras, [], target);
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
      body: { ...passed.fields, ...body },
      dropped: passed.dropped,
    };
  },
  reply(body, _card, ask) {
    const rows = asArray(asObject(body).records).map((row) => {
      const { id, score } = asObject(row);
      return { index: /^\d+$/.test(asString(id) ?? "") ? Number(id) : undefined, score: asNumber(score) };
    });
    // It reports no usage.
    return rankDocuments(rows, null, ask);
  },
});
