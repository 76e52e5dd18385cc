// Google's identities as Google's own library asks for them: the gateway's requests are the same.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ExternalAccountClient } from "google-auth-library";
import { loadText, requireSettings } from "../../harness/settings.ts";
import { type Seen, startTokenServer, startTokens } from "./token-server.ts";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const directory = mkdtempSync(join(tmpdir(), "poundkey-google-"));
const file = join(directory, "token");
writeFileSync(file, "subject-token");

const server = await startTokenServer();
beforeEach(() => {
  server.seen.length = 0;
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
});

/** The account's token, for a workload's that has none of its own. */
function impersonate({ path }: Seen) {
  const isLast = path.includes(":generateAccessToken");
  return isLast ? { body: { accessToken: "account-token", expireTime: "2099-01-01T00:00:00Z" } } : null;
}

const credentials = {
  type: "external_account",
  audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/o",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: `${server.origin}/v1/token`,
  credential_source: { file },
};
const acting = `${server.origin}/v1/projects/-/serviceAccounts/gateway@p.iam.gserviceaccount.com:generateAccessToken`;

test.each([
  ["the workload itself", credentials],
  [
    "a service account that the workload acts as",
    { ...credentials, service_account_impersonation_url: acting },
  ],
])("workload identity federation: %s", async (_name, written) => {
  server.answer = impersonate;
  const client = ExternalAccountClient.fromJSON({ ...written, scopes: [SCOPE] });
  const { token } = (await client?.getAccessToken()) ?? {};
  const asked = server.seen.splice(0).map(describeRequest);
  const loaded = loadText("providers: { Vertex: { project: p, workload_identity: /wif.json } }", {
    files: { "/wif.json": JSON.stringify(written) },
  });
  const proof = requireSettings(loaded).providers[0]?.credentials[0]?.proof;
  if (proof?.kind !== "workload_identity") throw new Error("no workload identity");
  const own = await startTokens().tokens.get(proof);
  expect(server.seen.map(describeRequest)).toEqual(asked);
  expect([own.startsWith("token-"), own === "account-token"]).toEqual([
    token?.startsWith("token-") === true,
    token === "account-token",
  ]);
});

/** The token differs, since each request gets another. */
function describeRequest({ method, path, fields, body, headers }: Seen) {
  const proof = String(headers.authorization ?? "").replace(/\d+/, "N");
  return path.includes(":generateAccessToken")
    ? { method, path, scope: JSON.parse(body).scope, proof }
    : { method, path, fields };
}
