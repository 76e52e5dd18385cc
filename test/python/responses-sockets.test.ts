// OpenAI's Python SDK over WebSockets: `responses.connect()`, on models of each family.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

const PYTHON = join(import.meta.dir, "..", "..", ".venv", "bin", "python");
const SCRIPT = join(import.meta.dir, "responses_sockets.py");
const RUN_MS = 60_000;
const ENVIRONMENT = { PATH: process.env.PATH ?? "" };
const IS_INSTALLED =
  existsSync(PYTHON) &&
  Bun.spawnSync([PYTHON, "-c", "import openai, websockets"], { env: ENVIRONMENT, stderr: "ignore" }).success;

let under: UnderTest;
beforeAll(async () => {
  under = await startUnderTest();
});
afterAll(() => under.stop());

describe.skipIf(!IS_INSTALLED)("openai-python over WebSockets (skipped if not installed)", () => {
  test.each([
    "Responses#gpt-6.1-sol",
    "Local#sim-mini",
    "Anthropic#claude-haiku-4-5",
    "Google#gemini-3.5-flash",
  ])(
    "goes on by id, is told of a refusal, and goes on after it, over %s",
    async (model) => {
      const child = Bun.spawn([PYTHON, SCRIPT, under.url, under.secret, model], {
        env: ENVIRONMENT,
        stdout: "pipe",
        stderr: "pipe",
      });
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      expect({ model, err: err.match(/\w*Error: .*/)?.[0] }).toEqual({ model, err: undefined });
      expect(parseJson(out)).toEqual({
        texts: ["first codeword", "second"],
        refused: [400, "previous_response_not_found"],
        after: "on",
        async: "async",
      });
      const sent = under.simulator.calls.all().map(({ body }) => JSON.stringify(body));
      expect(sent.find((body) => body.includes("say: second"))).toContain("first codeword");
    },
    RUN_MS,
  );
});
