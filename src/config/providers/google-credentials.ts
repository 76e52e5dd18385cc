// Reads Google's credentials from the text of a key file: a service account's, a user's login, or a workload's own token.
import { createPrivateKey } from "node:crypto";
import { asObject, asString, isObject, type JsonObject, parseJson } from "../../core/json/json.ts";
import type { TokenSource } from "../../core/models/token-source.ts";
import { parseBaseUrl } from "../units.ts";

type GoogleCredentials =
  | { readonly ok: true; readonly source: TokenSource; readonly project: string | null }
  /** The message contains nothing from the file except the names of its fields. */
  | { readonly ok: false; readonly message: string };

/** Google's own variable for the metadata server's host can override this. */
export const METADATA_HOST = "metadata.google.internal";
const METADATA_PATH = "/computeMetadata/v1/instance/service-accounts/default/token";
const TOKEN_URL = "https://oauth2.googleapis.com/token";

export function makeMetadataSource(host: string): TokenSource {
  return { kind: "metadata", url: `http://${host}${METADATA_PATH}` };
}

/** Google Cloud, "Application Default Credentials": the types of the file, and its fields. */
export function parseGoogleCredentials(text: string): GoogleCredentials {
  const file = parseJson(text);
  if (!isObject(file)) return refuse("this is not a key file in JSON");
  const project = asString(file.project_id) ?? asString(file.quota_project_id) ?? null;
  const read = READERS.get(asString(file.type) ?? "");
  if (!read) return refuse(`the key file's type must be one of ${[...READERS.keys()].join(", ")}`);
  const source = read(file);
  return typeof source === "string" ? refuse(source) : { ok: true, source, project };
}

function refuse(message: string): GoogleCredentials {
  return { ok: false, message };
}

/** Returns how to get a token, or what is wrong with the file. */
type ReadSource = (file: JsonObject) => TokenSource | string;

const READERS: ReadonlyMap<string, ReadSource> = new Map([
  ["service_account", readServiceAccount],
  ["authorized_user", readLogin],
  ["external_account", readWorkload],
]);

function readServiceAccount(file: JsonObject): TokenSource | string {
  const email = asString(file.client_email);
  const privateKey = asString(file.private_key);
  const tokenUrl = readAddress(file.token_uri ?? TOKEN_URL);
  if (!email) return "the key file has no client_email";
  if (!privateKey || !isPrivateKey(privateKey)) return "the key file's private_key is not an RSA key in PEM";
  if (!tokenUrl) return "the key file's token_uri is not a valid URL";
  return {
    kind: "service_account",
    tokenUrl,
    email,
    privateKey,
    keyId: asString(file.private_key_id) ?? null,
  };
}

function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}

function readLogin(file: JsonObject): TokenSource | string {
  const clientId = asString(file.client_id);
  const clientSecret = asString(file.client_secret);
  const refreshToken = asString(file.refresh_token);
  const tokenUrl = readAddress(file.token_uri ?? TOKEN_URL);
  if (!clientId || !clientSecret || !refreshToken)
    return "the key file must have client_id, client_secret and refresh_token";
  if (!tokenUrl) return "the key file's token_uri is not a valid URL";
  return { kind: "refresh_token", tokenUrl, clientId, clientSecret, refreshToken };
}

/** Tokens from a URL or a program are not supported, because the file alone would then decide what is called or run. */
function readWorkload(file: JsonObject): TokenSource | string {
  const { file: path, format } = asObject(file.credential_source);
  const audience = asString(file.audience);
  const subjectTokenType = asString(file.subject_token_type);
  const tokenUrl = readAddress(file.token_url);
  const { service_account_impersonation_url: acting } = file;
  const impersonationUrl = acting === undefined ? null : readAddress(acting);
  if (!asString(path)) return "the key file's credential_source must name a file: others are not supported";
  if (!audience || !subjectTokenType) return "the key file must have audience and subject_token_type";
  if (!tokenUrl) return "the key file's token_url is not a valid URL";
  if (acting !== undefined && impersonationUrl === null)
    return "the key file's service_account_impersonation_url is not a valid URL";
  const { type, subject_token_field_name: field } = asObject(format);
  return {
    kind: "workload_identity",
    tokenUrl,
    audience,
    subjectTokenType,
    file: asString(path) ?? "",
    field: type === "json" ? (asString(field) ?? "access_token") : null,
    impersonationUrl,
  };
}

function readAddress(value: unknown): string | null {
  const text = asString(value);
  return text === undefined ? null : parseBaseUrl(text);
}
