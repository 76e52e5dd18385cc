// Where Poundkey is published stands in one file, and the texts that say so are made from it.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../package.json" with { type: "json" };
import { CHANNELS, type Channels } from "../../../src/app/channels.ts";
import { ROOT, readDocument } from "../documents.ts";
import { NOTHING, type Text, writeTexts } from "./texts.ts";

/** An address, other than of this machine and of examples, or words that lead to a place where Poundkey would be. */
const ADDRESS =
  /https?:\/\/(?!127\.0\.0\.1|llm\.example\.com)[^\s`)>]*|\b(OWNER|NAME)\b|ghcr\.io|npx poundkey|install --global poundkey|brew |oci:/g;

const ALL: Channels = {
  repository: "https://github.com/acme/pound",
  npm: "@acme/poundkey",
  image: "ghcr.io/acme/pound",
  chart: "oci://ghcr.io/acme/charts/poundkey",
  formula: "acme/tap/poundkey",
  manual: "https://acme.github.io/pound",
  signingKey: "-----BEGIN PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----\n",
};

function put({ path, replace, text }: Text): string {
  const before = readDocument(path);
  if (replace !== undefined && !replace.test(before)) throw new Error(`${path} has no place for the text`);
  return replace === undefined ? text : before.replace(replace, () => text);
}

test.each(writeTexts(CHANNELS, version).map((text) => [text.path, text] as const))(
  "%s is as the channels say: `UPDATE_DOCS=1 bun test docs/channels` writes it",
  (path, text) => {
    if (process.env.UPDATE_DOCS) {
      const made = text.replace === undefined ? text.text : put(text);
      writeFileSync(join(ROOT, path), made);
    } else expect(readDocument(path)).toBe(put(text));
  },
);

test("what isn't published is named nowhere", () => {
  for (const { path, text } of writeTexts(NOTHING, version))
    expect([path, text.match(ADDRESS)]).toEqual([path, null]);
  const found = writeTexts(ALL, version).filter(({ text }) => text.match(ADDRESS) !== null);
  expect(found.length).toBeGreaterThan(7);
});

test("each channel alone brings in its own lines, and those of no other", () => {
  const names = ["repository", "npm", "image", "chart", "formula", "manual", "signingKey"] as const;
  for (const name of names) {
    const texts = writeTexts({ ...NOTHING, [name]: ALL[name] }, version).map(({ text }) => text);
    const others = names.filter((other) => other !== name);
    // The README names the others only beside the repository.
    if (name !== "formula")
      expect([name, texts.join("\n")]).toEqual([name, expect.stringContaining(key(name))]);
    for (const other of others)
      expect([name, other, texts.join("\n").includes(key(other))]).toEqual([name, other, false]);
  }
});

/** The words by which a channel's value is found in a text. */
function key(name: keyof Channels): string {
  return (ALL[name] ?? "").trim();
}

test("with all channels, each text has its addresses", () => {
  const texts = Object.fromEntries(writeTexts(ALL, "9.8.7").map(({ path, text }) => [path, text]));
  const start = texts["README.md"];
  for (const line of [
    "npx @acme/poundkey ",
    "brew install acme/tap/poundkey && poundkey ",
    "-e OPENAI_API_KEY ghcr.io/acme/pound ",
    "git clone https://github.com/acme/pound && cd pound && npm start",
  ])
    expect(start).toContain(line);
  expect(texts["src/deploy/npm/README.md"]).toContain("npm install --global @acme/poundkey`");
  expect(texts["src/deploy/chart/values.yaml"]).toBe("ghcr.io/acme/pound");
  expect(texts["src/deploy/compose/one/compose.yaml"]).toBe("ghcr.io/acme/pound:9.8.7");
  expect(texts[".github/ISSUE_TEMPLATE/config.yml"]).toContain("pound/security/advisories/new");
  expect(texts[".github/SECURITY.md"]).toContain("https://github.com/acme/pound/security");
  expect(texts["src/docs/releases.md"]).toContain("gh attestation verify FILE --repo acme/pound");
  expect(texts["src/docs/upgrading.md"]).toContain("docker pull ghcr.io/acme/pound:9.8.7");
});
