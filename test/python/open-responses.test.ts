// Answers of the Responses API as foreign judges read them: Open Responses' types and OpenAI's strict SDK, both in Python.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { asObject, parseJson } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { startThinServer } from "../harness/thin-responses.ts";

const SCRIPT = join(import.meta.dir, "open_responses.py");
const OWN = join(import.meta.dir, "..", "..", ".venv", "bin", "python");
const SCRIPT_MS = 60_000;
const environment = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };

/** One of each dialect. A server that leaves out what the form requires answers as `Thin`. */
const MODELS = [
  "Responses#gpt-5.4",
  "Anthropic#claude-haiku-4-5",
  "Google#gemini-3.5-flash",
  "Mistral#mistral-large-latest",
  "Perplexity#sonar-pro",
  "Cohere#command-a-03-2025",
  "Bedrock#amazon.nova-pro-v1:0",
  "Local#sim-mini",
  "Thin#llama",
];

function findPython(): string | null {
  for (const python of [OWN, Bun.which("python3")]) {
    if (python === null || !existsSync(python)) continue;
    const { success } = Bun.spawnSync([python, SCRIPT, "--list"], { env: environment, stderr: "ignore" });
    if (success) return python;
  }
  return null;
}

function suite(python: string): void {
  let under: UnderTest;
  let thin: Bun.Server<undefined>;
  const judged = new Map<string, unknown>();

  beforeAll(async () => {
    thin = startThinServer();
    const row = `  Thin: { dialect: responses, base_url: "${thin.url.origin}/v1", models: [{ name: llama, capabilities: [tools] }] }`;
    under = await startUnderTest({ more: row });
    const given = JSON.stringify({ url: under.url, secret: under.secret, models: MODELS });
    const child = Bun.spawn([python, SCRIPT, given], { env: environment, stdout: "pipe", stderr: "inherit" });
    for (const line of (await new Response(child.stdout).text()).trim().split("\n")) {
      const { case: name, errors } = asObject(parseJson(line));
      judged.set(String(name), errors);
    }
  }, SCRIPT_MS);

  afterAll(async () => {
    await under.stop();
    await thin.stop(true);
  });

  test.each(MODELS)("%s", (model) => {
    const cases = [...judged].filter(([name]) => name.startsWith(`${model}, `));
    expect(cases.length).toBe(8);
    for (const [name, errors] of cases) expect([name, errors]).toEqual([name, []]);
  });
}

const python = findPython();
if (python) describe("Open Responses and OpenAI's SDK accept the answers of", () => suite(python));
else test.skip("The judges are not there: pip install -r test/python/requirements.txt into .venv", () => {});
