// The gateway with providers in both clouds, simulated by a local server, and requests to it in every form.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { KEYS } from "../../transport/auth/token-server.ts";
import { CLOUD_KEY, type Cloud, startCloud } from "./cloud.ts";

export const ENTRA_SECRET = "secret-of-the-application";
const KEY_ID = "id-of-the-private-key";

function configure({ origin }: Cloud): string {
  const account = JSON.stringify({
    type: "service_account",
    project_id: "p",
    private_key_id: KEY_ID,
    private_key: KEYS.privateKey,
    client_email: "gateway@p.iam.example",
    token_uri: `${origin}/token`,
  });
  const entra = `{ tenant: tenant, client_id: c, client_secret: ${ENTRA_SECRET}, authority: "${origin}" }`;
  const deployments = `
      - { name: gpt-5.4, deployment: prod-gpt }
      - { name: gpt-4o, deployment: old }
      - { name: claude-sonnet-5, deployment: prod-claude }
      - { name: text-embedding-3-small, deployment: embed }
      - { name: listen, deployment: prod-whisper, like: "OpenAI#whisper-1" }
      - { name: deepseek-v4-pro }`;
  return `
  Azure:
    base_url: "${origin}/openai/v1"
    keys: ["${CLOUD_KEY}"]
    models:${deployments}
  Dated: { platform: azure, base_url: "${origin}/openai/v1", api: "2024-10-21", keys: ["${CLOUD_KEY}"], models: [{ name: gpt-4o, deployment: my/old }, { name: fast, like: "OpenAI#gpt-4o" }] }
  Newer: { platform: azure, base_url: "${origin}/openai/v1", api: 2025-04-01-preview, keys: ["${CLOUD_KEY}"], models: [{ name: gpt-4o }] }
  Entra: { platform: azure, base_url: "${origin}/openai/v1", entra: ${entra}, models: [{ name: gpt-4o }, { name: claude-sonnet-5 }] }
  Vertex: { base_url: "${origin}/v1/projects/p/locations/eu", service_account: '${account}', models: [{ name: draws, operations: [images] }] }
  Express: { platform: vertex, base_url: "${origin}/v1", keys: ["${CLOUD_KEY}"], models: [{ name: gemini-3.5-flash }, { name: "claude-sonnet-5@default" }] }`;
}

export interface PlatformWorld {
  readonly cloud: Cloud;
  readonly gateway: UnderTest;
  post(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<Response>;
  stop(): Promise<void>;
}

export async function startPlatformWorld(): Promise<PlatformWorld> {
  // The cloud starts before the simulator, whose address is known only once the gateway runs.
  let simulator = "";
  const cloud = await startCloud(() => simulator);
  const gateway = await startUnderTest({ more: configure(cloud) });
  simulator = gateway.simulator.url;
  return {
    cloud,
    gateway,
    post: (path, body, headers = {}) =>
      fetch(gateway.url + path, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${gateway.secret}`,
          ...headers,
        },
        body: JSON.stringify(body),
      }),
    async stop() {
      await gateway.stop();
      await cloud.stop();
    },
  };
}

export type Asked = readonly [path: string, body: JsonObject];

export const chat = (model: string, more: object = {}): Asked => [
  "/v1/chat/completions",
  { model, messages: [{ role: "user", content: "say: splendid" }], ...more },
];
export const message = (model: string, more: object = {}): Asked => [
  "/v1/messages",
  { model, max_tokens: 50, messages: [{ role: "user", content: "say: splendid" }], ...more },
];
export const response = (model: string, more: object = {}): Asked => [
  "/v1/responses",
  { model, input: "say: splendid", ...more },
];
export const generate = (model: string): Asked => [
  `/v1beta/models/${model.replace("#", "/")}:streamGenerateContent?alt=sse`,
  { contents: [{ parts: [{ text: "say: splendid" }] }] },
];
