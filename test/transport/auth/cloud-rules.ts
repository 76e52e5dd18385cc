// The rules of the clouds' identity endpoints, each with the page that states it. The fake in `fake-clouds.ts` enforces them.
import type { Seen } from "./token-server.ts";

/** A rule that a request breaks, or null. */
export interface CloudRule {
  readonly source: string;
  readonly seen: string;
  readonly refuses: (request: Seen) => { readonly status: number; readonly body: unknown } | null;
}

const EC2 = { source: "Amazon EC2 User Guide, Use the Instance Metadata Service", seen: "2026-11" };
const STS = { source: "AWS STS API Reference 2011-06-15", seen: "2026-11" };
const ENTRA = {
  source: "Microsoft identity platform, OAuth 2.0 client credentials flow, federated credential",
  seen: "2026-11",
};
const IMDS = {
  source: "Microsoft Entra, How to use managed identities on an Azure VM to acquire an access token",
  seen: "2026-11",
};
const APP = { source: "Azure App Service, Managed identities, REST endpoint reference", seen: "2026-11" };
const GCE = { source: "Compute Engine, About VM metadata, Parts of a metadata request", seen: "2026-11" };

const header = ({ headers }: Seen, name: string): string => String(headers[name] ?? "");
const query = ({ path }: Seen): URLSearchParams => new URL(path, "http://fake").searchParams;
const xml = (status: number, code: string) => ({
  status,
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>secret words</Message></Error></ErrorResponse>`,
});
const oauth = (status: number, error: string, description: string) => ({
  status,
  body: { error, error_description: description },
});

export const TOKEN_OF_IMDS = "imds-token";
/** The names and secrets by which the clouds know the gateway. */
export const KNOWN = {
  roleArn: "arn:aws:iam::123456789012:role/gateway",
  otherArn: "arn:aws:iam::999999999999:role/models",
  externalId: "agreed-word",
  subject: "eyJhbGciOiJSUzI1NiJ9.subject.signature",
  tenant: "11111111-2222-3333-4444-555555555555",
  client: "66666666-7777-8888-9999-000000000000",
  appHeader: "secret-of-the-app",
  resource: "https://cognitiveservices.azure.com",
} as const;

const ARN = /^arn:aws:iam::\d{12}:role\/[\w+=,.@/-]+$/;
const NAME = /^[\w+=,.@-]{2,64}$/;
const TTL_MAX = 21_600;

/** By the beginning of the path. A request is refused by the first rule that it breaks. */
export const CLOUD_RULES: Readonly<Record<string, readonly CloudRule[]>> = {
  "/latest/api/token": [
    { ...EC2, refuses: ({ method }) => (method === "PUT" ? null : { status: 405, body: "" }) },
    {
      ...EC2,
      refuses(request) {
        const seconds = Number(header(request, "x-aws-ec2-metadata-token-ttl-seconds"));
        return seconds >= 1 && seconds <= TTL_MAX ? null : { status: 400, body: "" };
      },
    },
    {
      ...EC2,
      refuses: (request) => (header(request, "x-forwarded-for") === "" ? null : { status: 403, body: "" }),
    },
  ],
  "/latest/meta-data/": [
    {
      ...EC2,
      refuses: (request) =>
        header(request, "x-aws-ec2-metadata-token") === TOKEN_OF_IMDS ? null : { status: 401, body: "" },
    },
  ],
  "/sts": [
    { ...STS, refuses: ({ method }) => (method === "POST" ? null : xml(405, "MethodNotAllowed")) },
    { ...STS, refuses: ({ fields }) => (fields.Version === "2011-06-15" ? null : xml(400, "InvalidAction")) },
    {
      ...STS,
      refuses: ({ fields }) =>
        ARN.test(fields.RoleArn ?? "") && NAME.test(fields.RoleSessionName ?? "")
          ? null
          : xml(400, "ValidationError"),
    },
    {
      ...STS,
      refuses: ({ fields }) =>
        fields.Action !== "AssumeRoleWithWebIdentity" || fields.WebIdentityToken === KNOWN.subject
          ? null
          : xml(400, "InvalidIdentityToken"),
    },
    {
      ...STS,
      refuses: ({ fields }) =>
        fields.Action !== "AssumeRole" || fields.ExternalId === KNOWN.externalId
          ? null
          : xml(403, "AccessDenied"),
    },
  ],
  "/entra": [
    {
      ...ENTRA,
      refuses: ({ method, path }) =>
        method === "POST" && path.split("?")[0] === `/entra/${KNOWN.tenant}/oauth2/v2.0/token`
          ? null
          : oauth(400, "invalid_request", "AADSTS90002: Tenant not found."),
    },
    {
      ...ENTRA,
      refuses: ({ fields }) =>
        fields.grant_type === "client_credentials" && fields.scope === `${KNOWN.resource}/.default`
          ? null
          : oauth(400, "invalid_scope", "AADSTS70011: The scope is not valid."),
    },
    {
      ...ENTRA,
      refuses: ({ fields }) =>
        fields.client_id === KNOWN.client
          ? null
          : oauth(401, "unauthorized_client", "AADSTS700016: Application not found."),
    },
    {
      ...ENTRA,
      refuses: ({ fields }) =>
        fields.client_assertion_type === "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" &&
        fields.client_assertion === KNOWN.subject
          ? null
          : oauth(401, "invalid_client", "AADSTS700213: No matching federated identity record: secret."),
    },
  ],
  "/metadata/identity/oauth2/token": [
    {
      ...IMDS,
      refuses: (request) =>
        header(request, "metadata") === "true" && request.method === "GET"
          ? null
          : oauth(400, "bad_request_102", "Required metadata header not specified"),
    },
    {
      ...IMDS,
      refuses: (request) =>
        query(request).get("api-version") === "2018-02-01" &&
        query(request).get("resource") === KNOWN.resource
          ? null
          : oauth(400, "invalid_resource", "AADSTS50001: The application named was not found."),
    },
    {
      ...IMDS,
      refuses: (request) =>
        (query(request).get("client_id") ?? KNOWN.client) === KNOWN.client
          ? null
          : oauth(400, "invalid_request", "Identity not found"),
    },
  ],
  "/msi/token": [
    {
      ...APP,
      refuses: (request) =>
        header(request, "x-identity-header") === KNOWN.appHeader ? null : { status: 401, body: "" },
    },
    {
      ...APP,
      refuses: (request) =>
        query(request).get("api-version") === "2019-08-01" &&
        query(request).get("resource") === KNOWN.resource
          ? null
          : { status: 400, body: "" },
    },
  ],
  "/computeMetadata/": [
    {
      ...GCE,
      refuses: (request) =>
        header(request, "metadata-flavor") === "Google" ? null : { status: 403, body: "" },
    },
  ],
};
