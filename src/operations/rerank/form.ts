// The types of the rerank operation.
import type { OpenAsk } from "../form.ts";
import type { WholeReply, WholeReplyForm } from "../whole-form.ts";

export interface RerankDocument {
  readonly text: string;
  /** The document as sent by the client, to return in the answer. */
  readonly given: unknown;
}

export interface RerankRequest extends OpenAsk {
  readonly query: string;
  /** At least one. */
  readonly documents: readonly RerankDocument[];
  /** The number of results, best first. Missing for all. */
  readonly resultsMax?: number;
  readonly isShowingDocuments: boolean;
  /** Longer documents are cut. Defaults to the model's own limit. */
  readonly documentTokensMax?: number;
}

export interface RankedDocument {
  /** The document's index in the request. */
  readonly index: number;
  /** Most models return 0…1, some any number. */
  readonly score: number;
}

export interface RerankReply extends WholeReply {
  /** Best first. */
  readonly results: readonly RankedDocument[];
}

export type RerankForm = WholeReplyForm<RerankRequest, RerankReply>;
