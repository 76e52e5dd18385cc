// Files that requests name by their ids: on every surface, natively and translated, and only by those who may see them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const PDF = Buffer.from("%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n");
/** The model of the surface's own family, and one whose requests are translated. */
const MODELS = {
  chat: ["OpenAI#gpt-5.6-sol", "Anthropic#claude-haiku-4-5"],
  responses: ["Responses#gpt-6.1-sol", "Google#gemini-3.5-flash"],
  messages: ["Anthropic#claude-haiku-4-5", "Responses#gpt-6.1-sol"],
  gemini: ["Google#gemini-3.5-flash", "OpenAI#gpt-5.6-sol"],
  interactions: ["Google#gemini-3.5-flash", "Anthropic#claude-haiku-4-5"],
};

let under: UnderTest;
let client: OpenAI;
let stranger: string;
const ids = { picture: "", pdf: "", text: "", large: "" };

beforeAll(async () => {
  under = await startUnderTest({ server: "body_limit: 1MB" });
  client = new OpenAI({ baseURL: `${under.url}/v1`, apiKey: under.secret, maxRetries: 0 });
  const account = await under.newAccount("another");
  stranger = (await under.newKey({ account_id: account, requests_per_day: null })).secret;
  const upload = async (bytes: Buffer, name: string, type = "") =>
    (
      await client.files.create({
        file: new File([new Uint8Array(bytes)], name, { type }),
        purpose: "user_data",
      })
    ).id;
  ids.picture = await upload(PICTURE, "dot.png");
  ids.pdf = await upload(PDF, "report.pdf", "application/pdf");
  ids.text = await upload(Buffer.from("plain words"), "notes.txt");
  ids.large = await upload(Buffer.alloc(1_100_000, "x"), "large.txt");
});
afterAll(() => under.stop());

const ask = { type: "text", text: "say: seen" };

/** A request at each surface with a picture, and one with a PDF, by their ids. */
const SURFACES: Readonly<
  Record<string, (id: string, isPicture: boolean) => readonly [path: string, body: JsonObject]>
> = {
  chat: (id) => [
    "/v1/chat/completions",
    { messages: [{ role: "user", content: [{ type: "file", file: { file_id: id } }, ask] }] },
  ],
  responses: (id, isPicture) => [
    "/v1/responses",
    {
      input: [
        {
          role: "user",
          content: [
            { type: isPicture ? "input_image" : "input_file", file_id: id },
            { type: "input_text", text: "say: seen" },
          ],
        },
      ],
    },
  ],
  messages: (id, isPicture) => [
    "/v1/messages",
    {
      max_tokens: 100,
      messages: [
        {
          role: "user",
          content: [{ type: isPicture ? "image" : "document", source: { type: "file", file_id: id } }, ask],
        },
      ],
    },
  ],
  interactions: (id, isPicture) => [
    "/v1/interactions",
    { input: [{ type: isPicture ? "image" : "document", uri: `files/${id}` }, ask] },
  ],
  gemini: (id) => [
    "/v1beta/models/MODEL:generateContent",
    {
      contents: [{ role: "user", parts: [{ fileData: { fileUri: `files/${id}` } }, { text: "say: seen" }] }],
    },
  ],
};

async function send(surface: string, model: string, id: string, isPicture: boolean, secret = under.secret) {
  const [path, body] = SURFACES[surface]?.(id, isPicture) ?? ["", {}];
  const url = `${under.url}${path.replace("MODEL", encodeURIComponent(model))}`;
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const named = path.startsWith("/v1beta") ? body : { model, ...body };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(named) });
  return { status: response.status, body: asObject(await response.json()) };
}

const lastCall = () => JSON.stringify(under.simulator.calls.last()?.body);

describe.each(Object.entries(MODELS))("%s", (surface, models) => {
  test.each(models)("sends a picture and a PDF to %s as if they stood in the request", async (model) => {
    const picture = await send(surface, model, ids.picture, true);
    expect([picture.status, lastCall()]).toEqual([200, expect.stringContaining(PICTURE.toString("base64"))]);
    expect(lastCall()).toContain("image/png");
    const pdf = await send(surface, model, ids.pdf, false);
    expect([pdf.status, lastCall()]).toEqual([200, expect.stringContaining(PDF.toString("base64"))]);
    expect(lastCall()).not.toContain(ids.pdf);
  });

  test("refuses an id that isn't the key's, and files beyond the body's limit", async () => {
    const model = "OpenAI#gpt-5.6-sol";
    const calls = under.simulator.calls.all().length;
    const code = async (id: string, secret?: string) => {
      const { status, body } = await send(surface, model, id, false, secret);
      return [status, String(asObject(body.error).message)];
    };
    for (const refused of [await code("file-0000"), await code(ids.pdf, stranger)])
      expect(refused).toEqual([400, expect.stringContaining("is not supported here")]);
    expect(await code(ids.large)).toEqual([413, expect.stringContaining("larger than")]);
    expect(under.simulator.calls.all().length).toBe(calls);
  });
});

test("a text is a document of text in Messages", async () => {
  const { status } = await send("messages", "Anthropic#claude-haiku-4-5", ids.text, false);
  expect([status, lastCall()]).toEqual([200, expect.stringContaining('"data":"plain words"')]);
});

test("a file is gone for requests once it is deleted", async () => {
  await client.files.delete(ids.pdf);
  const { status } = await send("chat", "OpenAI#gpt-5.6-sol", ids.pdf, false);
  expect(status).toBe(400);
});

test.each([
  [
    "/v1/messages/count_tokens",
    { model: "Anthropic#claude-haiku-4-5", ...SURFACES.messages?.("ID", true)[1] },
  ],
  ["/v1/responses/input_tokens", { model: "Responses#gpt-6.1-sol", ...SURFACES.responses?.("ID", true)[1] }],
  [
    `/v1beta/models/${encodeURIComponent("Google#gemini-3.5-flash")}:countTokens`,
    SURFACES.gemini?.("ID", true)[1] ?? {},
  ],
])("%s counts a file by its id as if it stood in the request", async (path, body) => {
  const count = async (id: string, secret = under.secret) => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const text = JSON.stringify(body).replaceAll("ID", id);
    const response = await fetch(`${under.url}${path}`, { method: "POST", headers, body: text });
    return { status: response.status, body: asObject(await response.json()) };
  };
  const known = await count(ids.picture);
  const { input_tokens: input, totalTokens: total } = known.body;
  expect([known.status, Number(input ?? total) > 50]).toEqual([200, true]);
  // Google's form names files of others by an address, which counts as little.
  const other = await count(ids.picture, stranger);
  expect(other.status === 400 || Number(other.body.totalTokens) < Number(total)).toBe(true);
});

test("an edit of images takes pictures and masks by their ids", async () => {
  const picture = { file_id: ids.picture };
  const edit = async (secret: string) => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const body = JSON.stringify({
      model: "OpenAI#gpt-image-1",
      prompt: "x",
      images: [picture],
      mask: picture,
    });
    return fetch(`${under.url}/v1/images/edits`, { method: "POST", headers, body });
  };
  expect((await edit(under.secret)).status).toBe(200);
  expect(lastCall()).not.toContain(ids.picture);
  expect((await edit(stranger)).status).toBe(400);
});
