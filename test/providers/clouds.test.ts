// The address and credentials of a call to Azure and Vertex AI, as configured.
import { expect, test } from "bun:test";
import { testCredential } from "../../src/app/models/probe.ts";
import { buildCatalogue } from "../../src/catalogue/catalogue.ts";
import { readProvider } from "../config/platform-files.ts";

interface Sent {
  readonly url: string;
  readonly headers: Headers;
}

const TOKEN_URLS = /^https:\/\/(login\.microsoftonline\.com\/t|oauth2\.googleapis\.com\/token)/;

/** Calls a model once and returns the request as sent. It gets no answer. */
async function send(fields: string, id: string): Promise<Sent | undefined> {
  const setup = readProvider(fields);
  const [credential] = setup?.credentials ?? [];
  if (!setup || !credential) throw new Error("the provider has no credential");
  const found = buildCatalogue({ providers: [setup], overlay: [], operatorModels: [], aliases: {} }).resolve(
    id,
  );
  if (found.kind !== "card") throw new Error(`there is no ${id}`);
  let sent: Sent | undefined;
  await testCredential(setup, credential, [found.card], async (url, { headers }) => {
    if (TOKEN_URLS.test(url)) return Response.json({ access_token: "a-token", expires_in: 3600 });
    sent = { url, headers: new Headers(headers) };
    return new Response("", { status: 500 });
  });
  return sent;
}

const ENTRA = "entra: { tenant: t, client_id: c, client_secret: s }";
const SA = `service_account: "\${file:/sa.json}"`;
const GOOGLE = "aiplatform.googleapis.com/v1";
const GEMINI = "publishers/google/models/gemini-3.5-flash:generateContent";
const CLAUDE = "publishers/anthropic/models/claude-sonnet-5@default:rawPredict";
const OPEN = "Vertex#meta/llama-3.3-70b-instruct-maas";

test.each([
  [
    "Azure: { resource: res, keys: [k] }",
    "Azure#gpt-5.4",
    "https://res.openai.azure.com/openai/v1/chat/completions",
    { "api-key": "k" },
  ],
  [
    "Azure: { resource: res, keys: [k], api: 2024-10-21-preview }",
    "Azure#gpt-5.4",
    "https://res.openai.azure.com/openai/deployments/gpt-5.4/chat/completions?api-version=2024-10-21-preview",
    { "api-key": "k" },
  ],
  [
    `Azure: { resource: res, ${ENTRA} }`,
    "Azure#gpt-5.4",
    "https://res.openai.azure.com/openai/v1/chat/completions",
    { authorization: "Bearer a-token" },
  ],
  [
    "Azure: { resource: res, keys: [k], api: 2024-10-21-preview }",
    "Azure#claude-sonnet-5",
    "https://res.services.ai.azure.com/anthropic/v1/messages",
    { "x-api-key": "k", "anthropic-version": "2023-06-01" },
  ],
  [
    `Azure: { base_url: "https://res.services.ai.azure.com/anthropic/v1", ${ENTRA} }`,
    "Azure#claude-sonnet-5",
    "https://res.services.ai.azure.com/anthropic/v1/messages",
    { authorization: "Bearer a-token", "anthropic-version": "2023-06-01" },
  ],
  [
    "Azure: { resource: res, keys: [k], headers: { api-key: mine, x-team: seven } }",
    "Azure#gpt-5.4",
    "https://res.openai.azure.com/openai/v1/chat/completions",
    { "api-key": "mine", "x-team": "seven" },
  ],
  [
    `Vertex: { project: p, ${SA} }`,
    "Vertex#gemini-3.5-flash",
    `https://${GOOGLE}/projects/p/locations/global/${GEMINI}`,
    { authorization: "Bearer a-token" },
  ],
  [
    `Vertex: { project: p, location: eu, ${SA} }`,
    "Vertex#claude-sonnet-5@default",
    `https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu/${CLAUDE}`,
    { authorization: "Bearer a-token" },
  ],
  [
    `Vertex: { project: p, location: us-central1, ${SA} }`,
    OPEN,
    `https://us-central1-${GOOGLE}/projects/p/locations/us-central1/endpoints/openapi/chat/completions`,
    { authorization: "Bearer a-token" },
  ],
  [
    "Vertex: { keys: [k] }",
    "Vertex#gemini-3.5-flash",
    `https://${GOOGLE}/${GEMINI}`,
    { "x-goog-api-key": "k" },
  ],
  [
    "Vertex: { keys: [k], project: p }",
    "Vertex#claude-sonnet-5@default",
    `https://${GOOGLE}/projects/p/locations/global/${CLAUDE}`,
    { "x-goog-api-key": "k" },
  ],
  [
    "Vertex: { keys: [k], project: p }",
    OPEN,
    `https://${GOOGLE}/projects/p/locations/global/endpoints/openapi/chat/completions`,
    { "x-goog-api-key": "k" },
  ],
])("%s, %s", async (fields, id, url, headers) => {
  const sent = await send(fields, id);
  expect(sent?.url).toBe(url);
  const shown = [...(sent?.headers ?? [])].filter(([name]) => !/^(content-type|accept-encoding)$/.test(name));
  expect(Object.fromEntries(shown)).toEqual(headers);
});
