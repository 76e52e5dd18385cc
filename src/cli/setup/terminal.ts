// A person at the terminal: a question that takes a yes, and standard input as text.
import { readFileSync, readSync } from "node:fs";
import { isatty } from "node:tty";

const STANDARD_INPUT = 0;

export const isTerminal = (): boolean => isatty(STANDARD_INPUT);

/** Returns true for a `y` or a `yes`. */
export function askOnTerminal(question: string): boolean {
  process.stderr.write(`${question} [y/N] `);
  return /^y(es)?$/i.test(readLine().trim());
}

/** Returns all of it, or a line of a terminal. */
export function readStandardInput(): string {
  if (!isTerminal()) return readFileSync(STANDARD_INPUT, "utf8");
  process.stderr.write("Key: ");
  return readLine();
}

function readLine(): string {
  const bytes: number[] = [];
  const one = new Uint8Array(1);
  while (readSync(STANDARD_INPUT, one) === 1 && one[0] !== LINE_END) bytes.push(one[0] ?? 0);
  return Buffer.from(bytes).toString("utf8");
}
const LINE_END = 10;
