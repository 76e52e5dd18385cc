// Configurations of clouds for tests: key files, variables, and reading a text with them.
import type { LoadResult } from "../../src/config/load.ts";
import type { ProviderSetup, Settings } from "../../src/core/settings.ts";
import { loadText, requireSettings } from "../harness/settings.ts";
import { KEYS } from "../transport/auth/token-server.ts";

export type Env = Readonly<Record<string, string>>;

export const SERVICE_ACCOUNT = {
  type: "service_account",
  project_id: "of-the-file",
  private_key_id: "key-1",
  private_key: KEYS.privateKey,
  client_email: "gateway@of-the-file.iam.example",
};
export const LOGIN = {
  type: "authorized_user",
  client_id: "c",
  client_secret: "s3cret",
  refresh_token: "r3fresh",
};
export const WORKLOAD = {
  type: "external_account",
  audience: "//iam.example/p",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: "https://sts.example/v1/token",
  credential_source: { file: "/run/token", format: { type: "json", subject_token_field_name: "t" } },
};
const FILES: Readonly<Record<string, string>> = {
  "/sa.json": JSON.stringify(SERVICE_ACCOUNT, null, 2),
  "/login.json": JSON.stringify(LOGIN),
  "/workload.json": JSON.stringify(WORKLOAD),
  "/key.pem": KEYS.privateKey,
};

export function load(text: string | null, env: Env = {}): LoadResult {
  return loadText(text, { env, files: FILES });
}

export function read(text: string | null, env: Env = {}): Settings {
  return requireSettings(load(text, env));
}

export function readProvider(fields: string, env: Env = {}): ProviderSetup | undefined {
  return read(`providers: { ${fields} }`, env).providers[0];
}
