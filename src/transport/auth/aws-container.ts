// Requests the keys of a container's role from its agent (AWS SDKs, "Container credential provider").
import type { AwsContainer } from "../../core/models/token-source.ts";
import { type AwsKeys, readKeys } from "./aws-key-answer.ts";
import {
  askLocally,
  type FetchedToken,
  fetchJson,
  makeCredentialFault,
  type TokenExchange,
  type TokenRequestPorts,
} from "./token-http.ts";

const AUTHORIZATION = /^[\x20-\x7e]{1,16384}$/;
const WHY_SILENT = "the container's credential agent doesn't answer: does the task or the pod have a role?";

export async function fetchContainerKeys(
  source: AwsContainer,
  exchange: TokenExchange,
): Promise<FetchedToken<AwsKeys>> {
  const { ports } = exchange;
  const authorization = await readAuthorization(source, ports);
  const headers = { accept: "application/json", ...(authorization === null ? {} : { authorization }) };
  const answer = await askLocally(exchange, WHY_SILENT, (local) => fetchJson(local, source.url, { headers }));
  return readKeys(answer, ports.clock.nowMs());
}

/** The platform replaces the file's content at run time. A token may be two words, as `Basic …`. */
async function readAuthorization(
  { authorization }: AwsContainer,
  ports: TokenRequestPorts,
): Promise<string | null> {
  if (authorization === null) return null;
  if ("value" in authorization) return authorization.value;
  const text = (await ports.readFile(authorization.file).catch(() => "")).trim();
  if (!AUTHORIZATION.test(text)) throw makeCredentialFault("the token file has no token");
  return text;
}
