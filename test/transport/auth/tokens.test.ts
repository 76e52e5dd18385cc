// Access tokens against a real token endpoint: its requests, their number, and refusals.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { createVerify } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "../../../src/core/faults/fault.ts";
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import type { ServiceAccount, TokenSource, WorkloadIdentity } from "../../../src/core/models/token-source.ts";
import { until } from "../../whole/world/until.ts";
import { KEYS, startTokenServer, startTokens } from "./token-server.ts";

const GOOGLE_SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const MINUTE_MS = 60_000;
const directory = mkdtempSync(join(tmpdir(), "poundkey-tokens-"));
const file = join(directory, "token");

const server = await startTokenServer();
beforeEach(() => {
  server.seen.length = 0;
  server.answer = null;
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
});

const account = (): ServiceAccount => ({
  kind: "service_account",
  tokenUrl: `${server.origin}/token`,
  email: "gateway@project.iam.example",
  privateKey: KEYS.privateKey,
  keyId: "key-1",
});
const entra = (): TokenSource => ({
  kind: "client_credentials",
  tokenUrl: `${server.origin}/tenant/oauth2/v2.0/token`,
  clientId: "client",
  clientSecret: "secret of the client",
  scope: "https://cognitiveservices.azure.com/.default",
});
const workload = (more: Partial<WorkloadIdentity> = {}): WorkloadIdentity => ({
  kind: "workload_identity",
  tokenUrl: `${server.origin}/sts`,
  audience: "//iam.googleapis.com/projects/1/providers/p",
  subjectTokenType: "urn:ietf:params:oauth:token-type:jwt",
  file,
  field: null,
  impersonationUrl: null,
  ...more,
});

describe("token requests", () => {
  test("a service account signs a claim that its public key verifies", async () => {
    const { tokens, startMs } = startTokens();
    expect(await tokens.get(account())).toMatch(/^token-\d+$/);
    const [seen] = server.seen;
    expect(seen?.fields.grant_type).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    const [header = "", claims = "", signature = ""] = (seen?.fields.assertion ?? "").split(".");
    const read = (part: string) => asObject(parseJson(Buffer.from(part, "base64url").toString()));
    expect(read(header)).toEqual({ alg: "RS256", typ: "JWT", kid: "key-1" });
    expect(read(claims)).toEqual({
      iss: "gateway@project.iam.example",
      scope: GOOGLE_SCOPE,
      aud: `${server.origin}/token`,
      iat: startMs / 1000,
      exp: startMs / 1000 + 3600,
    });
    const verify = createVerify("RSA-SHA256").update(`${header}.${claims}`);
    expect(verify.verify(KEYS.publicKey, signature, "base64url")).toBe(true);
  });

  test("Entra receives the client secret in a form", async () => {
    await startTokens().tokens.get(entra());
    expect(server.seen[0]).toMatchObject({
      method: "POST",
      path: "/tenant/oauth2/v2.0/token",
      fields: {
        grant_type: "client_credentials",
        client_id: "client",
        client_secret: "secret of the client",
        scope: "https://cognitiveservices.azure.com/.default",
      },
    });
  });

  test("a user's login is renewed by its refresh token", async () => {
    const login = { clientId: "c", clientSecret: "s", refreshToken: "r", tokenUrl: `${server.origin}/token` };
    await startTokens().tokens.get({ kind: "refresh_token", ...login });
    const fields = { grant_type: "refresh_token", client_id: "c", client_secret: "s", refresh_token: "r" };
    expect(server.seen[0]?.fields).toEqual(fields);
  });

  test("the metadata server receives its required header", async () => {
    await startTokens().tokens.get({ kind: "metadata", url: `${server.origin}/computeMetadata/v1/token` });
    expect(server.seen[0]).toMatchObject({ method: "GET", path: "/computeMetadata/v1/token" });
    expect(server.seen[0]?.headers["metadata-flavor"]).toBe("Google");
  });

  test("a workload's token is read again for each exchange", async () => {
    writeFileSync(file, "subject-1\n");
    const { tokens } = startTokens();
    const source = workload();
    const first = await tokens.get(source);
    expect(server.seen[0]?.fields).toEqual({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      audience: "//iam.googleapis.com/projects/1/providers/p",
      scope: GOOGLE_SCOPE,
      requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      subject_token: "subject-1",
    });
    writeFileSync(file, "subject-2");
    tokens.refuse(source, first);
    expect(await tokens.get(source)).not.toBe(first);
    expect(server.seen[1]?.fields.subject_token).toBe("subject-2");
  });

  test("a workload impersonates the configured service account until the token expires", async () => {
    writeFileSync(file, JSON.stringify({ id_token: "subject" }));
    const { tokens, pass, startMs } = startTokens();
    const endsAt = new Date(startMs + 10 * MINUTE_MS).toISOString();
    server.answer = ({ path }) =>
      path === "/impersonate"
        ? { body: { accessToken: `as-${server.seen.length}`, expireTime: endsAt } }
        : null;
    const source = workload({ field: "id_token", impersonationUrl: `${server.origin}/impersonate` });
    expect(await tokens.get(source)).toBe("as-2");
    expect(server.seen[0]?.fields.subject_token).toBe("subject");
    expect(server.seen[1]?.headers.authorization).toMatch(/^Bearer token-\d+$/);
    expect(parseJson(server.seen[1]?.body ?? "")).toEqual({ scope: [GOOGLE_SCOPE] });
    pass(4 * MINUTE_MS);
    expect(await tokens.get(source)).toBe("as-2");
    expect(server.seen).toHaveLength(2);
  });
});

