// The command line as a process: each command is found, and its output arrives completely.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { EXIT } from "../../src/app/terminal.ts";
import { runCommandLine } from "../../src/cli/commands.ts";
import { asArray, parseJson } from "../../src/core/json/json.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { PROGRAM } from "../harness/program.ts";

const COMMANDS = [
  "serve",
  "check",
  "keys",
  "accounts",
  "ledger",
  "admin",
  "route",
  "models",
  "catalogue",
  "simulate",
  "backup",
  "restore",
  "master-key",
  "health",
  "samples",
];
const TEST_MS = 60_000;

/** Reads from a pipe more slowly than the command writes. */
function slowly(command: string) {
  const quoted = PROGRAM.map((part) => `'${part}'`).join(" ");
  const child = Bun.spawnSync(["sh", "-c", `${quoted} ${command} | (sleep 0.3; cat)`], {
    env: { PATH: process.env.PATH ?? "", OPENAI_API_KEY: "any", OPENROUTER_API_KEY: "any" },
  });
  return child.stdout.toString();
}

test(
  "a long list arrives completely, even at a slow reader",
  () => {
    const printed = slowly("models --json");
    expect(printed.length).toBeGreaterThan(65_536);
    expect(asArray(parseJson(printed)).length).toBeGreaterThan(100);
  },
  TEST_MS,
);

test(
  "every command documents itself, even beside an invalid configuration",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "poundkey-help-"));
    writeFileSync(join(folder, "poundkey.yaml"), "server: { prot: 1 }\n");
    const help = Bun.spawnSync([...PROGRAM, "--help"]).stdout.toString();
    for (const name of COMMANDS) {
      expect(help).toContain(`  ${name} `);
      const own = Bun.spawnSync([...PROGRAM, name, "--help"], { cwd: folder });
      expect(own.stdout.toString().toLowerCase()).toStartWith(`usage: poundkey ${name}`);
      for (const flag of ["--config", "--store"]) expect(own.stdout.toString()).toContain(flag);
      expect(own.exitCode).toBe(0);
    }
    rmSync(folder, { recursive: true });
  },
  TEST_MS,
);

/** They would listen, call a gateway or providers, write into this folder, or read a key that isn't there. */
const NOT_RUN =
  /^(serve|demo|simulate|login|token|setup|check --probe|samples \.|catalogue (publish|verify))| --gateway /;

test(
  "every command shows examples, which are well-formed",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "poundkey-examples-"));
    const { out: help } = await runPrinting((io) => runCommandLine(["--help"], io));
    const names = [...help.matchAll(/^ {2}([\w-]+) +/gm)].map(([, name = ""]) => name);
    expect(names).toEqual(expect.arrayContaining(COMMANDS));
    for (const name of names) {
      const { out } = await runPrinting((io) => runCommandLine([name, "--help"], io));
      const examples = (out.split("\nexamples:\n")[1] ?? "").replace(/ \\\n +/g, " ");
      const lines = examples.split("\n").map((line) => line.trim());
      for (const line of lines) {
        expect(line).toStartWith(`poundkey ${name}`);
        const words = (line.split(" > ")[0]?.match(/"[^"]*"|\S+/g) ?? [])
          .slice(1)
          .map((word) => word.replaceAll('"', ""));
        if (NOT_RUN.test(words.join(" "))) continue;
        // Each has a store of its own that doesn't exist, so that most fail to find it, but only after their arguments.
        const store = words.includes("--store")
          ? []
          : ["--store", `sqlite:${folder}/${name}-${words.length}.db`];
        const { code, err } = await runPrinting((io) => runCommandLine([...words, ...store], io));
        expect([line, code === EXIT.usage ? err : ""]).toEqual([line, ""]);
      }
    }
    rmSync(folder, { recursive: true });
  },
  TEST_MS,
);

test(
  "help COMMAND is the command's own, and no help is wider than 80 columns",
  async () => {
    const ask = async (...words: readonly string[]) =>
      (await runPrinting((io) => runCommandLine(words, io))).out;
    expect(await ask("help", "keys")).toBe(await ask("keys", "--help"));
    expect(await ask("help", "keys", "rotate")).toBe(await ask("keys", "rotate", "--help"));
    expect((await runPrinting((io) => runCommandLine(["help", "kees"], io))).code).toBe(EXIT.usage);
    const names = [...(await ask("help")).matchAll(/^ {2}([\w-]+) +/gm)].map(([, name = ""]) => name);
    for (const name of names) {
      const help = await ask(name, "--help");
      const wide = help.split("\n").filter((line) => line.length > 80);
      expect([name, wide]).toEqual([name, []]);
    }
  },
  TEST_MS,
);

test("a store that --store can't name is wrong usage, of commands that read and of those that serve", async () => {
  for (const words of [["keys", "list"], ["ledger", "verify"], ["check"]]) {
    const line = [...words, "--store", "mysql://db/app"];
    const { code, err } = await runPrinting((io) => runCommandLine(line, io));
    expect([line, code, err]).toEqual([line, EXIT.usage, expect.stringContaining("must be sqlite:PATH")]);
  }
});

