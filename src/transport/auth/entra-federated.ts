// Exchanges the token that a cluster gives its workload for one of Entra's.
import type { FederatedApplication } from "../../core/models/token-source.ts";
import { type FetchedToken, fetchJson, readToken, readTokenFile, type TokenExchange } from "./token-http.ts";

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Throws the Faults of `fetchJson`, and `upstream_auth` if the file has no token. */
export async function fetchFederated(
  { tokenUrl, clientId, file, scope }: FederatedApplication,
  exchange: TokenExchange,
): Promise<FetchedToken<string>> {
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientId,
    scope,
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: await readTokenFile(exchange.ports, file),
  });
  return readToken(await fetchJson(exchange, tokenUrl, { method: "POST", body }));
}
