// The identity endpoints of the clouds on one port: they refuse what breaks a rule, and give numbered keys and tokens.
import { SignatureV4 } from "@smithy/signature-v4";
import { CLOUD_RULES, KNOWN, TOKEN_OF_IMDS } from "./cloud-rules.ts";
import { Sha256 } from "./sha256.ts";
import { type Seen, startTokenServer, type TokenServer } from "./token-server.ts";

const ROLES = "/latest/meta-data/iam/security-credentials/";
const REGION = "eu-west-1";

interface FakeClouds extends TokenServer {
  /** The lifetime of the next keys and tokens. */
  lifetimeMs: number;
  /** The keys that were given out, by their id. */
  readonly given: Map<string, { readonly secret: string; readonly session: string }>;
}

/** `nowMs` is the clock by which keys expire. */
export async function startClouds(nowMs: () => number): Promise<FakeClouds> {
  const server = await startTokenServer();
  const clouds: FakeClouds = Object.assign(server, { lifetimeMs: 3_600_000, given: new Map() });
  const giveKeys = () => {
    const number = clouds.given.size + 1;
    const keys = { secret: `secret-${number}`, session: `session-${number}` };
    clouds.given.set(`ASIAOFTHETESTS${number}`, keys);
    const Expiration = new Date(nowMs() + clouds.lifetimeMs).toISOString();
    return { id: `ASIAOFTHETESTS${number}`, ...keys, Expiration };
  };
  const answerSts = async (request: Seen) => {
    const isSigned = request.fields.Action !== "AssumeRole" || (await isSignedWell(request, clouds));
    if (!isSigned)
      return {
        status: 403,
        body: "<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code></Error></ErrorResponse>",
      };
    const { id, secret, session, Expiration } = giveKeys();
    const fields = `<AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey>`;
    const rest = `<SessionToken>${session}</SessionToken><Expiration>${Expiration}</Expiration>`;
    const action = request.fields.Action;
    const result = `<${action}Result><Credentials>${fields}${rest}</Credentials></${action}Result>`;
    return { body: `<${action}Response>${result}</${action}Response>` };
  };
  let tokens = 0;
  const giveToken = () => ({ access_token: `token-${++tokens}`, token_type: "Bearer" });
  server.answer = (request) => {
    const found = Object.entries(CLOUD_RULES).find(([path]) => request.path.startsWith(path));
    if (found === undefined) return { status: 404, body: "" };
    for (const rule of found[1]) {
      const refusal = rule.refuses(request);
      if (refusal !== null) return refusal;
    }
    const seconds = clouds.lifetimeMs / 1000;
    switch (found[0]) {
      case "/latest/api/token":
        return { body: TOKEN_OF_IMDS };
      case "/latest/meta-data/": {
        if (request.path === ROLES) return { body: "gateway-role" };
        if (request.path !== `${ROLES}gateway-role`) return { status: 404, body: "" };
        const { id, secret, session, Expiration } = giveKeys();
        const keys = { AccessKeyId: id, SecretAccessKey: secret, Token: session, Expiration };
        return { body: { Code: "Success", Type: "AWS-HMAC", ...keys } };
      }
      case "/sts":
        return answerSts(request);
      case "/msi/token": {
        const until = Math.floor((nowMs() + clouds.lifetimeMs) / 1000);
        return { body: { ...giveToken(), expires_on: String(until), resource: KNOWN.resource } };
      }
      case "/metadata/identity/oauth2/token":
        return { body: { ...giveToken(), expires_in: String(seconds), resource: KNOWN.resource } };
      default:
        return { body: { ...giveToken(), expires_in: seconds } };
    }
  };
  return clouds;
}

const SIGNED = /Credential=([^/]+)\/.*SignedHeaders=([^,]+), Signature=([0-9a-f]{64})/;

/** Signs the request again as AWS's own library does, and compares. */
async function isSignedWell({ headers, path, body }: Seen, { given }: FakeClouds): Promise<boolean> {
  const [, id = "", names = "", signature = ""] = SIGNED.exec(String(headers.authorization)) ?? [];
  const keys = given.get(id);
  if (keys === undefined || headers["x-amz-security-token"] !== keys.session) return false;
  const signer = new SignatureV4({
    credentials: { accessKeyId: id, secretAccessKey: keys.secret },
    region: REGION,
    service: "sts",
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const date = String(headers["x-amz-date"]);
  const at = new Date(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  const signed = names.split(";").map((name) => [name, String(headers[name])] as const);
  const host = String(headers.host);
  const request = {
    method: "POST",
    protocol: "http:",
    hostname: host,
    path,
    body,
    headers: Object.fromEntries(signed),
  };
  const again = await signer.sign(request, { signingDate: at });
  return String(again.headers.authorization).endsWith(`Signature=${signature}`);
}