test(
  "every command works at a gateway, or says why it doesn't",
  async () => {
    const ask = (...words: readonly string[]) => runPrinting((io) => runCommandLine(words, io));
    const names = [...(await ask("help")).out.matchAll(/^ {2}([\w-]+) +/gm)].map(([, name = ""]) => name);
    for (const name of names) {
      const { out: help } = await ask(name, "--help");
      const { code, err } = await ask(name, "--gateway", "http://gateway.example.com");
      expect([name, code]).toEqual([name, EXIT.usage]);
      // One that takes it names the flag in its help, and sends no token in the clear.
      if (help.includes("--gateway URL"))
        expect([name, err]).toEqual([name, expect.stringContaining("https://")]);
      else expect([name, err]).toEqual([name, expect.stringContaining(`${name} takes no --gateway: it `)]);
    }
  },
  TEST_MS,
);

test(
  "completion offers commands, their actions and the flags of each",
  async () => {
    const { out } = await runPrinting((io) => runCommandLine(["completion", "bash"], io));
    const offer = (...words: readonly string[]) => {
      const script = `${out}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _poundkey; echo "\${COMPREPLY[@]}"`;
      const shell = Bun.spawnSync(["bash", "-c", script, "bash", "poundkey", ...words]);
      return shell.stdout.toString().trim().split(" ");
    };
    expect(offer("ke")).toEqual(["keys"]);
    expect(offer("keys", "re")).toEqual(["resume", "revoke"]);
    expect(offer("keys", "rotate", "--g")).toEqual(["--grace", "--gateway"]);
    expect(offer("requests", "--fo")).toEqual(["--follow"]);
    expect(offer("login", "--a")).toEqual(["--admin"]);
    // Flags of other commands, which the helps name.
    expect([...offer("keys", "list", "--a"), ...offer("check", "--d")]).toEqual(["", ""]);
    for (const [shell, line] of [
      ["zsh", '"keys rotate") words="'],
      ["fish", "__fish_seen_subcommand_from keys; and __fish_seen_subcommand_from rotate"],
    ] as const)
      expect((await runPrinting((io) => runCommandLine(["completion", shell], io))).out).toContain(line);
    expect((await runPrinting((io) => runCommandLine(["completion", "tcsh"], io))).code).toBe(EXIT.usage);
  },
  TEST_MS,
);

test("simulated providers on a port that is in use are one line", async () => {
  using taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const args = ["simulate", "--port", String(taken.port)];
  const { code, out, err } = await runPrinting((io) => runCommandLine(args, io));
  expect([code, out, err]).toEqual([
    EXIT.failed,
    "",
    `poundkey: port ${taken.port} is in use: choose another with --port N (0: any free one)`,
  ]);
});

test("a directory or a missing file in a file's place is named, with the reason", async () => {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-files-"));
  const store = ["--store", `sqlite:${folder}/poundkey.db`];
  const missing = join(folder, "none");
  for (const words of [
    ["apply"],
    ["route", "--file"],
    ["route", "--sample", "1", "--budget", "1", "--from"],
  ]) {
    for (const [path, reason] of [[folder, "is a directory"] as const, [missing, "doesn't exist"] as const]) {
      const { code, err } = await runPrinting((io) => runCommandLine([...words, path, ...store], io));
      expect([words, code === 0, err.trim()]).toEqual([
        words,
        false,
        `poundkey: ${path}: the file ${reason}`,
      ]);
    }
  }
  rmSync(folder, { recursive: true });
});

test("a mistyped command is one line that names the nearest", async () => {
  for (const [typed = "", words] of [
    ["srve", "unknown command 'srve'; did you mean serve?"],
    ["acounts", "unknown command 'acounts'; did you mean accounts?"],
    ["--hlep", "unknown flag --hlep; did you mean --help?"],
    ["--port", "expected a command before --port"],
    ["deploy-everything", "unknown command 'deploy-everything'"],
  ]) {
    const { code, out, err } = await runPrinting((io) => runCommandLine([typed], io));
    expect([code, out, err]).toEqual([EXIT.usage, "", `poundkey: ${words}\nSee poundkey --help.`]);
  }
});

test(
  "--version prints the package's version and the commit, and the help its version",
  () => {
    const { stdout, stderr, exitCode } = Bun.spawnSync([...PROGRAM, "--version"]);
    expect([exitCode, stderr.toString()]).toEqual([0, ""]);
    expect(stdout.toString()).toMatch(/^\d+\.\d+\.\d+ \([0-9a-f]{12}\)\n$/);
    expect(stdout.toString()).toStartWith(`${version} `);
    for (const word of ["version", "-v"])
      expect(Bun.spawnSync([...PROGRAM, word]).stdout.toString()).toBe(stdout.toString());
    const help = Bun.spawnSync([...PROGRAM, "--help"]).stdout.toString();
    expect(help).toContain("poundkey --version");
    expect(help).toContain(`This is version ${version}.`);
  },
  TEST_MS,
);
