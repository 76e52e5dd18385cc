// ADK's runner, set up as the manual says: it goes on by id in each turn, and sends its last thoughts again.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { asObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

const PYTHON = join(import.meta.dir, "..", "..", ".venv", "adk", "bin", "python");
const SCRIPT = join(import.meta.dir, "adk.py");
const RUN_MS = 120_000;

const MODELS = [
  "Google#gemini-3.5-flash",
  "Local#sim-mini",
  "Anthropic#claude-haiku-4-5",
  "Local#sim-think",
  "Responses#gpt-6.1-sol",
];

describe.skipIf(!existsSync(PYTHON))("ADK with interactions (skipped if not installed)", () => {
  let under: UnderTest;
  let answers: JsonObject = {};
  beforeAll(async () => {
    under = await startUnderTest({ more: "responses: { keep: 30d }" });
    const child = Bun.spawn([PYTHON, SCRIPT, under.url, under.secret, ...MODELS], {
      env: { PATH: process.env.PATH ?? "", HOME: under.directory },
      stdout: "pipe",
      stderr: "inherit",
    });
    answers = asObject(parseJson(await new Response(child.stdout).text()));
  }, RUN_MS);
  afterAll(() => under.stop());

  test.each(MODELS)("answers three turns, one of which calls a tool twice, over %s", (model) => {
    const answer = {
      texts: ["first", expect.stringContaining("7 degrees in Rome"), "third"],
      calls: 2,
      errors: [],
    };
    expect(answers[model]).toEqual({ whole: answer, streamed: answer });
  });
});
