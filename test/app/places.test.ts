// Commands in the user's own places: each works there, and none reads what lies in the working folder.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { EXIT } from "../../src/app/terminal.ts";
import { readWords } from "../../src/cli/bare-words.ts";
import { runCommandLine } from "../../src/cli/commands.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { APART, ELSEWHERE, ON_STORE, WITHOUT_STORE } from "./user-commands.ts";

const VARIABLES = ["POUNDKEY_PLACES", "POUNDKEY_STORE", "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] as const;
type Variables = Partial<Record<(typeof VARIABLES)[number], string>>;

const UNREAD =
  "poundkey: ./poundkey.yaml and ./.poundkey of this folder are not read: name what you want by --config and --store";

let root: string;
let home: string;
let before: NodeJS.ProcessEnv;
const at = (...path: readonly string[]) => join(root, ...path);

/** The working folder has a configuration that no command accepts, and a store that isn't one. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "poundkey-places-"));
  home = at("home");
  mkdirSync(home);
  mkdirSync(".poundkey");
  writeFileSync("poundkey.yaml", "server: { prot: 1 }\n");
  writeFileSync(".poundkey/poundkey.db", "not a store");
  before = { ...process.env };
});
afterEach(() => {
  for (const name of VARIABLES) setVariable(name, before[name]);
  for (const path of [root, ".poundkey", "poundkey.yaml"]) rmSync(path, { recursive: true });
});

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

async function run(args: readonly string[], variables: Variables = { HOME: home }) {
  for (const name of VARIABLES) setVariable(name, { POUNDKEY_PLACES: "user", ...variables }[name]);
  return runPrinting((io) => runCommandLine(args, io));
}

const database = () => join(home, ".local/share/poundkey/poundkey.db");

test("the tables have every command", async () => {
  const { out } = await run(["--help"]);
  const names = [...out.matchAll(/^ {2}([\w-]+) +/gm)].map(([, name = ""]) => name);
  const rows = [...ON_STORE, ...WITHOUT_STORE.map(([args]) => args)].map(([name = ""]) => name);
  expect(names.length).toBeGreaterThan(20);
  const known = [...rows, ...ELSEWHERE, ...APART];
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

test.each(ON_STORE.map((args) => [args.join(" "), args] as const))(
  "%s looks for the store in the user's place",
  async (_, args) => {
    const { code, err } = await run(args);
    expect([code, err.split("\n")[0]]).toEqual([EXIT.failed, UNREAD]);
    expect(err).toContain(database());
    expect(readdirSync(".").toSorted()).toEqual([".poundkey", "poundkey.yaml"]);
  },
);

/** The variables, the user's own files, and the folder of the database that follows from both. */
const PLACES: readonly {
  readonly when: string;
  readonly variables: () => Variables;
  readonly configuration?: () => string;
  readonly folder: () => string;
}[] = [
  {
    when: "XDG_DATA_HOME",
    variables: () => ({ HOME: home, XDG_DATA_HOME: at("data") }),
    folder: () => at("data/poundkey"),
  },
  {
    when: "XDG_DATA_HOME alone",
    variables: () => ({ XDG_DATA_HOME: at("data") }),
    folder: () => at("data/poundkey"),
  },
  {
    when: "a relative XDG_DATA_HOME, which is ignored",
    variables: () => ({ HOME: home, XDG_DATA_HOME: ".poundkey" }),
    folder: () => dirname(database()),
  },
  {
    when: "POUNDKEY_STORE",
    variables: () => ({
      HOME: home,
      XDG_DATA_HOME: at("data"),
      POUNDKEY_STORE: `sqlite:${at("given/poundkey.db")}`,
    }),
    folder: () => at("given"),
  },
  {
    when: "the configuration's store",
    variables: () => ({ HOME: home, XDG_DATA_HOME: at("data") }),
    configuration: () => join(home, ".config"),
    folder: () => at("configured"),
  },
  {
    when: "the store of the configuration in XDG_CONFIG_HOME",
    variables: () => ({ HOME: home, XDG_CONFIG_HOME: at("settings") }),
    configuration: () => at("settings"),
    folder: () => at("configured"),
  },
];

test.each(PLACES.map((row) => [row.when, row] as const))(
  "all commands alike look for the store by %s",
  async (_, { variables, configuration, folder }) => {
    if (configuration) {
      mkdirSync(join(configuration(), "poundkey"), { recursive: true });
      const text = `store: "sqlite:${at("configured/poundkey.db")}"\n`;
      writeFileSync(join(configuration(), "poundkey/poundkey.yaml"), text);
    }
    for (const args of ON_STORE) {
      const { code, err } = await run(args, variables());
      expect([args, code]).toEqual([args, EXIT.failed]);
      expect(err).toContain(join(folder(), "poundkey.db"));
    }
    expect(readdirSync(root)).not.toContain("data");
  },
);

test.each(WITHOUT_STORE.map((row) => [row[0].join(" "), ...row] as const))(
  "%s doesn't read the folder's configuration",
  async (_, args, expected) => {
    const { code, out, err } = await run(args);
    expect([code, err.split("\n")[0]]).toEqual([expected, UNREAD]);
    expect(out + err).not.toContain("prot");
  },
);

test("commands that need no configuration say nothing about one", async () => {
  const { code, err } = await run(["samples", "--list"]);
  expect([code, err]).toEqual([EXIT.done, ""]);
});

describe("a key", () => {
  const add = ["keys", "add", "--name", "one"];

  test("is made in a store that only the user can read", async () => {
    expect((await run(add)).code).toBe(EXIT.done);
    expect(statSync(dirname(database())).mode & 0o777).toBe(0o700);
    expect((await run(["keys", "list"])).out).toContain("one");
  });

  test.each<[string, (given: string) => Variables, (given: string) => readonly string[]]>([
    ["XDG_DATA_HOME", (given) => ({ XDG_DATA_HOME: dirname(given) }), () => []],
    ["POUNDKEY_STORE", (given) => ({ HOME: home, POUNDKEY_STORE: `sqlite:${given}/poundkey.db` }), () => []],
    ["--store", () => ({ HOME: home }), (given) => ["--store", `sqlite:${relative(".", given)}/poundkey.db`]],
  ])("is made where %s says", async (_, variables, flags) => {
    const given = at("given/poundkey");
    const { code } = await run([...add, ...flags(given)], variables(given));
    expect([code, readdirSync(given)]).toEqual([EXIT.done, expect.arrayContaining(["poundkey.db"])]);
    expect(readdirSync(home)).toEqual([]);
  });

  test("is made in the store of the user's configuration, if that names one", async () => {
    mkdirSync(join(home, ".config/poundkey"), { recursive: true });
    writeFileSync(join(home, ".config/poundkey/poundkey.yaml"), `store: "sqlite:${at("named.db")}"\n`);
    expect((await run(add)).code).toBe(EXIT.done);
    expect(readdirSync(root)).toContain("named.db");
  });

  test("has no place without a home, which the error says", async () => {
    for (const variables of [{}, { HOME: "work", XDG_DATA_HOME: "data" }]) {
      const { code, err } = await run(add, variables);
      expect([code, err]).toEqual([
        EXIT.failed,
        `${UNREAD}\nHOME: there is no home, so name the store: --store sqlite:/PATH/poundkey.db`,
      ]);
    }
    expect((await run(["serve"], {})).code).toBe(EXIT.failed);
  });

  test.each(["770", "707"])(
    "is refused in a folder of mode %s, and the error's chmod helps",
    async (mode) => {
      const folder = dirname(database());
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, Number.parseInt(mode, 8));
      for (const args of [add, ["serve"], ["check"]]) {
        const { code, out, err } = await run(args);
        expect([code, out + err]).toEqual([
          EXIT.failed,
          expect.stringContaining(`${folder}: the folder can be written by others: chmod 700 "${folder}"`),
        ]);
      }
      expect(readdirSync(folder)).toEqual([]);
      chmodSync(folder, 0o700);
      expect((await run(add)).code).toBe(EXIT.done);
    },
  );

  test.skipIf(process.geteuid?.() !== 0)("is refused in a folder of another user", async () => {
    const folder = dirname(database());
    mkdirSync(folder, { recursive: true });
    Bun.spawnSync(["chown", "65534", folder]);
    const { code, err } = await run(add);
    expect([code, err]).toEqual([EXIT.failed, expect.stringContaining("belongs to another user")]);
    expect((await run([...add, "--store", `sqlite:${at("own.db")}`])).code).toBe(EXIT.done);
  });
});

