// OpenAI's Python SDK with tools that the gateway runs, on models of each family, whole and streamed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../../src/core/json/json.ts";
import { type LoopWorld, MODELS, startLoopWorld } from "../http/tools/loop/loop-world.ts";

const PYTHON = join(import.meta.dir, "..", "..", ".venv", "bin", "python");
const SCRIPT = join(import.meta.dir, "own_tools.py");
const RUN_MS = 60_000;
const ENVIRONMENT = { PATH: process.env.PATH ?? "" };
const IS_INSTALLED =
  existsSync(PYTHON) &&
  Bun.spawnSync([PYTHON, "-c", "import openai"], { env: ENVIRONMENT, stderr: "ignore" }).success;

let world: LoopWorld;
beforeAll(async () => {
  world = await startLoopWorld();
});
afterAll(() => world.stop());

describe.skipIf(!IS_INSTALLED)("openai-python with tools of ours (skipped if not installed)", () => {
  test.each(MODELS)(
    "sees the calls, and sends them back, over %s",
    async (model) => {
      const child = Bun.spawn([PYTHON, SCRIPT, world.url, world.secret, model], {
        env: ENVIRONMENT,
        stdout: "pipe",
        stderr: "pipe",
      });
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      expect({ model, err: err.match(/\w*Error: .*/)?.[0] }).toEqual({ model, err: undefined });
      const answer = { status: "completed", text: "done", lists: 1, outputs: ["echo: one"] };
      expect(parseJson(out)).toEqual({
        whole: answer,
        streamed: answer,
        events: ["response.mcp_call.in_progress", "response.mcp_call.completed"],
        again: { status: "completed", text: "on", lists: 0, outputs: [] },
      });
    },
    RUN_MS,
  );
});
