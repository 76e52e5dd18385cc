// Breaks the lines of a help for terminals of 80 columns.

const LINE_MAX = 80;
const ENTRY = /^( {2}\S.*?)( {2,})(?=\S)/;
const DEEPER = 4;

/** One sentence, entry or line of usage, with what further lines begin with. */
interface HelpItem {
  readonly lines: string[];
  readonly hang: number;
  readonly isShell: boolean;
}

/** Returns the help with no line above 80 columns, unless it is a single word. Lines that fit stay as they are. */
export function wrapHelp(help: string): string {
  return help
    .split("\n\n")
    .map((block) => listItems(block).map(wrapItem).join("\n"))
    .join("\n\n");
}

function listItems(block: string): readonly HelpItem[] {
  const items: HelpItem[] = [];
  const isExamples = block.startsWith("examples:");
  for (const line of block.split("\n")) {
    const last = items.at(-1);
    if (last !== undefined && !isExamples && continues(line, last)) last.lines.push(line.trim());
    else items.push({ lines: [line], hang: findHang(line), isShell: isExamples });
  }
  return items;
}

/** Prose goes on at the margin, an entry below its text, and usage below its command. */
function continues(line: string, { lines: [first = ""], hang }: HelpItem): boolean {
  const indent = measureIndent(line);
  if (indent === 0) return measureIndent(first) === 0 && !first.endsWith(":") && !first.startsWith("usage:");
  return indent === hang || (isUsage(first) && !isUsage(line) && indent > 2);
}

function isUsage(line: string): boolean {
  return /^(usage:| {7})\s*poundkey /.test(line);
}

function measureIndent(line: string): number {
  return line.length - line.trimStart().length;
}

function findHang(line: string): number {
  if (isUsage(line)) return "usage: ".length + DEEPER;
  const [entry] = ENTRY.exec(line) ?? [];
  if (entry !== undefined) return entry.length;
  const indent = measureIndent(line);
  return indent === 0 || indent > DEEPER ? indent : indent + DEEPER;
}

function wrapItem(item: HelpItem): string {
  const { lines, hang, isShell } = item;
  const [first = ""] = lines;
  const whole = lines.map((line, at) => (at === 0 ? line : " ".repeat(hang) + line));
  if (whole.every((line) => line.length <= LINE_MAX)) return whole.join("\n");
  const lead = ENTRY.exec(first)?.[0] ?? " ".repeat(measureIndent(first));
  const text = [first.slice(lead.length), ...lines.slice(1)].join(" ");
  if (isShell) return fill(lead, splitShell(text), { hang: lead.length + DEEPER, end: " \\" });
  if (!isUsage(first)) return fill(lead, text.split(" "), { hang, end: "" });
  // A remark behind the usage stands below it.
  const [usage = "", remark] = text.split(/ {2,}/);
  const filled = fill(lead, splitShell(usage), { hang, end: "" });
  const below = " ".repeat(hang);
  return remark === undefined ? filled : `${filled}\n${fill(below, remark.split(" "), { hang, end: "" })}`;
}

interface Further {
  /** The spaces before a further line. */
  readonly hang: number;
  /** Ends a line that goes on. */
  readonly end: string;
}

function fill(lead: string, words: readonly string[], { hang, end }: Further): string {
  const [first = "", ...others] = words;
  const made: string[] = [];
  let line = lead + first;
  for (const word of others) {
    if (line.length + 1 + word.length + end.length <= LINE_MAX) line += ` ${word}`;
    else {
      made.push(line + end);
      line = " ".repeat(hang) + word;
    }
  }
  return [...made, line].join("\n");
}

/** A flag stays with its value. */
function splitShell(text: string): readonly string[] {
  return text.match(SHELL_WORD) ?? [];
}
const SHELL_WORD = /\[[^\]]*\]|--\S+ "[^"]*"|--\S+ (?!-)\S+|"[^"]*"|\S+/g;
