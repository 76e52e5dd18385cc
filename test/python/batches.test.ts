// The Python SDKs of OpenAI and Anthropic with files and batches. Each check of batches_client.py is a test here.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { findChecks, runChecks, SCRIPT_MS } from "./checks.ts";

const here = findChecks("batches_client.py");

function suite(found: NonNullable<typeof here>): void {
  let results: ReadonlyMap<string, unknown>;
  let under: UnderTest;
  beforeAll(async () => {
    under = await startUnderTest();
    results = await runChecks(found, { url: under.url, secret: under.secret });
  }, 2 * SCRIPT_MS);
  afterAll(() => under.stop());

  test.each(found.checks)("%s", (check) => {
    expect(results.get(check)).toBeNull();
  });
}

if (here) describe("files and batches in Python", () => suite(here));
else
  test.skip("Python has no openai and anthropic: pip install -r test/python/requirements.txt into .venv", () => {});
