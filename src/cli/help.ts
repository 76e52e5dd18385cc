// Cuts a command's help to what concerns one of its actions.

interface HelpPart {
  /** The command and its action, such as `keys add`. */
  readonly name: string;
  readonly flags: readonly string[];
  /** The names of its words besides flags, as the help has them. */
  readonly words: readonly string[];
}

const COMMON = ["--json", "--config", "--store", "--gateway", "--help"];

/** Keeps the action's lines of usage, flags and examples, and the text between them. */
export function cutHelp(help: string, { name, flags, words }: HelpPart): string {
  const isOwn = (line: string) => line.includes(`poundkey ${name} `) || line.endsWith(`poundkey ${name}`);
  const [usage = "", ...blocks] = help.split("\n\n");
  const action = name.split(" ").at(-1) ?? "";
  const known = new Set([...COMMON, ...flags.map((flag) => `--${flag}`), ...words, action]);
  const own = usage.split("\n").filter(isOwn);
  const kept = blocks.flatMap((block) => {
    if (!/^(examples:$| {2}\S)/m.test(block)) return [block];
    const lines = block.startsWith("examples:") ? cutExamples(block, isOwn) : cutEntries(block, known);
    return lines.length === 0 ? [] : [lines.join("\n")];
  });
  return [`usage: ${own.map((line) => line.replace("usage:", "").trim()).join("\n       ")}`, ...kept].join(
    "\n\n",
  );
}

function cutExamples(block: string, isOwn: (line: string) => boolean): readonly string[] {
  const lines = block.split("\n").filter(isOwn);
  return lines.length === 0 ? [] : ["examples:", ...lines];
}

/** An entry begins with its flags or words; its further lines are indented deeper. */
function cutEntries(block: string, known: ReadonlySet<string>): readonly string[] {
  let isKept = false;
  return block.split("\n").filter((line) => {
    const names = /^ {2}(\S.*?)(?: {2,}|$)/.exec(line)?.[1];
    const isFlag = names?.startsWith("--");
    const tokens = names?.split(/[ ,]+/).filter((word) => !isFlag || word.startsWith("--"));
    if (tokens !== undefined) isKept = tokens.some((word) => known.has(word));
    return isKept;
  });
}
