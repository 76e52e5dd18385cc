// Reads the keys of an EC2 instance's role from its metadata service, whose first version, without tokens, isn't used.
import { asObject, asString, parseJson } from "../../core/json/json.ts";
import type { AwsInstance } from "../../core/models/token-source.ts";
import { type AwsKeys, readKeys } from "./aws-key-answer.ts";
import {
  askLocally,
  type FetchedToken,
  fetchAnswer,
  isSuccess,
  makeCredentialFault,
  makeRefusal,
  type TokenExchange,
} from "./token-http.ts";

const WHY_SILENT =
  "the instance's metadata service doesn't answer: is this an EC2 instance, and its hop limit 2 if the gateway runs in a container?";
const NO_ROLE = "the instance has no role";
/** The most that EC2 allows is six hours. The token is used at once. */
const TOKEN_SECONDS = "60";
const TOKEN_HEADER = "x-aws-ec2-metadata-token";
const ROLES = "/latest/meta-data/iam/security-credentials/";
/** IAM, "Quotas": the characters of a role's name. */
const ROLE = /^[\w+=,.@-]{1,64}$/;
const NOT_FOUND = 404;

export async function fetchInstanceKeys(
  { origin }: AwsInstance,
  exchange: TokenExchange,
): Promise<FetchedToken<AwsKeys>> {
  const text = await askLocally(exchange, WHY_SILENT, async (local) => {
    const token = await read(local, `${origin}/latest/api/token`, {
      method: "PUT",
      headers: { "x-aws-ec2-metadata-token-ttl-seconds": TOKEN_SECONDS },
    });
    const headers = { [TOKEN_HEADER]: token.trim() };
    const [role = ""] = (await read(local, origin + ROLES, { headers })).trim().split("\n");
    if (!ROLE.test(role)) throw makeCredentialFault(NO_ROLE);
    return read(local, origin + ROLES + role, { headers });
  });
  const answer = asObject(parseJson(text));
  // The service answers with 200 and a code of its own while it can't assume the role.
  const code = asString(answer.Code) ?? "Success";
  if (code !== "Success") throw makeCredentialFault("the instance's role can't be assumed");
  return readKeys(answer, exchange.ports.clock.nowMs());
}

async function read(local: TokenExchange, url: string, init: RequestInit): Promise<string> {
  const { status, text } = await fetchAnswer(local, url, init);
  if (isSuccess(status)) return text;
  throw status === NOT_FOUND ? makeCredentialFault(NO_ROLE) : makeRefusal(status, []);
}