describe("token renewal", () => {
  test("twenty concurrent calls share one token request", async () => {
    const { tokens } = startTokens();
    const source = account();
    server.hold();
    const waiting = Array.from({ length: 20 }, () => tokens.get(source));
    server.release();
    expect(new Set(await Promise.all(waiting)).size).toBe(1);
    expect(server.seen).toHaveLength(1);
  });

  test("a token is renewed once, five minutes before it expires, while calls use the old one", async () => {
    const { tokens, pass } = startTokens();
    const source = account();
    const first = await tokens.get(source);
    pass(54 * MINUTE_MS);
    expect(await tokens.get(source)).toBe(first);
    expect(server.seen).toHaveLength(1);
    pass(2 * MINUTE_MS);
    server.hold();
    const during = await Promise.all([tokens.get(source), tokens.get(source)]);
    expect(during).toEqual([first, first]);
    server.release();
    const next = await until("the next token", async () => {
      const token = await tokens.get(source);
      return token === first ? null : token;
    });
    pass(50 * MINUTE_MS);
    expect(await tokens.get(source)).toBe(next);
    expect(server.seen).toHaveLength(2);
  });

  test("a failed renewal is retried while the old token stays in use until it expires", async () => {
    const { tokens, pass } = startTokens();
    const source = account();
    const first = await tokens.get(source);
    server.answer = () => ({ status: 503, body: "down" });
    for (const [at, minutes] of [57, 1, 1].entries()) {
      pass(minutes * MINUTE_MS);
      await until("another request", async () => {
        expect(await tokens.get(source)).toBe(first);
        return server.seen.length === at + 2;
      });
    }
    pass(MINUTE_MS);
    await expect(tokens.get(source)).rejects.toBeInstanceOf(Fault);
    server.answer = null;
    expect(await tokens.get(source)).not.toBe(first);
  });

  test("a rejected token is dropped, but a newer one is kept", async () => {
    const { tokens } = startTokens();
    const source = account();
    const first = await tokens.get(source);
    tokens.refuse(source, first);
    const second = await tokens.get(source);
    tokens.refuse(source, first);
    expect(await tokens.get(source)).toBe(second);
    expect(server.seen).toHaveLength(2);
  });

  test("each credential has its own token", async () => {
    const { tokens } = startTokens();
    expect(await tokens.get(account())).not.toBe(await tokens.get(entra()));
  });
});

/** A source's fault, and its whole content as text. */
async function failureOf(source: TokenSource): Promise<{ code: string; text: string }> {
  const fault = await startTokens()
    .tokens.get(source)
    .catch((thrown: unknown) => thrown);
  if (!(fault instanceof Fault)) throw new Error("no fault");
  return { code: fault.code, text: JSON.stringify([fault.message, fault.details, fault.stack]) };
}

describe("failures", () => {
  test.each([
    [200, { access_token: "x".repeat(70_000) }, "upstream_error"],
    [400, { error: "invalid_grant", error_description: "secret of the client" }, "upstream_auth"],
    [401, "", "upstream_auth"],
    [403, "<html>", "upstream_auth"],
    [429, {}, "upstream_error"],
    [302, "", "upstream_error"],
    [503, {}, "upstream_error"],
    [200, "<html>", "upstream_error"],
    [200, { access_token: "two\nlines", expires_in: 60 }, "upstream_error"],
    [200, { access_token: "token", expires_in: -1 }, "upstream_error"],
  ] as const)("an answer of %d yields no token and is not quoted: %#", async (status, body, code) => {
    server.answer = () => ({ status, body });
    const failure = await failureOf(entra());
    expect(failure.code).toBe(code);
    expect(failure.text).not.toMatch(/secret of the client|127\.0\.0\.1:|two/);
  });

  test("an unreachable token server counts as the provider's failure", async () => {
    const gone = { ...account(), tokenUrl: "http://127.0.0.1:1/token" };
    expect(await failureOf(gone)).toMatchObject({ code: "upstream_error" });
  });

  test("a key that can't sign and a missing token file are rejected credentials, and are not quoted", async () => {
    const broken = await failureOf({ ...account(), privateKey: "-----BEGIN PRIVATE KEY-----\nsecret\n" });
    expect(broken.code).toBe("upstream_auth");
    expect(broken.text).not.toContain("BEGIN PRIVATE KEY");
    expect((await failureOf(workload({ file: join(directory, "none") }))).code).toBe("upstream_auth");
    expect(server.seen).toEqual([]);
  });

  test("a token server that doesn't answer times out after ten seconds, and the next call tries again", async () => {
    const { tokens, pass } = startTokens();
    const source = account();
    server.hold();
    const waiting = tokens.get(source);
    pass(9_999);
    pass(1);
    await expect(waiting).rejects.toMatchObject({ code: "upstream_timeout" });
    server.release();
    expect(await tokens.get(source)).toMatch(/^token-/);
  });
});
