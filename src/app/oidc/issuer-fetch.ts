// Requests to the company's identity provider, whose answers are read up to a bound.
import type { CustomFetchOptions } from "openid-client";
import type { NetworkRules } from "../../core/world/network.ts";
import { applyNetwork } from "../../transport/network.ts";
import { boundAnswers } from "../../transport/short-text.ts";

const BYTES_MAX = 1_048_576;

/** As the libraries make it. */
interface IssuerRequest extends Omit<RequestInit, "body"> {
  readonly body?: CustomFetchOptions["body"];
}

/** For the libraries, which would read an answer without end. */
export function makeIssuerFetch({ network }: { readonly network?: NetworkRules }) {
  const send = (url: string, { body, ...init }: IssuerRequest): Promise<Response> => {
    const sent = { ...init, network, body: body instanceof Uint8Array ? Buffer.from(body) : body };
    return fetch(url, applyNetwork(url, sent));
  };
  return boundAnswers(send, BYTES_MAX);
}
