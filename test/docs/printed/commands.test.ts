// Each command that the comparison and the guide to releases print has been run, or is marked as one that can't be here.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scripts as packaged } from "../../../package.json" with { type: "json" };
import { runCommandLine } from "../../../src/cli/commands.ts";
import { asObject } from "../../../src/core/json/json.ts";
import { OPENSSL } from "../../harness/certificates.ts";
import { runPrinting } from "../../harness/poundkey.ts";
import { dropBlocks, filesOfTests, ROOT, readDocument } from "../documents.ts";
import { PROOFS, type Proof } from "./commands.ts";

const PAGES = ["src/docs/compare.md", ".github/RELEASING.md"];

/** Two words and more that begin as a program's name does, or the path of a program. */
const COMMAND =
  /^(?:[A-Z_]+=\S+ )?(?:[a-z][\w-]*(?: [^:]*)? \S+|\S*\/[\w-]+\.sh|(?:\.\/|\.ci\/)\S+)(?: .*)?$/;

function listCommands(path: string): readonly string[] {
  const page = readDocument(path);
  const blocks = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)];
  const lines = blocks.flatMap(([, block = ""]) => block.trim().split("\n"));
  const spans = [...dropBlocks(page).matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map(([, span = ""]) => span);
  const inline = spans.map((span) => span.replace(/\s+/g, " ")).filter((span) => COMMAND.test(span));
  return [...lines.flatMap((line) => line.replace(/ +# .*$/, "").split(" && ")), ...inline].map((line) =>
    line.trim(),
  );
}

const scripts = asObject(packaged);
const commands = [...new Set(PAGES.flatMap(listCommands))].toSorted();
const listBy = (by: Proof["by"]) => commands.filter((command) => PROOFS[command]?.by === by);

test("each printed command is known, and each known one is printed", () => {
  expect(commands).toEqual(Object.keys(PROOFS).toSorted());
});

test("what another file runs stands in it", () => {
  const missing = Object.entries(PROOFS).flatMap(([command, proof]) => {
    if (proof.by !== "another file") return [];
    const text = readFileSync(join(ROOT, proof.file), "utf8");
    return proof.words.filter((word) => !text.includes(word)).map((word) => `${command}: ${word}`);
  });
  expect(missing).toEqual([]);
});

test("a script that is run by npm is one of the project's", () => {
  const called = commands.flatMap((command) => /^npm (?:run )?([\w:]+)/.exec(command)?.[1] ?? []);
  const others = ["publish", "deprecate", "dist"];
  expect(called.filter((name) => !(name in scripts) && !others.includes(name))).toEqual([]);
});

test("tests that are named by words are there", () => {
  const files = filesOfTests();
  for (const command of listBy("its tests")) {
    const words = command.replace(/^.*\btest (?:-- )?/, "").split(" ");
    const empty = words.filter((word) => !files.some((file) => file.includes(word)));
    expect([command, words.length > 0, empty]).toEqual([command, true, []]);
  }
});

describe("run here", () => {
  const here = listBy("this test");
  const folder = mkdtempSync(join(tmpdir(), "poundkey-printed-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const store = ["--store", `sqlite:${join(folder, "poundkey.db")}`];
  const own = [...store, "--config", join(folder, "poundkey.yaml")];

  const ofGateway = here.filter((command) => command.startsWith("poundkey "));
  beforeAll(async () => {
    await Bun.write(join(folder, "poundkey.yaml"), "{}\n");
    const words = ["keys", "add", "--name", "first", ...own];
    expect((await runPrinting((io) => runCommandLine(words, io))).code).toBe(0);
  });
  test.each(ofGateway)("%s", async (command) => {
    const words = command.split(" ").slice(1);
    const { code, out, err } = await runPrinting((io) => runCommandLine([...words, ...own], io));
    // An empty list is said on standard error.
    expect([code, `${out}${err}` === ""]).toEqual([0, false]);
  });

  const ofKeys = here.filter((command) => command.startsWith("openssl "));
  test.skipIf(OPENSSL === null)("a signing key is made as printed (needs openssl)", () => {
    for (const command of ofKeys) {
      const { exitCode } = Bun.spawnSync(["sh", "-c", command], { cwd: folder, stderr: "ignore" });
      expect([command, exitCode, existsSync(join(folder, command.split(" ").at(-1) ?? ""))]).toEqual([
        command,
        0,
        true,
      ]);
    }
  });

  test("nothing else is said to be run here", () => {
    const ran = [...ofGateway, ...ofKeys];
    expect(here.filter((command) => !ran.includes(command))).toEqual([]);
  });
});
