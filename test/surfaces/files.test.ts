// Addresses of files: only those on the public web, outside the vendors' own hosts, reach a provider.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json/json.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { GEMINI } from "../../src/surfaces/gemini/surface.ts";
import { OPENAI_CHAT } from "../../src/surfaces/openai-chat/surface.ts";
import { OPENAI_SPEECH } from "../../src/surfaces/openai-speech/surface.ts";
import { makeModelCard } from "../harness/cards.ts";
import { findRefusal, readGemini, readMessages } from "./lane/native-read.ts";
import { incoming } from "./recorded.ts";

const HOST = "generativelanguage.googleapis.com";
/** Spellings of files that lie in a Gemini account. */
const ACCOUNT_FILES = [
  "files/x",
  "/files/x",
  "./files/x",
  "v1beta/files/x",
  "corpora/x",
  "projects/p/files/x",
  "gs://bucket/x",
  "file:///etc/passwd",
  "s3://bucket/x",
  `//${HOST}/v1beta/files/x`,
  `${HOST}/v1beta/files/x`,
  `https:${HOST}/v1beta/files/x`,
  `https:///${HOST}/v1beta/files/x`,
  `\u200bhttps://${HOST}/files/x`,
  `https://\u200b${HOST}/files/x`,
  ` https://${HOST}/files/x`,
  `https://generativelanguage%2Egoogleapis.com/files/x`,
  `https:\\\\${HOST}\\files\\x`,
  `https://a.test\\@${HOST}/x`,
  `https://${HOST}\0/files/x`,
  `https://u@${HOST}:443/files/x`,
  `https://${HOST}./files/x`,
  `HTTPS://${HOST.toUpperCase()}/files/x`,
  `http://${HOST}/files/x`,
  `https://us-${HOST}/files/x`,
  `https://generativelanguage.mtls.googleapis.com/files/x`,
  `https://autopush-${HOST}/files/x`,
  "https://storage.googleapis.com/bucket/x",
  "https://generativelanguage。googleapis。com/files/x",
  "",
];
const PUBLIC_FILES = [
  "https://a.test/b.pdf",
  "https://www.youtube.com/watch?v=abc",
  "https://notgoogleapis.com/a",
  "https://a.test/?next=https://storage.googleapis.com/b",
  "https://a.test:8443/b%20c.pdf#1",
];

/** Each place of a file in a generateContent request. */
const PLACES: readonly (readonly [string, (fileUri: string) => JsonObject])[] = [
  ["a part", (fileUri) => ({ contents: [{ parts: [{ fileData: { fileUri, mimeType: "image/png" } }] }] })],
  [
    "a part in the other spelling",
    (fileUri) => ({ contents: [{ parts: { file_data: { file_uri: fileUri } } }] }),
  ],
  [
    "a function's result",
    (fileUri) => ({
      contents: [
        { parts: [{ functionResponse: { name: "f", response: {}, parts: [{ fileData: { fileUri } }] } }] },
      ],
    }),
  ],
  ["the system instruction", (fileUri) => ({ systemInstruction: { parts: [{ fileData: { fileUri } }] } })],
];

describe.each(PLACES)("%s", (_name, makeBody) => {
  test.each(ACCOUNT_FILES)("%j is refused", (address) => {
    expect(findRefusal(() => readGemini(makeBody(address)))[0]).toBe("unsupported_parameter");
  });

  test.each(PUBLIC_FILES)("%j passes, held as a file that fills the context", (address) => {
    const body = makeBody(address);
    const { ask, raw, ...terms } = readGemini(body);
    expect(JSON.stringify(raw?.body)).toContain(JSON.stringify(address));
    if ("systemInstruction" in body) return;
    const card = makeModelCard("Google#gemini", {
      price: { input: 1, output: 1 },
      contextTokensMax: 100_000,
    });
    const isPicture = JSON.stringify(body).includes("image/png") && !address.includes("youtube");
    const held = GEMINI.operation.offer(ask, card, { ...terms, answersPerCall: 1 }).lines[0]?.count ?? 0;
    expect(held).toBeGreaterThan(isPicture ? 2000 : 100_000);
  });
});

const SEEING = makeModelCard("Google#gemini", { capabilities: new Set(["vision"] as const) });

function checkChat(content: readonly JsonObject[]): void {
  const body = { model: "m", messages: [{ role: "user", content }] };
  const { ask } = OPENAI_CHAT.read(incoming(body, "/v1/chat/completions"));
  CHAT.refuseUnable(ask, SEEING);
}

test.each(ACCOUNT_FILES.filter((address) => address !== ""))(
  "%j is refused as a picture of a chat",
  (url) => {
    const picture = [{ type: "image_url", image_url: { url } }];
    expect(findRefusal(() => checkChat(picture))[0]).toBe("unsupported_parameter");
  },
);

// A file without a scheme is its own content in base64.
test.each(ACCOUNT_FILES.filter((address) => /^\s*[a-z]+:/i.test(address)))(
  "%j is refused as a file of a chat",
  (file_data) => {
    expect(findRefusal(() => checkChat([{ type: "file", file: { file_data } }]))[0]).toBe(
      "unsupported_parameter",
    );
  },
);

test.each(["https://a.test/b.png", "http://a.test/b.png", "data:image/png;base64,AA=="])(
  "%s passes",
  (url) => {
    expect(() => checkChat([{ type: "image_url", image_url: { url } }])).not.toThrow();
  },
);

test("an earlier spoken answer can't be named", () => {
  const messages = [
    { role: "user", content: "a" },
    { role: "assistant", content: null, audio: { id: "audio_1" } },
  ];
  const chat = () => OPENAI_CHAT.read(incoming({ model: "m", messages }, "/v1/chat/completions"));
  expect(findRefusal(chat)).toEqual(["unsupported_parameter", "messages[1].audio.id"]);
});

test("a voice of the account can't be named, one of the provider can", () => {
  const speak = (voice: unknown) => () =>
    OPENAI_SPEECH.read(incoming({ model: "m", input: "a", voice }, "/v1/audio/speech"));
  expect(findRefusal(speak({ id: "voice_1" }))).toEqual(["unsupported_parameter", "voice.id"]);
  expect(speak("alloy")).not.toThrow();
});

test("pictures of Messages come from the web or the request", () => {
  const picture = (source: JsonObject) => () => {
    const { ask } = readMessages({ messages: [{ role: "user", content: [{ type: "image", source }] }] });
    CHAT.refuseUnable(ask, SEEING);
  };
  expect(picture({ type: "url", url: "https://a.test/b.png" })).not.toThrow();
  expect(findRefusal(picture({ type: "url", url: "v1beta/files/x" }))[0]).toBe("unsupported_parameter");
});
