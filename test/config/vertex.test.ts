// Vertex AI in the configuration: addresses by location, and credentials from files, variables and the machine.
import { describe, expect, test } from "bun:test";
import { KEYS } from "../transport/auth/token-server.ts";
import { type Env, read, readProvider } from "./platform-files.ts";

describe("Vertex's address and authentication", () => {
  const SA = `service_account: "\${file:/sa.json}"`;
  const AT = "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1";
  test.each([
    [`{ project: p, location: us-central1, ${SA} }`, {}, AT],
    [`{ project: p, ${SA} }`, {}, "https://aiplatform.googleapis.com/v1/projects/p/locations/global"],
    [
      `{ project: p, location: eu, ${SA} }`,
      {},
      "https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu",
    ],
    [
      `{ project: p, location: us, ${SA} }`,
      {},
      "https://aiplatform.us.rep.googleapis.com/v1/projects/p/locations/us",
    ],
    [`{ ${SA} }`, {}, "https://aiplatform.googleapis.com/v1/projects/of-the-file/locations/global"],
    [`{ ${SA} }`, { GOOGLE_CLOUD_PROJECT: "p", GOOGLE_CLOUD_LOCATION: "us-central1" }, AT],
    [`{ project: p, ${SA}, base_url: 'http://127.0.0.1:9/v1' }`, {}, "http://127.0.0.1:9/v1"],
    ["{ keys: [k] }", { GOOGLE_CLOUD_PROJECT: "p" }, "https://aiplatform.googleapis.com/v1"],
    ["{ keys: [k], project: p, location: us-central1 }", {}, AT],
  ])("%s %j", (fields, env, address) => {
    expect(readProvider(`Vertex: ${fields}`, env)?.baseUrl).toBe(address);
  });

  test("accepts a service account, a user login, a workload and the machine's own identity", () => {
    const proofOf = (value: string, env: Env = {}) =>
      readProvider(`Vertex: { project: p, service_account: "${value}" }`, env)?.credentials[0]?.proof;
    expect(proofOf(`\${file:/sa.json}`)).toEqual({
      kind: "service_account",
      tokenUrl: "https://oauth2.googleapis.com/token",
      email: "gateway@of-the-file.iam.example",
      privateKey: KEYS.privateKey,
      keyId: "key-1",
    });
    const named = readProvider("Vertex: { project: p, workload_identity: /workload.json }");
    expect(named?.credentials[0]?.proof).toEqual(proofOf(`\${file:/workload.json}`));
    expect(proofOf(`\${file:/login.json}`)).toMatchObject({ kind: "refresh_token", refreshToken: "r3fresh" });
    expect(proofOf(`\${file:/workload.json}`)).toEqual({
      kind: "workload_identity",
      tokenUrl: "https://sts.example/v1/token",
      audience: "//iam.example/p",
      subjectTokenType: "urn:ietf:params:oauth:token-type:jwt",
      file: "/run/token",
      field: "t",
      impersonationUrl: null,
    });
    const path = "/computeMetadata/v1/instance/service-accounts/default/token";
    expect(proofOf("metadata")).toEqual({ kind: "metadata", url: `http://metadata.google.internal${path}` });
    expect(proofOf("metadata", { GCE_METADATA_HOST: "127.0.0.1:9" })).toEqual({
      kind: "metadata",
      url: `http://127.0.0.1:9${path}`,
    });
  });

  test("its variable enables it if the project is known", () => {
    const on = (env: Env) => read(null, env).providers.map(({ name, baseUrl }) => [name, baseUrl]);
    const at = (project: string) =>
      `https://aiplatform.googleapis.com/v1/projects/${project}/locations/global`;
    expect(on({ GOOGLE_APPLICATION_CREDENTIALS: "/sa.json" })).toEqual([["Vertex", at("of-the-file")]]);
    expect(on({ GOOGLE_APPLICATION_CREDENTIALS: "/login.json" })).toEqual([]);
    const named = { GOOGLE_APPLICATION_CREDENTIALS: "/login.json", GOOGLE_CLOUD_PROJECT: "p" };
    expect(on(named)).toEqual([["Vertex", at("p")]]);
    expect(on({ GOOGLE_CLOUD_PROJECT: "p" })).toEqual([]);
  });

  test("an express key only calls Gemini, a project's key calls all models", () => {
    expect(readProvider("Vertex: { keys: [k] }")?.dialects).toEqual(["gemini"]);
    expect(readProvider("Vertex: { keys: [k], project: p }")?.dialects).toBeUndefined();
  });
});
