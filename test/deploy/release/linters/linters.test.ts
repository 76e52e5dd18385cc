// The linters of workflows, forms and scripts find nothing, and find what is planted. One that isn't installed is skipped.
import { afterAll, describe, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findTool } from "../../../harness/tools.ts";

const TEST_MS = 60_000;
const ROOT = join(import.meta.dir, "..", "..", "..", "..");
/** The folders into which `.ci/run` installs them, before those of this machine. */
const PLACES = [join(ROOT, ".venv/linters/bin"), join(ROOT, ".venv/actionlint"), process.env.PATH ?? ""];
const PATH = PLACES.join(":");

const find = (name: string) => findTool(name, PATH);

const scratch = mkdtempSync(join(tmpdir(), "poundkey-linters-"));
afterAll(() => rmSync(scratch, { recursive: true }));

async function run(...command: readonly string[]): Promise<readonly [number, string]> {
  const child = Bun.spawn([...command], {
    cwd: scratch,
    env: { PATH, HOME: scratch },
    stdout: "pipe",
    stderr: "pipe",
  });
  const said = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const code = await child.exited;
  return [code, code === 0 ? "" : said.join("\n")];
}

const CLEAN = [0, ""] as const;

/** Writes a changed copy of a file into a folder of its own. */
function plant(path: string, from: string | RegExp, to: string): string {
  const text = readFileSync(join(ROOT, path), "utf8");
  expect(text.replace(from, to)).not.toBe(text);
  const planted = join(mkdtempSync(join(scratch, "planted-")), path);
  mkdirSync(dirname(planted), { recursive: true });
  writeFileSync(planted, text.replace(from, to));
  return planted;
}

const CI = ".github/workflows/ci.yml";
const RELEASE = ".github/workflows/release.yml";
const inProject = (...paths: readonly string[]) => paths.map((path) => join(ROOT, path));

test.skipIf(find("actionlint") === null)(
  "actionlint finds nothing in the workflows, but a job that is needed and isn't there",
  async () => {
    expect(await run("actionlint", ...inProject(CI, RELEASE))).toEqual([...CLEAN]);
    const planted = plant(RELEASE, "needs: [check]", "needs: [checks]");
    expect(await run("actionlint", planted)).toEqual([1, expect.stringContaining('"checks"')]);
  },
  TEST_MS,
);

test.skipIf(find("zizmor") === null)(
  "zizmor finds nothing in the workflows, but an action by its tag",
  async () => {
    expect(await run("zizmor", "--offline", "--no-progress", ...inProject(".github"))).toEqual([...CLEAN]);
    const planted = plant(CI, /(actions\/checkout)@\w+/, "$1@v7");
    const [code, said] = await run("zizmor", "--offline", "--no-progress", planted);
    expect([code > 0, said]).toEqual([true, expect.stringContaining("unpinned-uses")]);
  },
  TEST_MS,
);

describe.skipIf(find("check-jsonschema") === null)("check-jsonschema (needs it)", () => {
  const forms = readdirSync(join(ROOT, ".github/ISSUE_TEMPLATE"))
    .filter((name) => name !== "config.yml")
    .map((name) => `.github/ISSUE_TEMPLATE/${name}`);
  const rows: readonly (readonly [
    schema: string,
    files: readonly string[],
    from: string | RegExp,
    to: string,
  ])[] = [
    ["vendor.github-workflows", [CI, RELEASE], "runs-on:", "runs-at:"],
    [
      "custom.github-workflows-require-timeout",
      [CI, RELEASE],
      /timeout-minutes: \d+/,
      "continue-on-error: false",
    ],
    ["vendor.github-issue-forms", forms, "type: textarea", "type: essay"],
    ["vendor.github-issue-config", [".github/ISSUE_TEMPLATE/config.yml"], "false", "perhaps"],
    ["vendor.dependabot", [".github/dependabot.yml"], "weekly", "sometimes"],
  ];
  test.concurrent.each(rows)(
    "%s finds nothing, but what is planted",
    async (schema, files, from, to) => {
      const check = ["check-jsonschema", "--builtin-schema", schema];
      expect(await run(...check, ...inProject(...files))).toEqual([...CLEAN]);
      const [code] = await run(...check, plant(files[0] ?? "", from, to));
      expect(code).toBe(1);
    },
    TEST_MS,
  );
});

test.skipIf(find("shellcheck") === null)(
  "shellcheck finds nothing in the scripts of a release, but a word that isn't quoted",
  async () => {
    const folder = "src/deploy/release";
    const scripts = readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);
    expect(await run("shellcheck", ...inProject(...scripts))).toEqual([...CLEAN]);
    const planted = plant(`${folder}/npm.sh`, 'cd "$WORK"', "cd $WORK");
    cpSync(join(ROOT, folder, "functions.sh"), join(dirname(planted), "functions.sh"));
    expect(existsSync(planted)).toBe(true);
    expect(await run("shellcheck", "--external-sources", planted)).toEqual([
      1,
      expect.stringContaining("SC2086"),
    ]);
  },
  TEST_MS,
);
