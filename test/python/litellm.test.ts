// LiteLLM's library as a client: what it sends by default is taken over every API. Each call of litellm_client.py is a test here.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

const PYTHON = join(import.meta.dir, "..", "..", ".venv", "litellm", "bin", "python");
const SCRIPT = join(import.meta.dir, "litellm_client.py");
const RUN_MS = 120_000;
const IS_INSTALLED = existsSync(PYTHON);

async function run(...words: readonly string[]): Promise<unknown> {
  const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };
  const child = Bun.spawn([PYTHON, SCRIPT, ...words], { env, stdout: "pipe", stderr: "ignore" });
  return parseJson(await new Response(child.stdout).text());
}

const calls = IS_INSTALLED ? asArray(await run("--list")).map(String) : [];

describe.skipIf(!IS_INSTALLED)("LiteLLM's library (skipped if not installed)", () => {
  let under: UnderTest;
  let failures: JsonObject = {};
  beforeAll(async () => {
    under = await startUnderTest();
    failures = asObject(await run(under.url, under.secret));
  }, RUN_MS);
  afterAll(() => under.stop());

  test.each(calls)("is answered: %s", (name) => {
    expect(failures[name]).toBeNull();
  });
});
