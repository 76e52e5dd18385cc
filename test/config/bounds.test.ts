// A configuration that is too deep, too large or endless ends quickly with an error at its place.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig, source } from "../../src/app/start/configuration.ts";
import { formatError } from "../../src/config/errors.ts";
import { loadText } from "../harness/settings.ts";

const COUNT = 100_000;
const MANY = 10_000;

function firstError(text: string): string {
  const loaded = loadText(text);
  return loaded.ok
    ? ""
    : formatError(loaded.errors[0] ?? { file: "", line: 0, column: 0, field: "", message: "" });
}

describe("a text with too much structure", () => {
  const indented = Array.from({ length: 100 }, (_, at) => `${" ".repeat(at)}a:`).join("\n");
  const stairs = Array.from({ length: 9 }, (_, at) => `${" ".repeat(20 * at)}${"- ".repeat(10)}`).join("\n");
  const DEEP = "nested more than 64 levels deep";
  test.each([
    ["open brackets", "[".repeat(COUNT), `poundkey.yaml:1:64: ${DEEP}`],
    ["open braces", `providers:\n  A: ${"{a: ".repeat(COUNT)}`, `poundkey.yaml:2:254: providers.A: ${DEEP}`],
    ["lists in lists", `aliases:\n${"- ".repeat(COUNT)}`, `poundkey.yaml:2:129: ${DEEP}`],
    ["names of names", "? ".repeat(COUNT), `poundkey.yaml:1:129: ${DEEP}`],
    ["fields in fields", indented, `poundkey.yaml:65:65: a.a.a: ${DEEP}`],
    ["lists in lists on several lines", stairs, `poundkey.yaml:7:129: ${DEEP}`],
    ["values", `a: [${"1,".repeat(600_000)}]`, "poundkey.yaml:1:666667: a: the file has too many values"],
  ])("%s", (_, text, error) => {
    expect(firstError(text)).toBe(error);
  });

  test("64 levels are parsed", () => {
    expect(firstError(`a: ${"[".repeat(62)}${"]".repeat(62)}`)).toContain("a: unknown field");
  });

  /** Comparing each name with all others, or each error with all others, would take minutes. */
  const many = (line: (at: number) => string) => Array.from({ length: MANY }, (_, at) => line(at)).join("");
  test.each([
    ["unknown fields", many((at) => `k${at}: x\n`), "poundkey.yaml:1:1: k0: unknown field"],
    ["equal fields", many(() => "a: 1\n"), "poundkey.yaml:2:1: a: this field appears twice"],
    ["aliases", `a: [${many(() => "*a,")}]`, "poundkey.yaml:1:5: a[0]: this alias"],
    [
      "variables that aren't set",
      `aliases:\n${many((at) => `  k${at}: \${X${at}}\n`)}`,
      "aliases.k0: the environment",
    ],
  ])(
    "many %s",
    (_, text, error) => {
      expect(firstError(text)).toContain(error);
    },
    20_000,
  );
});

describe("a file", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "poundkey-bounds-"));
    Bun.spawnSync(["mkfifo", join(folder, "pipe")]);
    writeFileSync(join(folder, "large"), "a".repeat(1_000_001));
    writeFileSync(join(folder, "fits"), "a".repeat(4000));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const errorsOf = (file: string): readonly string[] => {
    const { loaded } = loadConfig({ config: file }, source);
    return loaded.ok ? [] : loaded.errors.map(formatError);
  };
  const errorOfValue = (path: string): string => {
    const file = join(folder, "config.yaml");
    writeFileSync(file, `server:\n  admin_token: "\${file:${path}}"\n`);
    return errorsOf(file).join("\n").replaceAll(folder, "");
  };

  test.each([
    ["/dev/zero", "is not a regular file"],
    ["/dev/urandom", "is not a regular file"],
    ["", "is not a regular file"],
    ["pipe", "is not a regular file"],
    ["large", "is larger than 1 MB"],
    ["none", "doesn't exist"],
  ])("that a value names: %s", (name, message) => {
    const path = name.startsWith("/") ? name : join(folder, name);
    const shown = path.replace(folder, "");
    expect(errorOfValue(path)).toBe(`/config.yaml:2:16: server.admin_token: the file ${shown} ${message}`);
  });

  test("that a value names is read if it is regular and within the bound", () => {
    expect(errorOfValue(join(folder, "fits"))).not.toContain("the file");
  });

  test("of the configuration may be a pipe, but not an endless one", () => {
    expect(errorsOf("/dev/zero")).toEqual(["/dev/zero: the file is larger than 4 MB"]);
    expect(errorsOf("/dev/null")).toEqual([]);
  });

  test("of the catalogue must be regular", () => {
    const file = join(folder, "catalogue.yaml");
    writeFileSync(file, "catalogue: /dev/zero\n");
    expect(errorsOf(file)).toEqual([`${file}:1:12: catalogue: /dev/zero: the file is not a regular file`]);
  });
});
