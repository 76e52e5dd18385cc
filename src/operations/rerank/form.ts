// The types of the rerank operation.
import type { JsonObject } from "../../core/json.ts";
import type { Ask } from "../form.ts";
import type { FormOf, WholeReply } from "../whole-form.ts";

export interface RerankDocument {
  readonly text: string;
  /** The document as the client sent it, for an answer that shows it. */
  readonly given: unknown;
}

export interface RerankRequest extends Ask {
  readonly query: string;
  /** At least one. */
  readonly documents: readonly RerankDocument[];
  /** The number of results, the best first; left out: all. */
  readonly resultsMax?: number;
  readonly isShowingDocuments: boolean;
  /** Longer documents are cut; left out: the model's own limit. */
  readonly documentTokensMax?: number;
  /** The client's other fields, for servers that know them. */
  readonly extras: Readonly<JsonObject>;
}

export interface RankedDocument {
  /** The document's place in the request. */
  readonly index: number;
  /** Most models give 0…1, some any number. */
  readonly score: number;
}

export interface RerankReply extends WholeReply {
  /** The best first. */
  readonly results: readonly RankedDocument[];
}

export type RerankForm = FormOf<RerankRequest, RerankReply>;
