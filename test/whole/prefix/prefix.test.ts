// A field that is set for one turn changes nothing before the newest turn of the user's in what its provider reads.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { Fetch } from "../../../src/core/world/world.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { IS_LONG, sampleRows } from "../../harness/long.ts";
import { readEnd, readFront, SURFACES, type SurfaceWord } from "./conversations.ts";
import { findException, REASONS, UNASKED } from "./exceptions.ts";
import { listFieldValues, setField } from "./field-values.ts";

const MODELS = [
  "Anthropic#claude-opus-5-5",
  "Anthropic#claude-sonnet-5-5",
  "Anthropic#claude-fable-5-2",
  "Anthropic#claude-opus-4-7",
  "Bedrock#us.anthropic.claude-opus-5-5",
  "Vertex#claude-opus-5-5",
  "OpenAI#gpt-6.1-sol",
  "OpenAI#gpt-6.2-sol",
  "Google#gemini-4-neon",
  "Mistral#mistral-large-latest",
  "Local#some-model",
] as const;

const VERTEX = /^\/vertex\/publishers\/anthropic\/models\/([^/:]+):(?:rawP|streamRawP)redict$/;

/** Vertex AI has Claude's API with the model in the address, and the version in the body. */
const answerVertex: Fetch = async (url, init) => {
  const { pathname, origin } = new URL(url);
  const model = VERTEX.exec(pathname)?.[1];
  if (model === undefined) return fetch(url, init);
  const request = new Request(url, init);
  const { anthropic_version: _version, ...body } = asObject(await request.json());
  const headers = new Headers(request.headers);
  headers.set("x-api-key", headers.get("x-goog-api-key") ?? "");
  headers.set("anthropic-version", "2023-06-01");
  headers.delete("content-length");
  return fetch(`${origin}/anthropic/v1/messages`, {
    method: "POST",
    headers,
    body: JSON.stringify({ model: decodeURIComponent(model), ...body }),
  });
};

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({
    fetch: answerVertex,
    more: (url) => `  Vertex: { keys: [sim-key], base_url: "${url}/vertex", unlisted_models: true }`,
  });
});
afterAll(() => world.stop());

interface Sent {
  readonly status: number;
  readonly body: JsonObject | null;
}

async function send(surface: SurfaceWord, model: string, body: JsonObject, streamed: boolean): Promise<Sent> {
  const row = SURFACES[surface];
  const streamPath = "streamPath" in row ? row.streamPath : null;
  const path = (streamed && streamPath ? streamPath : row.path).replace("MODEL", encodeURIComponent(model));
  const named = row.path.includes("MODEL") ? body : { model, ...body };
  const asked = streamed && streamPath === null ? { ...named, stream: true } : named;
  const before = world.simulator.calls.all().length;
  const response = await fetch(world.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
    body: JSON.stringify(asked),
  });
  await response.text();
  const call = world.simulator.calls.all()[before];
  return { status: response.status, body: call === undefined ? null : asObject(call.body) };
}

const words = Object.keys(SURFACES).filter((word): word is SurfaceWord => word in SURFACES);
/** The prompt itself, and what isn't one. */
const PROMPT =
  /^(model|messages|input|contents|stream|system|systemInstruction|instructions|system_instruction)$/;
const rows = words.flatMap((surface) =>
  listFieldValues(SURFACES[surface].schema, SURFACES[surface].stated)
    .filter(({ field }) => !PROMPT.test(field))
    .flatMap((one) =>
      MODELS.flatMap((model) => [false, true].map((streamed) => ({ surface, model, streamed, ...one }))),
    ),
);

const name = ({ surface, field, value, model, streamed }: (typeof rows)[number]) =>
  `${surface} ${field} ${JSON.stringify(value)} ${model}${streamed ? " streamed" : ""}`;

test("every field, at every surface, for every model, whole and streamed", async () => {
  const plain = new Map<string, JsonObject>();
  const tried = new Set<string>();
  const changed: string[] = [];
  const reasons = new Set<string>();
  for (const row of sampleRows(rows, 7)) {
    const { surface, model, streamed, field, value } = row;
    const { body } = SURFACES[surface];
    const kind = `${surface} ${model} ${streamed}`;
    const usual = plain.get(kind) ?? (await send(surface, model, body, streamed)).body;
    if (usual === null) throw new Error(`${kind}: no call was made.`);
    plain.set(kind, usual);
    const sent = await send(surface, model, setField(body, field, value), streamed);
    if (sent.body === null || sent.status !== 200) continue;
    tried.add(`${surface} ${field}`);
    if (Bun.deepEquals(readFront(usual), readFront(sent.body))) continue;
    const reason = findException(surface, field, model);
    if (reason === null) changed.push(name(row));
    else reasons.add(reason);
  }
  expect(changed).toEqual([]);
  if (!IS_LONG) return;
  const unasked = new Set(rows.map(({ surface, field }) => `${surface} ${field}`)).difference(tried);
  expect([...unasked].toSorted()).toEqual([...UNASKED].toSorted());
  expect([...reasons].toSorted()).toEqual([...REASONS].toSorted());
});

test("what the gateway says stands at the end of the prompt", async () => {
  const forced = { ...SURFACES.chat.body, tool_choice: "required" };
  const sent = await send("chat", "Anthropic#claude-opus-5-5", forced, false);
  const [user, system] = readEnd(sent.body ?? {}).map(asObject);
  expect(user).toEqual({ role: "user", content: [{ type: "text", text: "say: two, in JSON" }] });
  expect(system).toEqual({
    role: "system",
    content: [{ type: "text", text: expect.stringContaining("call at least one of the tools") }],
  });
});
