// The calls that the console shows as code do as they are printed: each is run against the gateway.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Example, LANGUAGES, type Language, snippet, writeCurl } from "../../src/console/snippets.ts";
import { startUnderTest, type UnderTest } from "../harness.ts";

const ROOT = join(import.meta.dir, "..", "..");
const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let gateway: UnderTest;
let folder: string;

beforeAll(async () => {
  gateway = await startUnderTest();
  folder = mkdtempSync(join(tmpdir(), "poundkey-snippets-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await gateway.stop();
});

/** A Python that has the SDK; null: none has. */
function python(): string | null {
  const known = [join(ROOT, ".venv", "bin", "python"), Bun.which("python3")];
  const has = (path: string) =>
    Bun.spawnSync([path, "-c", "import openai"], { stdout: "ignore", stderr: "ignore" }).success;
  return known.find((path) => path !== null && existsSync(path) && has(path)) ?? null;
}

function commandFor(language: Language, file: string): readonly string[] | null {
  if (language === "curl") return Bun.which("curl") ? ["bash", file] : null;
  if (language === "python") {
    const found = python();
    return found === null ? null : [found, file];
  }
  return [process.execPath, file];
}

async function outputOf(command: readonly string[]): Promise<string> {
  const environment = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };
  const child = Bun.spawn([...command], { cwd: folder, env: environment, stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(err);
  return out;
}

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
  const isThere = commandFor(language, "") !== null;

  test.skipIf(!isThere)(`${label} (skipped where it isn't there)`, async () => {
    for (const stream of [false, true]) {
      const example: Example = {
        address: gateway.url,
        secret: gateway.secret,
        model: "OpenAI#gpt-5.4",
        messages,
        fields: { temperature: 0.5, max_tokens: 200, stream },
      };
      const file = join(
        folder,
        `${language}.${language === "python" ? "py" : language === "curl" ? "sh" : "mjs"}`,
      );
      writeFileSync(file, snippet(language, example));
      const out = await outputOf(commandFor(language, file) ?? []);
      // Of a stream, curl shows the events as they are: the words each by themselves.
      const isRaw = language === "curl" && stream;
      expect(out.replaceAll("\\", "")).toContain(isRaw ? '"quoted"' : 'It\'s "quoted"');
    }
  });
}

test.skipIf(!Bun.which("curl"))(
  "curl, of operations beyond chat (skipped where it isn't there)",
  async () => {
    const run = async (path: string, fields: Readonly<Record<string, unknown>>, output?: string) => {
      const file = join(folder, "operation.sh");
      writeFileSync(file, writeCurl({ address: gateway.url, secret: gateway.secret, path, output }, fields));
      return outputOf(["bash", file]);
    };
    expect(await run("/v1/rerank", { model: "Local#sim-rerank", query: text, documents: [text] })).toContain(
      '"relevance_score":1',
    );
    const name = `it's; "odd".wav`;
    await run("/v1/audio/speech", { model: "Local#sim-speech", input: text, voice: "nova" }, "speech.mp3");
    const sound = readFileSync(join(folder, "speech.mp3"));
    expect(sound.subarray(0, 4).toString()).toBe("RIFF");
    writeFileSync(join(folder, name), sound);
    const form = { model: "Local#sim-transcribe", language: "@en", file: new File([sound], name) };
    expect(await run("/v1/audio/transcriptions", form)).toContain("This is what was said in it's;");
  },
);
