// The workflows keep their rules, run scripts that are there, and use the secrets that the page for owners names.
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, asString } from "../../../src/core/json/json.ts";
import { SYSTEMS } from "./tree.ts";
import { listBreaches, listSecrets } from "./workflow-rules.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
const GITHUB = join(ROOT, ".github");
const SCRIPTS = join(ROOT, "src", "deploy", "release");
const read = (name: string) => readFileSync(join(GITHUB, name), "utf8");
const WORKFLOWS = readdirSync(join(GITHUB, "workflows"));
const ci = read("workflows/ci.yml");
const release = read("workflows/release.yml");

test.each(WORKFLOWS)("%s keeps the rules", (name) => {
  expect(listBreaches(read(`workflows/${name}`))).toEqual([]);
});

/** Writes an expression as workflows have them. */
const expression = (text: string) => `\${{ ${text} }}`;

/** A change that must not pass, and what is said of it. */
const MUTANTS: readonly (readonly [text: string, from: string | RegExp, to: string, says: string])[] = [
  [
    ci,
    /actions\/checkout@\w+/,
    "actions/checkout@v7",
    "tests: actions/checkout@v7 isn't pinned, or not GitHub's own",
  ],
  [ci, /actions\/setup-node@/, "someone/setup-node@", "isn't pinned, or not GitHub's own"],
  [
    ci,
    "- run: .ci/run",
    `- run: .ci/run\n        env: { KEY: '${expression("secrets.TAP_TOKEN")}' }`,
    "tests: a secret outside",
  ],
  [
    ci,
    "permissions: {}",
    `permissions: {}\nenv: { KEY: '${expression("secrets.ANY")}' }`,
    "a secret stands outside of the jobs",
  ],
  [
    ci,
    "- run: .ci/run",
    `- run: echo ${expression("github.head_ref")}`,
    "tests: text from outside stands in a command",
  ],
  [ci, "    timeout-minutes: 180\n", "", "tests: it has no timeout"],
  [ci, "  pull_request:", "  pull_request_target:", "it runs on pull_request_target"],
  [ci, "permissions: {}", "permissions: read-all", "permissions at the top aren't {}"],
  [ci, "    permissions:\n      contents: read\n", "", "tests: it has no permissions of its own"],
  [ci, "      contents: read", "      contents: write", "tests: it may write contents"],
  [ci, "          persist-credentials: false\n", "", "tests: the checkout keeps the token"],
  [release, "    environment: release\n", "", "publish: a secret outside of the environment"],
  [
    release,
    "      packages: write",
    "      packages: write\n      contents: write",
    "image: it may write contents",
  ],
  [
    release,
    "    needs: [publish]\n",
    "    uses: acme/x/.github/workflows/y.yml@main\n",
    "it runs a workflow of elsewhere",
  ],
];

test.each(MUTANTS.map((mutant) => [mutant[3], mutant] as const))("a breach is found: %s", (_, mutant) => {
  const [text, from, to, says] = mutant;
  expect(text.replace(from, to)).not.toBe(text);
  expect(listBreaches(text.replace(from, to)).join("\n")).toContain(says);
});

test("the secrets are those that the page for owners names", () => {
  const page = read("RELEASING.md");
  const named = [...page.matchAll(/^\| `([A-Z_]+)` \| the environment `release` \|/gm)].map(
    ([, name]) => name,
  );
  expect(named.toSorted()).toEqual([...listSecrets(release)]);
  expect(listSecrets(ci)).toEqual([]);
  const used = [...page.matchAll(/^\| `([A-Z_]+)` .* `(\w+\.sh)` \|$/gm)];
  for (const [, secret = "", script = ""] of used)
    expect([script, readFileSync(join(SCRIPTS, script), "utf8").includes(secret)]).toEqual([script, true]);
});

const commands = [ci, release].flatMap((text) =>
  Object.values(asObject(asObject(Bun.YAML.parse(text)).jobs)).flatMap((job) =>
    asArray(asObject(job).steps).flatMap((step) => asString(asObject(step).run) ?? []),
  ),
);

test("each script is there, and each has its step", () => {
  const called = [...commands.join("\n").matchAll(/src\/deploy\/release\/([\w-]+\.sh)/g)].map(
    ([, name = ""]) => name,
  );
  expect(called.filter((name) => !existsSync(join(SCRIPTS, name)))).toEqual([]);
  const scripts = readdirSync(SCRIPTS).filter((name) => name !== "functions.sh");
  expect(scripts.filter((name) => !called.includes(name))).toEqual([]);
});

test("binaries are tried on systems that have one, and released after a person's approval", () => {
  const jobs = asObject(asObject(Bun.YAML.parse(release)).jobs);
  const included = asArray(asObject(asObject(asObject(jobs.smoke).strategy).matrix).include).map(asObject);
  expect(included.filter(({ system }) => !SYSTEMS.includes(asString(system) ?? ""))).toEqual([]);
  // All jobs of which the named one needs the end, directly or by another.
  const before = (name: string): readonly string[] =>
    asArray(asObject(jobs[name]).needs).flatMap((need) => [String(need), ...before(String(need))]);
  expect(asObject(jobs.publish).environment).toBe("release");
  for (const name of ["npm", "image", "chart", "formula", "manual"])
    expect(before(name)).toContain("publish");
  expect(new Set(before("publish"))).toEqual(
    new Set(["draft", "provenance", "smoke", "layers", "build", "check"]),
  );
});
