// Requests to the company's identity provider, whose answers are read up to a bound.
import type { CustomFetchOptions } from "openid-client";
import { boundAnswers } from "../../transport/short-text.ts";

const BYTES_MAX = 1_048_576;

/** As the libraries make it. */
interface IssuerRequest extends Omit<RequestInit, "body"> {
  readonly body?: CustomFetchOptions["body"];
}

function send(url: string, { body, ...init }: IssuerRequest): Promise<Response> {
  return fetch(url, { ...init, body: body instanceof Uint8Array ? Buffer.from(body) : body });
}

/** For the libraries, which would read an answer without end. */
export const fetchFromIssuer = boundAnswers(send, BYTES_MAX);
