// Python frameworks in their default modes, mostly on Responses. Each check of frameworks.py is a test here.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

const PYTHON = join(import.meta.dir, "..", "..", ".venv", "frameworks", "bin", "python");
const SCRIPT = join(import.meta.dir, "frameworks.py");
const RUN_MS = 120_000;
const ALIASES = 'aliases: { gpt-native: "OpenAI#gpt-5.4", gpt-other: "Anthropic#claude-haiku-4-5" }';

describe.skipIf(!existsSync(PYTHON))("Python frameworks", () => {
  let under: UnderTest;
  let answers: JsonObject = {};
  beforeAll(async () => {
    under = await startUnderTest({ more: `responses: { keep: 1d }\n${ALIASES}` });
    const env = { PATH: process.env.PATH ?? "", HOME: under.directory };
    const child = Bun.spawn([PYTHON, SCRIPT, under.url, under.secret], {
      env,
      stdout: "pipe",
      stderr: "inherit",
    });
    answers = asObject(parseJson(await new Response(child.stdout).text()));
  }, RUN_MS);
  afterAll(() => under.stop());

  for (const name of [
    "agents",
    "pydantic-ai",
    "pydantic-ai by name",
    "langchain",
    "langchain by default",
    "tool runner",
  ])
    test.each(["Responses#gpt-6.1-sol", "Anthropic#claude-opus-5-5", "Google#gemini-3.5-flash"])(
      `${name} calls a tool and answers, whole and streamed: %s`,
      (model) => {
        const both = asArray(answers[`${name} ${model}`]);
        expect(both).toHaveLength(2);
        for (const answer of both) expect(answer).toContain("7 degrees in Oslo");
      },
    );

  test.each(["gpt-native", "gpt-other"])("a session of the Agents SDK compacts itself: %s", (model) => {
    const left = "two: user user compaction";
    expect(answers[`compaction ${model}`]).toEqual([left, left]);
  });
});
