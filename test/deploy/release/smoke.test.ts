// A binary is tried from nothing before it is released: what the script sees when it works, and when it doesn't.
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../package.json" with { type: "json" };
import { IS_LONG } from "../../harness/long.ts";
import { PROGRAM } from "../../harness/program.ts";
import { makeTree } from "./tree.ts";

const TEST_MS = 60_000;
const tree = makeTree(version);
afterAll(() => tree.remove());

function writeProgram(name: string, text: string): string {
  const file = join(tree.beside, name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

const words = PROGRAM.map((word) => `'${word}'`).join(" ");

describe.skipIf(!IS_LONG)("smoke.sh", () => {
  test(
    "starts the program in an empty home, asks, verifies the books and stops it",
    async () => {
      const { code, out, err } = await tree.run("smoke.sh", [writeProgram("right", `exec ${words} "$@"`)]);
      expect([code, err]).toEqual([0, ""]);
      expect(out).toEndWith("right: started, answered, verified and stopped\n");
    },
    TEST_MS,
  );

  test.each([
    [
      "another version",
      "case $1 in --version) echo poundkey 0.0.1 ;; esac",
      "the binary is another version: poundkey 0.0.1",
    ],
    ["no start", `case $1 in --version) echo ${version} ;; *) exit 1 ;; esac`, "the gateway doesn't start"],
    [
      "another exit code",
      `case $1 in serve) trap 'kill $!; exit 5' TERM; ${words} "$@" & wait ;; *) exec ${words} "$@" ;; esac`,
      "the gateway ended with 5",
    ],
  ])(
    "refuses a program with %s",
    async (name, text, says) => {
      const { code, err } = await tree.run("smoke.sh", [writeProgram(name.replaceAll(" ", "-"), text)]);
      expect([code, err]).toEqual([1, expect.stringContaining(says)]);
    },
    TEST_MS,
  );
});
