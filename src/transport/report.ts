// Reads what an error answer says beyond its meaning, for the operator: the provider's words and its id of the request.

import { cleanWords, type UpstreamReport } from "../core/faults/failure.ts";
import { Fault } from "../core/faults/fault.ts";

/**
 * The headers in which vendors name a request, as their documentation says: OpenAI, Mistral and most others; Anthropic;
 * Amazon; Azure; Cohere and Google's clouds; NVIDIA; Cloudflare, which stands before many.
 */
const REQUEST_ID_HEADERS = [
  "x-request-id",
  "request-id",
  "x-amzn-requestid",
  "apim-request-id",
  "x-ms-request-id",
  "x-goog-request-id",
  "x-debug-trace-id",
  "nvcf-reqid",
  "cf-ray",
] as const;
const REQUEST_ID_SHAPE = /^[\w.:/+=-]{1,128}$/;
/** A proxy before the provider answers with a page, of which the title says what is wrong. */
const TITLE = /<title[^>]*>([^<]{1,200})<\/title>/i;

/** Returns the provider's own id of a request. Null if its answer's headers name none. */
export function readRequestId(headers: Headers): string | null {
  for (const name of REQUEST_ID_HEADERS) {
    const id = headers.get(name);
    if (id !== null) return REQUEST_ID_SHAPE.test(id) ? id : null;
  }
  return null;
}

/** Returns the request's id by the headers, and a page's title if the answer held no message. */
export function readWords(headers: Headers, body: string, { details }: Fault): UpstreamReport {
  const requestId = readRequestId(headers) ?? undefined;
  const said = details.upstream?.message;
  const title = said === undefined ? TITLE.exec(body)?.[1] : undefined;
  return { requestId, message: said ?? (title && cleanWords(title)) };
}

/** Returns the fault with more facts for the operator. */
export function addReport(fault: Fault, report: UpstreamReport): Fault {
  return new Fault(fault.code, fault.message, {
    ...fault.details,
    upstream: { ...fault.details.upstream, ...report },
  });
}

/** The fault of a call that is ended because the provider takes too long. */
export function makeTimeout(): Fault {
  return new Fault("upstream_timeout", "The provider did not answer in time.", {
    upstream: { cause: "timeout: no answer in time" },
  });
}
