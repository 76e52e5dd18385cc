// The page on state files: its files are applied by its commands as printed, and print what the page shows.
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { poundkey } from "../harness/poundkey.ts";
import { readDocument } from "./documents.ts";

/** Each test runs several commands, one after the other. */
const COMMANDS_MS = 60_000;
setDefaultTimeout(COMMANDS_MS);

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "poundkey-state-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const blocks = [...readDocument("src/docs/state.md").matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(
  ([, language = "", text = ""]) => ({ language, text: text.trimEnd() }),
);
const [first] = blocks;

/** Ids and times differ in every run. */
function hide(text: string): string {
  return text
    .replaceAll(/\b(acct|key|tok)_\w+/g, "$1_…")
    .replaceAll(/expires_at: \S+/g, "expires_at: …")
    .trimEnd();
}

function run(command: string) {
  const [program, ...args] = command.split(" ");
  expect(program).toBe("poundkey");
  return poundkey(directory, args);
}

test("the commands do what is printed below them", async () => {
  expect(first?.language).toBe("yaml");
  writeFileSync(join(directory, "state.yaml"), first?.text ?? "");
  for (const [at, { language, text }] of blocks.entries()) {
    if (language !== "sh") continue;
    // The example of many removals.
    if (text.includes("--yes")) continue;
    const { code, out, err } = await run(text);
    expect([text, code, code === 0 ? "" : err]).toEqual([text, 0, ""]);
    const next = blocks[at + 1];
    if (next && next.language !== "sh") expect(hide(out)).toBe(next.text);
  }
  expect(readFileSync(join(directory, "new-secrets.jsonl"), "utf8").trim().split("\n")).toHaveLength(3);
});

test("removals take the number that is printed, and drift shows as printed", async () => {
  const many = Array.from({ length: 12 }, (_, at) => `  - { name: k${at} }`).join("\n");
  const nightly = "  - { name: nightly, account_id: Search, requests_per_day: null }";
  const write = (keys: string) =>
    writeFileSync(join(directory, "state.yaml"), `accounts: [{ name: Search }]\n${keys}`);
  write(`keys:\n${nightly}\n${many}\n`);
  await run("poundkey apply state.yaml");
  write(`keys:\n${nightly}\n`);
  const removals = blocks.find(({ text }) => text.includes("--yes"))?.text.split("\n") ?? [];
  expect(removals).toHaveLength(2);
  for (const command of removals) expect((await run(command)).out).toMatch(/\b12 (to remove|removed);/);
  writeFileSync(
    join(directory, "other.yaml"),
    "keys: [{ name: nightly, account_id: Search, requests_per_day: 500 }]",
  );
  await run("poundkey apply other.yaml");
  const drift = blocks.find(({ text }) => text.includes("changed here since"))?.text ?? "none";
  expect((await run("poundkey apply state.yaml --plan")).out).toContain(drift);
});
