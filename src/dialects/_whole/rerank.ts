// Rerank in the form that Cohere and Jina made common (their API references, `/rerank`), with the differences between servers.

import { malformed } from "../../core/faults/malformed.ts";
import { asArray, asCount, asNumber, asObject, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { NO_AMOUNTS } from "../../core/money/units.ts";
import type { Codec } from "../../operations/codec.ts";
import type { ChangedAsk } from "../../operations/form.ts";
import { leaveOut } from "../../operations/leave-out.ts";
import type { RankedDocument, RerankForm, RerankReply, RerankRequest } from "../../operations/rerank/form.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import type { WorkUsage } from "../../operations/whole-form.ts";
import { makeCall, passExtras } from "../_chat/outgoing.ts";

interface RerankQuirks {
  /** The field for the number of results. */
  readonly resultsField: string;
  /** The field for the maximum length of a document. Missing if there is none. */
  readonly documentTokensField?: string;
  /** True if it returns the documents unless the request refuses them. They are added back here. */
  readonly echoes?: boolean;
  /** Fields outside the form that the server documents. The rest are left out and named. */
  readonly passes: readonly string[];
}

export function makeRerank(quirks: RerankQuirks): Codec<RerankForm> {
  return makeWholeCodec({
    fit: (ask) => (quirks.documentTokensField ? { ask, dropped: [] } : leaveOutDocumentTokens(ask)),
    encode({ query, documents, resultsMax, documentTokensMax, extras }, card, target) {
      const { fields, dropped } = passExtras(extras, quirks.passes, target);
      const body: JsonObject = {
        ...fields,
        model: card.name,
        query,
        documents: documents.map(({ text }) => text),
      };
      if (resultsMax !== undefined) body[quirks.resultsField] = Math.min(resultsMax, documents.length);
      if (quirks.echoes) body.return_documents = false;
      if (quirks.documentTokensField) body[quirks.documentTokensField] = documentTokensMax;
      return makeCall(target, "/rerank", body, dropped);
    },
    reply: readRerank,
  });
}

/** Leaves out the length to which documents are cut: most servers have no field for it. */
export function leaveOutDocumentTokens(ask: RerankRequest): ChangedAsk<RerankRequest> {
  return leaveOut(ask, [["documentTokensMax", "max_tokens_per_doc"]]);
}

/** Reads `results` (Voyage: `data`). Throws the same Faults as `rankDocuments`. */
export function readRerank(body: unknown, card: ModelCard, ask: RerankRequest): RerankReply {
  const { results, data, usage, meta } = asObject(body);
  const rows = asArray(results ?? data).map((row) => {
    const { index, relevance_score, score } = asObject(row);
    return { index: asNumber(index), score: asNumber(relevance_score) ?? asNumber(score) };
  });
  return rankDocuments(rows, readRerankUsage(asObject(usage), asObject(meta), card), ask);
}

interface Row {
  readonly index: number | undefined;
  readonly score: number | undefined;
}

/** Puts the best first. Throws a Fault if a result's document wasn't sent or appears twice. */
export function rankDocuments(
  rows: readonly Row[],
  usage: WorkUsage | null,
  ask: RerankRequest,
): RerankReply {
  const seen = new Set<number>();
  const ranked = rows.map(({ index = -1, score }): RankedDocument => {
    if (score === undefined || !ask.documents[index] || seen.has(index))
      throw malformed("a result refers to no document");
    seen.add(index);
    return { index, score };
  });
  if (ranked.length === 0) throw malformed("no results");
  const best = ranked.toSorted((one, other) => other.score - one.score).slice(0, ask.resultsMax);
  return { results: best, usage };
}

/** Returns null if the unit that the card is priced by is missing. Usage is then estimated. */
export function readRerankUsage(usage: JsonObject, meta: JsonObject, { price }: ModelCard): WorkUsage | null {
  const billed = asObject(meta.billed_units);
  const units = asNumber(billed.search_units) ?? asNumber(usage.search_units);
  const tokens =
    asNumber(usage.prompt_tokens) ?? asNumber(usage.total_tokens) ?? asNumber(billed.input_tokens);
  const isLacking =
    (units === undefined && (price?.perSearchUnit ?? 0) > 0) ||
    (tokens === undefined && (price?.input ?? 0) > 0);
  if (isLacking || (units === undefined && tokens === undefined)) return null;
  return { amounts: { ...NO_AMOUNTS, prompt: asCount(tokens), searchUnits: asCount(units) } };
}
