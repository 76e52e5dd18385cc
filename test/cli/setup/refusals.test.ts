// The files that `poundkey setup` leaves alone, each with its reason and the lines that a person can write.
import { describe, expect, test } from "bun:test";
import { chownSync, existsSync, mkdirSync, statSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { DISK, type Disk } from "../../../src/cli/setup/disk.ts";
import {
  type Home,
  KEY,
  listStates,
  makeHome,
  nameAgents,
  readAgents,
  runSetup,
  URL,
} from "./setup-world.ts";

const FILE = ".aider.conf.yml";
const IS_ROOT = process.geteuid?.() === 0;

interface Refusal {
  readonly name: string;
  readonly make: (home: Home) => void;
  readonly says: string;
  readonly agent?: string;
  readonly skip?: boolean;
}

const REFUSALS: readonly Refusal[] = [
  { name: "a directory", make: ({ at }) => void mkdirSync(at(FILE)), says: "it is a directory" },
  {
    name: "a pipe, without waiting for a writer",
    make: ({ at }) => void Bun.spawnSync(["mkfifo", at(FILE)]),
    says: "it isn't a regular file",
  },
  {
    name: "a link to nothing",
    make: ({ at }) => symlinkSync(at("nothing"), at(FILE)),
    says: "it is a link to nothing",
  },
  {
    name: "a link that leads out of the home",
    make: ({ at }) => symlinkSync("/etc/hostname", at(FILE)),
    says: "it is a link that leads out of your home folder",
  },
  {
    name: "a link in a circle",
    make: ({ at }) => symlinkSync(at(FILE), at(FILE)),
    says: "it is a link to nothing",
  },
  {
    name: "a file of another user's (skipped unless run as root)",
    make: ({ at, write }) => {
      write(FILE, "dark-mode: true\n");
      chownSync(at(FILE), 1, 1);
    },
    says: "it belongs to another user",
    skip: !IS_ROOT,
  },
  {
    name: "a folder of another user's (skipped unless run as root)",
    agent: "codex",
    make: ({ at }) => {
      mkdirSync(at(".codex"));
      chownSync(at(".codex"), 1, 1);
    },
    says: ".codex belongs to another user",
    skip: !IS_ROOT,
  },
  {
    name: "a file in the place of its folder",
    agent: "codex",
    make: ({ write }) => write(".codex", "not a folder"),
    says: "a part of its path isn't a directory",
  },
  {
    name: "more than 1 MB",
    make: ({ at, write }) => {
      write(FILE, "dark-mode: true\n");
      truncateSync(at(FILE), 2_000_000);
    },
    says: "it is larger than 1 MB",
  },
  {
    name: "UTF-16",
    make: ({ write }) => write(FILE, Buffer.from("\uFEFFdark-mode: true\n", "utf16le")),
    says: "it isn't text in UTF-8",
  },
  {
    name: "JSON that breaks off",
    agent: "claude-code",
    make: ({ write }) => write(".claude/settings.json", '{ "env": {'),
    says: "settings.json: ",
  },
  {
    name: "a doubled key",
    agent: "claude-code",
    make: ({ write }) => write(".claude/settings.json", '{ "env": {}, "env": {} }'),
    says: "settings.json: ",
  },
  {
    name: "a comment in a file that its agent would ignore for it",
    agent: "claude-code",
    make: ({ write }) => write(".claude/settings.json", '{\n  // Mine.\n  "env": {}\n}\n'),
    says: "settings.json: line 2: this agent ignores a settings file with comments or trailing commas. Take out this comment, then run poundkey setup again",
  },
  {
    name: "a trailing comma in a file that its agent would ignore for it",
    agent: "claude-code",
    make: ({ write }) => write(".claude/settings.json", '{\n  "env": { "EDITOR": "vi", }\n}\n'),
    says: "line 2: this agent ignores a settings file with comments or trailing commas. Take out the last comma",
  },
  {
    name: "a value in the place of fields",
    agent: "claude-code",
    make: ({ write }) => write(".claude/settings.json", '{ "env": "none" }'),
    says: "env holds a value",
  },
  {
    name: "a key within a git work tree",
    make: ({ at }) => void mkdirSync(at(".git")),
    says: "it lies in a git work tree",
  },
  {
    name: "a key behind a link into a git work tree",
    make: ({ at, write }) => {
      write("dotfiles/aider.yml", "dark-mode: true\n");
      write("dotfiles/.git", "gitdir: elsewhere\n");
      symlinkSync(at("dotfiles/aider.yml"), at(FILE));
    },
    says: "it lies in a git work tree",
  },
];

describe("is refused, with the reason and the lines, and nothing is written:", () => {
  for (const { name, make, says, agent = "aider", skip = false } of REFUSALS)
    test.skipIf(skip)(name, async () => {
      using home = makeHome();
      make(home);
      const before = home.list();
      const ran = await runSetup({ home }, URL, "--agent", agent, "--yes", "--json");
      expect([ran.code, ...listStates(ran)]).toEqual([1, `${agent}: refused`]);
      const [shown] = readAgents(ran);
      expect(shown?.words).toContain(says);
      expect(JSON.stringify(shown?.files)).toContain(agent === "claude-code" ? "apiKeyHelper" : `${URL}/v1`);
      expect(ran.out).not.toContain(KEY);
      expect(home.list()).toEqual(before);
      expect(existsSync(home.at(".config/poundkey"))).toBe(false);
    });
});

test("one agent's refusal keeps no other from being connected", async () => {
  using home = makeHome();
  mkdirSync(home.at(FILE));
  const ran = await runSetup({ home }, URL, ...nameAgents(["aider", "codex"]), "--yes", "--json");
  expect([ran.code, ...listStates(ran)]).toEqual([3, "codex: connected", "aider: refused"]);
});

test("--into-git lets a key through, and one that is only named needs no leave", async () => {
  using home = makeHome();
  mkdirSync(home.at(".git"));
  const words = [URL, ...nameAgents(["claude-code", "aider"]), "--yes", "--json"];
  expect(listStates(await runSetup({ home }, ...words))).toEqual([
    "claude-code: connected",
    "aider: refused",
  ]);
  expect(home.read(".claude/settings.json")).not.toContain(KEY);
  expect((await runSetup({ home }, ...words, "--into-git")).code).toBe(0);
  expect(home.read(FILE)).toContain(KEY);
});

test("a file that is changed while the person thinks is refused", async () => {
  using home = makeHome();
  home.write(FILE, "dark-mode: true\n");
  const meanwhile = () => home.write(FILE, "dark-mode: false\n");
  const ran = await runSetup({ home, isTerminal: true, meanwhile }, URL, "--agent", "aider", "--json");
  expect(readAgents(ran)[0]).toMatchObject({
    state: "refused",
    words: expect.stringContaining("it was changed since it was read"),
  });
  expect(home.read(FILE)).toBe("dark-mode: false\n");
});

test("a disk that is full at the second file leaves the first whole, and --undo works", async () => {
  using home = makeHome();
  home.write(".claude/settings.json", "{}\n");
  home.write(".codex/config.toml", 'model = "own"\n');
  const before = home.list();
  const disk: Disk = {
    ...DISK,
    create(path, bytes, mode) {
      if (path.includes(".codex")) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
      DISK.create(path, bytes, mode);
    },
  };
  const words = [URL, ...nameAgents(["claude-code", "codex"]), "--yes", "--json"];
  const ran = await runSetup({ home, disk }, ...words);
  expect([ran.code, ...listStates(ran)]).toEqual([3, "claude-code: connected", "codex: refused"]);
  expect(readAgents(ran)[1]?.words).toContain("the disk is full");
  expect(home.read(".codex/config.toml")).toBe('model = "own"\n');
  expect(home.read(".config/poundkey/setup.json")).not.toContain("codex");
  expect((await runSetup({ home }, "--undo")).code).toBe(0);
  expect(home.list()).toEqual(before);
});

test("the mode is kept, and narrowed for a file that holds the key", async () => {
  using home = makeHome();
  home.write(".codex/config.toml", "", 0o644);
  home.write(FILE, "", 0o644);
  await runSetup({ home }, URL, ...nameAgents(["codex", "aider"]), "--yes");
  const readMode = (path: string) => statSync(join(home.path, path)).mode & 0o777;
  expect([readMode(".codex/config.toml"), readMode(FILE)]).toEqual([0o644, 0o600]);
});
