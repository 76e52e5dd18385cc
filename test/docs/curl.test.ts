// The documents' calls by curl: they stand in blocks that tests find, and those that ask a model work as printed.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { EXAMPLE_ADDRESS } from "../../src/docs/site/address.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { DOCUMENTS, readDocument, readProse } from "./documents.ts";
import { isThere, makePasteFolder, type PasteFolder } from "./pasted.ts";

/** The calls with their further lines. */
const calls = DOCUMENTS.flatMap((path) =>
  [...readDocument(path).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) =>
    [...block.matchAll(/^curl (?:.*\\\n)*.*$/gm)].map(([text]) => ({ path, text })),
  ),
);

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

test("code stands between fences, where it is found, and not indented", () => {
  const indented = DOCUMENTS.flatMap((path) =>
    [...readProse(path).matchAll(/^\s*\n {4,}(\S.*)$/gm)].map(([, line]) => `${path}: ${line}`),
  );
  expect(indented).toEqual([]);
});

test("every call with a JSON body names its type", () => {
  const sending = calls.filter(({ text }) => /-d\b|--data/.test(text));
  expect(sending.length).toBeGreaterThan(9);
  expect(sending.filter(({ text }) => !/content-type: application\/json/i.test(text))).toEqual([]);
});

test.skipIf(!isThere("sh"))(
  "every call that asks a model for an answer works as printed (needs curl)",
  async () => {
    const asking = calls.filter(({ text }) => /^curl [^']*\/v1\/chat\/completions/.test(text));
    const paths = new Set(asking.map(({ path }) => path));
    expect(paths).toContain("src/docs/caching.md");
    for (const { path, text } of asking) {
      const filled = text
        .replace("curl", "curl --silent --show-error --fail-with-body")
        .replace(EXAMPLE_ADDRESS, gateway.url)
        .replace(/\$POUNDKEY_KEY|sk-[\w-]+|sk-…/, gateway.secret);
      expect([path, await folder.run("sh", filled)]).toEqual([path, expect.stringMatching(/"content": ?"/)]);
    }
  },
);
