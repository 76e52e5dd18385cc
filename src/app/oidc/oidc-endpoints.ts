// The addresses that an issuer names in its description: browsers and secrets are sent to them.
import { isLoopbackHost } from "../../core/world/address.ts";
import { IssuerSilent } from "../../people/issuer.ts";

const ENDPOINTS = [
  "authorization_endpoint",
  "token_endpoint",
  "userinfo_endpoint",
  "jwks_uri",
  "end_session_endpoint",
] as const;

/** Throws an `IssuerSilent` unless each is an address of https, or of http on this machine. */
export function requireEndpoints(metadata: Readonly<Record<string, unknown>>): void {
  for (const name of ENDPOINTS) {
    const address = metadata[name];
    if (address === undefined || isSafe(address)) continue;
    throw new IssuerSilent(`its '${name}' is no address of https`, false);
  }
}

function isSafe(address: unknown): boolean {
  const url = typeof address === "string" ? URL.parse(address) : null;
  if (url === null) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
}
