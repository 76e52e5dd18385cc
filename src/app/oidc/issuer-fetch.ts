// Requests to the company's identity provider, whose answers are read up to a bound.
import { boundAnswers } from "../../transport/short-text.ts";

const BYTES_MAX = 1_048_576;

/** For the libraries, which would read an answer without end. */
export const fetchFromIssuer = boundAnswers((url: string, init: RequestInit) => fetch(url, init), BYTES_MAX);
