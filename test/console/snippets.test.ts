// The calls that the console shows as code work as printed: each is run against the gateway.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Example,
  LANGUAGES,
  type Language,
  writeCurl,
  writeSnippet,
} from "../../src/console/parts/snippets.ts";
import { isThere, makePasteFolder, type PasteFolder, type Runner } from "../docs/pasted.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { VISIT_MS } from "./visitor.ts";

setDefaultTimeout(VISIT_MS);

const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let gateway: UnderTest;
let folder: PasteFolder;

beforeAll(async () => {
  gateway = await startUnderTest();
  folder = makePasteFolder();
});

afterAll(async () => {
  folder.remove();
  await gateway.stop();
});

const RUNNERS: Readonly<Record<Language, Runner>> = { curl: "sh", js: "js", python: "python", ai: "js" };

const text = 'It\'s "quoted" – and\nbroken';
const messages = [
  { role: "system", content: "Don't be long." },
  {
    role: "user",
    content: [
      { type: "text", text },
      { type: "image_url", image_url: { url: PICTURE } },
    ],
  },
];

for (const { value: language, label } of LANGUAGES) {
  const runner = RUNNERS[language];

  test.skipIf(!isThere(runner))(`${label} (skipped if not installed)`, async () => {
    for (const stream of [false, true]) {
      const example: Example = {
        address: gateway.url,
        secret: gateway.secret,
        model: "OpenAI#gpt-5.4",
        messages,
        fields: { temperature: 0.5, max_tokens: 200, stream },
      };
      const out = await folder.run(runner, writeSnippet(language, example));
      // For a stream, curl shows the raw events with one word each.
      const isRaw = language === "curl" && stream;
      expect(out.replaceAll("\\", "")).toContain(isRaw ? '"quoted"' : 'It\'s "quoted"');
    }
  });
}

test.skipIf(!isThere("sh"))("curl for operations beyond chat (skipped if not installed)", async () => {
  const run = (path: string, body: FormData | Readonly<Record<string, unknown>>, output?: string) =>
    folder.run("sh", writeCurl({ address: gateway.url, secret: gateway.secret, path, output }, body));
  expect(await run("/v1/rerank", { model: "Local#sim-rerank", query: text, documents: [text] })).toContain(
    '"relevance_score":1',
  );
  const name = `it's; "odd".wav`;
  await run("/v1/audio/speech", { model: "Local#sim-speech", input: text, voice: "nova" }, "speech.mp3");
  const sound = readFileSync(join(folder.path, "speech.mp3"));
  expect(sound.subarray(0, 4).toString()).toBe("RIFF");
  writeFileSync(join(folder.path, name), sound);
  const form = new FormData();
  form.append("model", "Local#sim-transcribe");
  form.append("language", "@en");
  form.append("file", new File([sound], name));
  expect(await run("/v1/audio/transcriptions", form)).toContain("This is what was said in it's;");
});
