// JSON as a line of a file, for every reader's idea of a line.

/** Python's splitlines and Node's readline also end lines at these, which JSON lets stand in a text as they are. */
const ENDS = /[\n\r\u0085\u2028\u2029]/g;
/** Ends of lines that JSON allows between its texts alone. */
const BETWEEN = /[\n\r]/;

/** Returns the JSON, which means the same, as one line with its end. */
export function writeJsonLine(json: string): string {
  return `${json.replace(ENDS, (end) => (BETWEEN.test(end) ? " " : `\\u${escapeCode(end)}`))}\n`;
}

function escapeCode(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, "0");
}