test("what a flag or variable names isn't said to be unread", async () => {
  const named = await run(["check", "--config", "poundkey.yaml"]);
  expect(named.code).toBe(EXIT.failed);
  expect(named.err).toStartWith(
    "poundkey: ./.poundkey of this folder is not read: name what you want by --store",
  );
  const store = { HOME: home, POUNDKEY_STORE: `sqlite:${at("given.db")}` };
  const { err } = await run(["check", "--config=poundkey.yaml"], store);
  expect(err).not.toContain("not read");
});

test("in the folder's places, the folder's configuration counts", async () => {
  for (const kind of ["", "folder"]) {
    const { code, err } = await run(["models"], { HOME: home, POUNDKEY_PLACES: kind });
    expect([code, err]).toEqual([EXIT.failed, expect.stringContaining("poundkey.yaml:1:11: server.prot")]);
  }
});

test("any other choice of the places is wrong usage, of every kind of command", async () => {
  for (const args of [["serve"], ["keys", "list"], ["samples", "--list"]]) {
    const { code, err } = await run(args, { HOME: home, POUNDKEY_PLACES: "home" });
    expect(code).toBe(EXIT.usage);
    expect(err).toStartWith('poundkey: POUNDKEY_PLACES must be folder or user, not "home"');
  }
});

test.each<[readonly string[], readonly string[]]>([
  [[], ["serve", "--quickstart"]],
  [
    ["--port", "0"],
    ["serve", "--quickstart", "--port", "0"],
  ],
  [["--quickstart"], ["serve", "--quickstart"]],
  [["--help"], ["--help"]],
  [["-h"], ["-h"]],
  [["--version"], ["--version"]],
  [["serve"], ["serve"]],
  [
    ["keys", "list"],
    ["keys", "list"],
  ],
])("in the user's places, %p stands for %p", (args, words) => {
  expect(readWords(args, "user")).toEqual(words);
});

test.each([undefined, "", "folder"])("in the places %p a command is expected", (places) => {
  for (const args of [[], ["--port", "0"]]) expect(readWords(args, places)).toEqual(args);
});
