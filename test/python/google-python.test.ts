// Google's Python SDK: it decodes signatures, mixes both spellings of fields, and calls functions itself.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { asArray, parseJson } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

const PYTHON = join(import.meta.dir, "..", "..", ".venv", "bin", "python");
const SCRIPT = join(import.meta.dir, "google_python.py");
const INTERACTIONS = join(import.meta.dir, "google_interactions.py");
const RUN_MS = 120_000;
/** One model of each family: Messages, Gemini, Responses, chat completions. */
const CHAIN = [
  "Anthropic/claude-haiku-4-5",
  "Google/gemini-3.5-flash",
  "OpenAI/gpt-5.6-sol",
  "Local/sim-mini",
];
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
      const poor = await under.newKey({ requests_per_day: 1 });
      // A provider of its own for each, since it rests afterwards.
      const failing = model.startsWith("Google") ? "Cohere/sim~500" : "Mistral/sim~500";
      // A server that nobody says more of has no searches.
      const searches = model.startsWith("Google") ? ["google_search_call", "google_search_result"] : [];
      expect(await run(INTERACTIONS, model, CHAIN.join(), poor.secret, failing)).toEqual({
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
        forms: {
          system: { types: expect.arrayContaining(["model_output"]), text: "hi" },
          picture: { types: expect.anything(), text: expect.stringContaining("[image image/png") },
          forced: { types: expect.arrayContaining(["function_call"]), text: expect.anything() },
          schema: { types: expect.anything(), text: expect.stringMatching(/^{"city":/) },
          search: { types: expect.arrayContaining(searches), text: expect.stringContaining("who won") },
          thinking: { types: ["model_output", "thought"], text: "done" },
        },
        chain: { last: "turn 3", forks: 2 },
        refused: [400, 401, 404, 400, 200, 429],
        rest: { failed: [502, 503], rests: Array.from({ length: 3 }, () => ["InternalServerError", 503]) },
      });
    },
    RUN_MS,
  );
});

/** Returns what a script prints. */
async function run(script: string, model: string, ...more: readonly string[]): Promise<unknown> {
  const command = [PYTHON, script, under.url, under.secret, model, ...more];
  const child = Bun.spawn(command, { env: ENVIRONMENT, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect({ model, err: err.match(/\w*Error: .*/)?.[0] }).toEqual({ model, err: undefined });
  return parseJson(out);
}
