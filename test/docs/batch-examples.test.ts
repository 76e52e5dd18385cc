// The examples of the chapters on batches and files, run as printed: by curl, and in the SDKs of both vendors.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { readDocument } from "./documents.ts";
import { isThere, makePasteFolder, type PasteFolder, type Runner } from "./pasted.ts";

const TEXT = ["batches", "files"].map((name) => readDocument(`src/docs/${name}.md`)).join("\n");
const BLOCKS = [...TEXT.matchAll(/^```(sh|js|python|json)\n([\s\S]*?)^```$/gm)].map(
  ([, language = "", text = ""]) => ({ language, text }),
);
const RUN_MS = 60_000;

let gateway: UnderTest;
let folder: PasteFolder;
beforeAll(async () => {
  gateway = await startUnderTest();
  folder = makePasteFolder();
  const line = BLOCKS.find(({ language }) => language === "json");
  writeFileSync(join(folder.path, "lines.jsonl"), line?.text ?? "");
  writeFileSync(join(folder.path, "report.pdf"), "%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n");
});
afterAll(async () => {
  folder.remove();
  await gateway.stop();
});

/** Ids that earlier examples have printed stand in the place of `file-…` and `batch_…`. */
const ids = new Map<string, string>();

async function run(runner: Runner, text: string): Promise<string> {
  let filled = text
    .replaceAll("curl ", "curl --silent --show-error --fail-with-body ")
    .replaceAll(/https:\/\/llm\.example\.com/g, gateway.url)
    .replaceAll(/\$POUNDKEY_KEY|sk-…/g, gateway.secret);
  for (const [prefix, id] of ids) filled = filled.replaceAll(`${prefix}…`, id);
  const printed = await folder.run(runner, filled);
  for (const [, id = "", prefix = ""] of printed.matchAll(/"id": ?"((file-|batch_)\w+)"/g))
    ids.set(prefix, id);
  return printed;
}

const listBlocks = (language: string, word: string) =>
  BLOCKS.filter((one) => one.language === language && one.text.includes(word)).map(
    ({ text }) => [text] as const,
  );

test("there are examples by curl, and in JavaScript and Python for both vendors' SDKs", () => {
  expect(listBlocks("sh", "curl").length).toBeGreaterThan(3);
  for (const language of ["js", "python"])
    for (const word of ["batches.create", "files"])
      expect([language, word, listBlocks(language, word).length > 0]).toEqual([language, word, true]);
});

test.skipIf(!isThere("sh"))(
  "those by curl work in their order (needs curl)",
  async () => {
    for (const [text] of listBlocks("sh", "curl"))
      expect([text, await run("sh", text)]).toEqual([text, expect.stringMatching(/"id": ?"/)]);
  },
  RUN_MS,
);

test.each(listBlocks("js", "import"))(
  "in JavaScript: %s",
  async (text) => {
    expect(await run("js", text)).not.toBe("");
  },
  RUN_MS,
);

for (const sdk of ["openai", "anthropic"])
  test.skipIf(!isThere("python", sdk)).each(listBlocks("python", `from ${sdk} import`))(
    `in Python, with ${sdk} (skipped if not installed): %s`,
    async (text) => {
      expect(await run("python", text)).not.toBe("");
    },
    RUN_MS,
  );
