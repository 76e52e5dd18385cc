// `poundkey completion`: what a shell offers behind Tab, made from the helps of all commands.
import type { Io } from "../app/terminal.ts";
import { makeFlagCommand, UsageError } from "./arguments.ts";
import type { Command } from "./on-store.ts";

const HELP = `usage: poundkey completion bash|zsh|fish

Prints a script with which the shell completes commands, their actions and flags.

  --config FILE, --store S  accepted, and of no effect

examples:
  poundkey completion bash > /etc/bash_completion.d/poundkey
  poundkey completion zsh > ~/.zfunc/_poundkey
  poundkey completion fish > ~/.config/fish/completions/poundkey.fish`;

type Commands = Readonly<Record<string, Command>>;

/** The words that may stand behind others, such as `list` and `add` behind `keys`. */
interface WordPlace {
  readonly before: string;
  readonly words: readonly string[];
}

const SHELLS = { bash: writeBash, zsh: writeZsh, fish: writeFish } as const;
const isShell = (name: string): name is keyof typeof SHELLS => Object.hasOwn(SHELLS, name);

export const runCompletion = makeFlagCommand(
  {
    name: "completion",
    help: HELP,
    flags: { config: "value", store: "value", help: "switch" },
    wordsMax: 1,
  },
  async ({ words: [shell = ""] }, io, commands: Commands) => {
    if (!isShell(shell)) throw new UsageError("expected a shell: bash, zsh or fish");
    io.out(SHELLS[shell](await listPlaces(commands)));
    return 0;
  },
);

async function listPlaces(commands: Commands): Promise<readonly WordPlace[]> {
  const places: WordPlace[] = [{ before: "", words: [...Object.keys(commands), "help", "--version"] }];
  for (const [name, command] of Object.entries(commands)) {
    // A help of its own would be asked for again.
    if (name === "completion") {
      places.push({ before: name, words: Object.keys(SHELLS) });
      continue;
    }
    const help = await readHelp(command, []);
    const actions = listActions(help, name);
    places.push({ before: name, words: [...actions, ...listFlags(help)] });
    for (const action of actions)
      places.push({ before: `${name} ${action}`, words: listFlags(await readHelp(command, [action])) });
  }
  return places;
}

async function readHelp(command: Command, words: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const io: Io = { out: (text) => void printed.push(text), err: () => {} };
  await command.run([...words, "--help"], io);
  return printed.join("\n");
}

/** The lower-case words behind the command's name in the lines of usage. */
function listActions(help: string, name: string): readonly string[] {
  const [usage = ""] = help.split("\n\n");
  const found = [...usage.matchAll(new RegExp(`poundkey ${name} ([a-z][a-z-]*)\\b`, "g"))];
  return [...new Set(found.map(([, action = ""]) => action))];
}

/** Other commands stand in backticks. */
function listFlags(help: string): readonly string[] {
  const [beforeExamples = ""] = help.split("\nexamples:");
  const own = beforeExamples.replaceAll(/`[^`]*`/g, "");
  return [...new Set([...own.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag))];
}

const writeCases = (places: readonly WordPlace[]) =>
  places.map(({ before, words }) => `    "${before}") words="${words.join(" ")}" ;;`).join("\n");

function writeBash(places: readonly WordPlace[]): string {
  return `# Completion of poundkey for bash.
_poundkey() {
  local first="\${COMP_WORDS[1]}" second="\${COMP_WORDS[2]}" at="" words=""
  (( COMP_CWORD > 1 )) && at="$first"
  (( COMP_CWORD > 2 )) && [[ "$second" != -* ]] && at="$first $second"
  _poundkey_words "$at"
  [[ -z "$words" ]] && _poundkey_words "$first"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
_poundkey_words() {
  case "$1" in
${writeCases(places)}
  esac
}
complete -o default -F _poundkey poundkey`;
}

function writeZsh(places: readonly WordPlace[]): string {
  return `#compdef poundkey
# Completion of poundkey for zsh.
_poundkey() {
  local given="$words[2]" second="$words[3]" at="" offered=""
  (( CURRENT > 2 )) && at="$given"
  (( CURRENT > 3 )) && [[ "$second" != -* ]] && at="$given $second"
  offered="$(_poundkey_words "$at")"
  [[ -z "$offered" ]] && offered="$(_poundkey_words "$given")"
  compadd -- \${=offered}
}
_poundkey_words() {
  local words=""
  case "$1" in
${writeCases(places)}
  esac
  print -r -- "$words"
}
compdef _poundkey poundkey`;
}

function writeFish(places: readonly WordPlace[]): string {
  const lines = places.map(({ before, words }) => {
    const seen = before.split(" ").filter((word) => word !== "");
    const within = seen.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
    return `complete -c poundkey -f -n "${within || "__fish_use_subcommand"}" -a "${words.join(" ")}"`;
  });
  return ["# Completion of poundkey for fish.", ...lines].join("\n");
}
