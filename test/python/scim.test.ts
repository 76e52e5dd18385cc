// The routes of a company's directory as a foreign judge reads them: scim2-tester, in Python.
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { asObject, parseJson } from "../../src/core/json/json.ts";
import { startDirectoryWorld } from "../people/directory/world.ts";

const SCRIPT = join(import.meta.dir, "scim.py");
const OWN = join(import.meta.dir, "..", "..", ".venv", "bin", "python");
const SCRIPT_MS = 120_000;
const environment = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };

function findPython(): string | null {
  for (const python of [process.env.SCIM_PYTHON ?? null, OWN, Bun.which("python3")]) {
    if (python === null || !existsSync(python)) continue;
    const { success } = Bun.spawnSync([python, SCRIPT, "--list"], { env: environment, stderr: "ignore" });
    if (success) return python;
  }
  return null;
}

function suite(python: string): void {
  test(
    "no check of it fails",
    async () => {
      const world = await startDirectoryWorld();
      const given = JSON.stringify({ url: `${world.gateway.url}/scim/v2`, token: world.token });
      const child = Bun.spawn([python, SCRIPT, given], {
        env: environment,
        stdout: "pipe",
        stderr: "inherit",
      });
      const lines = (await new Response(child.stdout).text()).trim().split("\n");
      await world.stop();
      const checks = lines.map((line) => asObject(parseJson(line)));
      expect(checks.length).toBeGreaterThan(50);
      expect(checks.filter(({ status }) => status !== "SUCCESS" && status !== "SKIPPED")).toEqual([]);
    },
    SCRIPT_MS,
  );
}

const python = findPython();
if (python) describe("scim2-tester", () => suite(python));
else test.skip("The judge is not there: pip install -r test/python/requirements.txt into .venv", () => {});
