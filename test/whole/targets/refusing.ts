// A server that refuses what a test makes it refuse, in front of the simulated providers, and a provider of each API behind it.
import { asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { Fetch } from "../../../src/core/world/world.ts";

interface Refusing {
  readonly fetch: Fetch;
  /** Returns what the server says of a body. Null if it takes it. */
  refuse: (body: JsonObject, headers: Headers) => string | null;
  /** The parameter that it names beside its words. */
  param: string | null;
  /** The status of its refusals. */
  status: number;
  refused: number;
}

export function makeRefusing(): Refusing {
  const server: Refusing = {
    refuse: () => null,
    param: null,
    status: 400,
    refused: 0,
    async fetch(url, init) {
      const request = new Request(url, init);
      const message = server.refuse(asObject(parseJson(await request.clone().text())), request.headers);
      if (message === null) return fetch(request);
      server.refused++;
      const { param, status } = server;
      const error = { message, type: "invalid_request_error", ...(param === null ? {} : { param }) };
      // Bedrock's errors have the message alone.
      return Response.json({ message, error }, { status });
    },
  };
  return server;
}

/** Returns the YAML of a provider of each API, which passes every field. Models that are named can be configured. */
export function writeProviders(
  url: string,
  names: (provider: string) => readonly string[] = () => [],
): string {
  const common = `unlisted_models: true, extra_fields: ["*"]`;
  const listModels = (provider: string) =>
    names(provider).map(
      (name) => `{ name: ${name}, context: 8192, output: 999, price: { input: 1, output: 1 } }`,
    );
  const at = (name: string, dialect: string, path: string) =>
    `${name}: { dialect: ${dialect}, base_url: "${url}${path}", keys: [sim-key], ${common}, models: [${listModels(name)}] }`;
  const aws = "{ access_key_id: AKIDOFTHETESTS, secret_access_key: secret-of-the-tests }";
  return [
    `  ${at("Plain", "openai", "/openai/v1")}`,
    `  ${at("Claude", "anthropic", "/anthropic/v1")}`,
    `  ${at("Answers", "responses", "/openai/v1")}`,
    `  ${at("Googles", "gemini", "/gemini/v1beta")}`,
    `  Converse: { dialect: bedrock, region: eu-west-1, base_url: "${url}/bedrock", aws: ${aws}, unlisted_models: true }`,
  ].join("\n");
}
