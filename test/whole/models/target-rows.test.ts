// The targets' table of numbers and kinds, a test for each row on every surface: the provider refuses the request,
// and where the gateway chooses, it chooses another model at once.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { type Refusal, readMost } from "../../../src/core/models/refusals.ts";
import { SKILLS } from "../../../src/core/models/skill.ts";
import { TARGET_ROWS } from "../../../src/core/models/target-rows.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

/** A model of each provider in the table. Those without a path are in the catalogue, and their provider is set up already. */
const NARROW: Readonly<Record<string, readonly [name: string, path?: string]>> = {
  OpenAI: ["gpt-5.4-mini"],
  Groq: ["llama-narrow-versatile", "openai/v1"],
  xAI: ["grok-narrow", "openai/v1"],
  Google: ["gemini-3.6-flash"],
  Anthropic: ["claude-haiku-4-5"],
  LMStudio: ["lmstudio-narrow", "openai/v1"],
};

const CASES = TARGET_ROWS.flatMap(({ providers: [provider = ""], refuses }) =>
  refuses.map((refusal) => [provider, refusal] as const),
);

const BYTES: Readonly<Record<string, string>> = {
  gif: "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
  webp: "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==",
  png: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};

/** So that selectors prefer the models that refuse something. */
const writeSkills = (share: number) => `{ ${SKILLS.map((skill) => `${skill}: ${share}`).join(", ")} }`;

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({
    more: (url) => {
      const model = (name: string, usd: number) =>
        `models: [{ name: "${name}", context: 500000, output: 9000, capabilities: [tools, vision], price: { input: ${usd}, output: ${usd} } }]`;
      const rows = Object.entries(NARROW).flatMap(([provider, [name, path]]) =>
        path === undefined
          ? []
          : `  ${provider}: { keys: [sim-key], base_url: "${url}/${path}", ${model(name, 0.01)} }`,
      );
      const wide = `  Wide: { dialect: openai, keys: [sim-key], base_url: "${url}/openai/v1", ${model("wide", 5)} }`;
      const own = `  House: { dialect: openai, keys: [sim-key], base_url: "${url}/openai/v1", ${model("narrow", 0.01)} }`;
      const groups = [...Object.entries(NARROW), ["House", ["narrow"]] as const].map(
        ([provider, [name]]) =>
          `  ${provider}-or-wide: [{ model: "${provider}#${name}", weight: 1000 }, { model: "Wide#wide", weight: 0.001 }]`,
      );
      const models = [
        "models:",
        '  "House#narrow": { refuses: ["tools>3", picture_png, forced_tool, "text_characters>200", "picture_bytes>1000"] }',
        ...Object.entries(NARROW).map(
          ([provider, [name]]) => `  "${provider}#${name}": { skills: ${writeSkills(1)} }`,
        ),
        `  "Wide#wide": { skills: ${writeSkills(0.1)} }`,
      ];
      return [...rows, wide, own, ...models, "aliases:", ...groups].join("\n");
    },
  });
});
afterAll(() => gateway.stop());

const PARAMETERS = { type: "object", properties: {} };
const names = (count: number) => Array.from({ length: count }, (_, at) => `tool_${at}`);

interface Content {
  readonly tools: number;
  /** The kind of the picture. */
  readonly picture: string | null;
  /** The length of its base64, if it is a large one. */
  readonly bytes?: number;
  readonly video?: true;
}

function writeBytes({ picture, bytes = 0 }: Content): string {
  return (BYTES[picture ?? ""] ?? "").replaceAll("=", "").padEnd(bytes, "A");
}

const SURFACES: Readonly<
  Record<string, (model: string, stream: boolean, content: Content) => readonly [string, JsonObject]>
> = {
  chat(model, stream, given) {
    const { tools, picture } = given;
    const image = picture && { type: "image_url", image_url: { url: toDataUrl(given) } };
    const video = { type: "video_url", video_url: { url: "data:video/mp4;base64,AAAAIGZ0eXBpc29t" } };
    const content = [
      { type: "text", text: "say: hi" },
      ...(image ? [image] : []),
      ...(given.video ? [video] : []),
    ];
    const functions = names(tools).map((name) => ({
      type: "function",
      function: { name, parameters: PARAMETERS },
    }));
    const messages = [{ role: "user", content }];
    return ["/v1/chat/completions", { model, stream, messages, ...(tools ? { tools: functions } : {}) }];
  },
  responses(model, stream, given) {
    const { tools, picture } = given;
    const image = picture && { type: "input_image", image_url: toDataUrl(given), detail: "auto" };
    const content = [{ type: "input_text", text: "say: hi" }, ...(image ? [image] : [])];
    const functions = names(tools).map((name) => ({ type: "function", name, parameters: PARAMETERS }));
    return ["/v1/responses", { model, stream, input: [{ role: "user", content }], tools: functions }];
  },
  messages(model, stream, given) {
    const { tools, picture } = given;
    const data = writeBytes(given);
    const source = picture && { type: "base64", media_type: `image/${picture}`, data };
    const content = [{ type: "text", text: "say: hi" }, ...(source ? [{ type: "image", source }] : [])];
    const functions = names(tools).map((name) => ({ name, input_schema: PARAMETERS }));
    const messages = [{ role: "user", content }];
    return [
      "/v1/messages",
      { model, stream, max_tokens: 100, messages, ...(tools ? { tools: functions } : {}) },
    ];
  },
  gemini(model, stream, given) {
    const { tools, picture } = given;
    const image = picture && { inlineData: { mimeType: `image/${picture}`, data: writeBytes(given) } };
    const parts = [{ text: "say: hi" }, ...(image ? [image] : [])];
    const declared = { functionDeclarations: names(tools).map((name) => ({ name })) };
    const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
    return [
      `/v1beta/models/${encodeURIComponent(model)}:${verb}`,
      { contents: [{ role: "user", parts }], ...(tools ? { tools: [declared] } : {}) },
    ];
  },
};

