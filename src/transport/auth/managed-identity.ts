// Asks Azure for the token of the identity that a machine, a container or an app has.
import { asString } from "../../core/json/json.ts";
import type { ManagedIdentity } from "../../core/models/token-source.ts";
import { askLocally, type FetchedToken, fetchJson, readToken, type TokenExchange } from "./token-http.ts";

const WHY_SILENT =
  "Azure's identity endpoint doesn't answer: does the gateway run in Azure, with a managed identity assigned?";
const MS = 1000;

/** Throws the Faults of `fetchJson`. */
export async function fetchManaged(
  { url, header }: ManagedIdentity,
  exchange: TokenExchange,
): Promise<FetchedToken<string>> {
  const headers: Record<string, string> =
    header === null ? { metadata: "true" } : { "x-identity-header": header };
  const answer = await askLocally(exchange, WHY_SILENT, (local) => fetchJson(local, url, { headers }));
  if (answer.expires_in !== undefined) return readToken(answer);
  // App Service only says until when, in Unix seconds.
  const untilMs = Number(asString(answer.expires_on) ?? answer.expires_on) * MS;
  return readToken({ ...answer, expires_in: (untilMs - exchange.ports.clock.nowMs()) / MS });
}
