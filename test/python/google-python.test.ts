// Google's Python SDK: it decodes signatures, mixes both spellings of fields, and calls functions itself.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { asArray, parseJson } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

const PYTHON = join(import.meta.dir, "..", "..", ".venv", "bin", "python");
const SCRIPT = join(import.meta.dir, "google_python.py");
const INTERACTIONS = join(import.meta.dir, "google_interactions.py");
const RUN_MS = 60_000;
const ENVIRONMENT = { PATH: process.env.PATH ?? "" };
const IS_INSTALLED =
  existsSync(PYTHON) &&
  Bun.spawnSync([PYTHON, "-c", "import google.genai"], { env: ENVIRONMENT, stderr: "ignore" }).success;

let under: UnderTest;
beforeAll(async () => {
  under = await startUnderTest({ more: "responses: { keep: 30d }" });
});
afterAll(() => under.stop());

describe.skipIf(!IS_INSTALLED)("Google's Python SDK (skipped if not installed)", () => {
  // The last one thinks, and another provider's thinking carries a signature made by the gateway.
  const models = [
    "Google/gemini-3.5-flash",
    "Local/sim-mini",
    "Anthropic/claude-haiku-4-5",
    "Local/sim-think",
  ];
  test.each(models)(
    "runs a function automatically and continues from its history, over %s",
    async (model) => {
      const [whole, streamed] = asArray(await run(SCRIPT, model));
      expect(whole).toContain("7 degrees in Oslo");
      expect(streamed).toContain("both seen");
    },
    RUN_MS,
  );

  test.each(["Google/gemini-3.5-flash", "Local/sim-think"])(
    "calls functions, streams and goes on by id with interactions, over %s",
    async (model) => {
      const text = expect.stringContaining("7 degrees");
      expect(await run(INTERACTIONS, model)).toEqual({
        sync: {
          status: "requires_action",
          results: 2,
          text,
          kept: "function_result",
          replayed: text,
          streamed: "a stream",
          end: "interaction.completed",
          missing: 404,
        },
        async: { text: "async", streamed: "async stream" },
      });
    },
    RUN_MS,
  );
});

/** Returns what a script prints. */
async function run(script: string, model: string): Promise<unknown> {
  const command = [PYTHON, script, under.url, under.secret, model];
  const child = Bun.spawn(command, { env: ENVIRONMENT, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect({ model, err: err.match(/\w*Error: .*/)?.[0] }).toEqual({ model, err: undefined });
  return parseJson(out);
}