function toDataUrl(content: Content): string {
  return `data:image/${content.picture};base64,${writeBytes(content)}`;
}

/** Returns the most that the target takes, and a content that it refuses. */
function makeContents(refusal: Refusal): readonly [taken: Content, refused: Content] {
  const toolsMax = readMost(refusal, "tools");
  const bytesMax = readMost(refusal, "picture_bytes");
  const png = { tools: 0, picture: "png" };
  if (refusal === "video") return [png, { ...png, video: true }];
  if (bytesMax !== null) return [png, { ...png, bytes: bytesMax + 4 }];
  if (toolsMax === null) return [png, { tools: 0, picture: refusal.replace("picture_", "") }];
  return [
    { tools: toolsMax, picture: null },
    { tools: toolsMax + 1, picture: null },
  ];
}

async function ask(
  surface: string,
  model: string,
  content: Content,
  asking: { stream: boolean; secret?: string },
) {
  const { stream, secret = gateway.secret } = asking;
  const [path, body] = SURFACES[surface]?.(model, stream, content) ?? ["", {}];
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const answered = await fetch(gateway.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await answered.text();
  const read = (name: string) => answered.headers.get(`x-poundkey-${name}`);
  return { status: answered.status, model: read("model"), attempts: read("attempts"), text };
}

describe.each(CASES)("%s refuses %s", (provider, refusal) => {
  const [name = ""] = NARROW[provider] ?? [];
  const id = `${provider}#${name}`;
  const [taken, refused] = makeContents(refusal);
  const every = Object.keys(SURFACES).flatMap((surface) => [
    [surface, false] as const,
    [surface, true] as const,
  ]);
  // A large picture is 5 MB each time.
  const isLarge = refused.bytes !== undefined;
  const ways = every.filter(([surface, stream]) =>
    refused.video ? surface === "chat" : !isLarge || (surface === "messages" && stream),
  );

  test.each(ways)("%s, streamed: %p", async (surface, stream) => {
    const { secret } = await gateway.newKey({
      allowed_models: ["Router#*", id, "Wide#wide"],
      requests_per_day: null,
    });
    const group = `${provider}-or-wide`;
    for (const model of ["Router#best", group])
      expect(
        await ask(surface, model, taken, { stream, secret: model === group ? gateway.secret : secret }),
      ).toMatchObject({
        status: 200,
        model: id,
      });
    for (const model of ["Router#best", group])
      expect(
        await ask(surface, model, refused, { stream, secret: model === group ? gateway.secret : secret }),
      ).toMatchObject({
        status: 200,
        model: "Wide#wide",
        attempts: "1",
      });
    // The provider of a model that the client named decides itself.
    const named = await ask(surface, id, refused, { stream, secret });
    expect([named.status, named.model]).toEqual([400, id]);
  });
});

test("an operator's words bar the model by its name too, and the answer says which models take the request", async () => {
  const tools = await ask("chat", "House#narrow", { tools: 4, picture: null }, { stream: false });
  expect(tools.status).toBe(400);
  expect(tools.text).toContain("The model 'House#narrow' takes at most 3 tools, and the request has 4.");
  expect(tools.text).toContain("Models that accept it:");
  const picture = await ask("chat", "House#narrow", { tools: 0, picture: "png" }, { stream: false });
  expect(picture.text).toContain("The model 'House#narrow' does not accept images of the type png.");
  const group = await ask("chat", "House-or-wide", { tools: 4, picture: null }, { stream: false });
  expect([group.status, group.model]).toEqual([200, "Wide#wide"]);
});

test("an operator's words bound texts and pictures by their size", async () => {
  const body = { messages: [{ role: "user", content: `say: ${"long ".repeat(50)}` }] };
  const named = await gateway.chat({ model: "House#narrow", ...body });
  expect([named.status, await named.text()]).toEqual([
    400,
    expect.stringContaining("takes texts of at most 200 characters, and one has 255."),
  ]);
  const group = await gateway.chat({ model: "House-or-wide", ...body });
  expect([group.status, group.headers.get("x-poundkey-model")]).toEqual([200, "Wide#wide"]);
  const large = await ask(
    "chat",
    "House#narrow",
    { tools: 0, picture: "gif", bytes: 1004 },
    { stream: false },
  );
  expect(large.text).toContain("takes images of at most 1000 bytes in base64, and one has 1004.");
});

test("a model that can't be forced to call a tool is asked to in words", async () => {
  const [, body] = SURFACES.chat?.("House#narrow", false, { tools: 1, picture: null }) ?? [];
  const answered = await gateway.chat({ ...body, tool_choice: "required" });
  expect([answered.status, answered.headers.get("x-poundkey-dropped")]).toEqual([200, "tool_choice"]);
  expect(gateway.simulator.calls.last()?.body).toHaveProperty("tool_choice", "auto");
});

test("a selector without any model that takes so many tools names the reason", async () => {
  const id = `OpenAI#${NARROW.OpenAI?.[0]}`;
  const { secret } = await gateway.newKey({ allowed_models: ["Router#*", id], requests_per_day: null });
  const answered = await ask("chat", "Router#best", { tools: 129, picture: null }, { stream: false, secret });
  expect(answered.status).toBe(400);
  expect(answered.text).toContain("tools>128 (1)");
});
