// Fetches the short-lived keys of a role, from each kind of source.
import type { AwsKeySource, AwsRoleSource } from "../../core/models/token-source.ts";
import { assumeRole } from "./aws-assumed-role.ts";
import { fetchContainerKeys } from "./aws-container.ts";
import { fetchInstanceKeys } from "./aws-instance.ts";
import type { AwsKeys } from "./aws-key-answer.ts";
import { fetchWebIdentityKeys } from "./aws-web-identity.ts";
import type { FetchedToken, TokenExchange, TokenRequestPorts } from "./token-http.ts";

/**
 * Fetches keys. Throws the Fault `upstream_auth` if the source refuses, and `upstream_error` if they can't be obtained.
 * Neither contains an address or anything that was sent.
 */
export async function fetchKeys(
  source: AwsKeySource,
  ports: TokenRequestPorts,
  signal: AbortSignal,
): Promise<FetchedToken<AwsKeys>> {
  const network = "network" in source ? source.network : undefined;
  const exchange = { ports, signal, network };
  if (source.kind !== "aws_assumed_role") return fetchRoleKeys(source, exchange);
  const { base } = source;
  const own = base.kind === "aws" ? base : (await fetchRoleKeys(base, exchange)).value;
  return assumeRole(source, own, exchange);
}

function fetchRoleKeys(source: AwsRoleSource, exchange: TokenExchange): Promise<FetchedToken<AwsKeys>> {
  switch (source.kind) {
    case "aws_container":
      return fetchContainerKeys(source, exchange);
    case "aws_instance":
      return fetchInstanceKeys(source, exchange);
    case "aws_web_identity":
      return fetchWebIdentityKeys(source, exchange);
  }
}
