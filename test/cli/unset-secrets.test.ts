// Commands that call no provider need none of their secrets.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommandLine } from "../../src/cli/commands.ts";
import { runPrinting } from "../harness/poundkey.ts";

const folder = mkdtempSync(join(tmpdir(), "poundkey-unset-"));
afterAll(() => rmSync(folder, { recursive: true }));
const config = join(folder, "poundkey.yaml");
const add = () =>
  runPrinting((io) => runCommandLine(["keys", "add", "--name", "app", "--json", "--config", config], io));

test("keys are added in a shell without the providers' variables, and not beside another mistake", async () => {
  const store = `store: "sqlite:${join(folder, "poundkey.db")}"\n`;
  const keys = `providers: { OpenAI: { keys: ["$\{SECRET_THAT_IS_UNSET}"] }, Mine: { dialect: openai, base_url: "$\{URL_THAT_IS_UNSET}", keys: [k] } }\n`;
  writeFileSync(config, store + keys);
  const { code, out } = await add();
  expect([code, JSON.parse(out).name]).toEqual([0, "app"]);
  writeFileSync(config, `${store}${keys}quotta: {}\n`);
  const refused = await add();
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("quotta")]);
  expect(refused.err).toContain("SECRET_THAT_IS_UNSET is not set");
});
