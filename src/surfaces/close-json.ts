// The end that a JSON object lacks: clients parse a call's arguments, and an answer may have been cut off in the middle of them.

/**
 * The shortest text that makes `json` a JSON object; "" where it is one. Null: no end can make it one.
 */
export function closeJson(json: string): string | null {
  const text = json.trim();
  if (text === "") return "{}";
  const end = text.startsWith("{") ? findEnd(text) : null;
  return end !== null && isJsonObject(text + end) ? end : null;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

interface Scan {
  readonly closers: string[];
  inString: boolean;
  /** The escape that the open string is in: it may be cut in half. */
  escape: string;
  /** True for each open object whose latest string is a key without a value. */
  readonly isKey: boolean[];
  /** The token that began and has not ended: a number or a word. */
  token: string;
  last: string;
}

/** The end by the structure that is open; the caller tries whether it fits. */
function findEnd(text: string): string | null {
  const scan: Scan = { closers: [], inString: false, escape: "", isKey: [], token: "", last: "" };
  for (const character of text) step(scan, character);
  let end = "";
  if (scan.inString) end += endString(scan);
  else if (scan.token !== "") end += endToken(scan.token);
  const isObject = scan.closers.at(-1) === "}";
  if (isObject && scan.isKey.at(-1) === true) end += scan.last === ":" ? "null" : ":null";
  else if (scan.last === "," && !scan.inString && scan.token === "") end += isObject ? '"":null' : "null";
  return end + scan.closers.toReversed().join("");
}

function step(scan: Scan, character: string): void {
  if (scan.inString) {
    stepInString(scan, character);
    return;
  }
  if (/\s/.test(character)) return;
  if (/[\w.+-]/.test(character)) {
    scan.token += character;
    scan.last = character;
    if (scan.closers.at(-1) === "}") scan.isKey[scan.isKey.length - 1] = false;
    return;
  }
  scan.token = "";
  switch (character) {
    case '"':
      scan.inString = true;
      if (scan.closers.at(-1) === "}") scan.isKey[scan.isKey.length - 1] = scan.last !== ":";
      break;
    case "{":
    case "[":
      if (scan.closers.at(-1) === "}") scan.isKey[scan.isKey.length - 1] = false;
      scan.closers.push(character === "{" ? "}" : "]");
      scan.isKey.push(false);
      break;
    case "}":
    case "]":
      scan.closers.pop();
      scan.isKey.pop();
      break;
  }
  scan.last = character;
}

function stepInString(scan: Scan, character: string): void {
  if (scan.escape !== "") {
    scan.escape += character;
    const isWhole = scan.escape[1] === "u" ? scan.escape.length === 6 : true;
    if (isWhole) scan.escape = "";
    return;
  }
  if (character === "\\") scan.escape = "\\";
  else if (character === '"') {
    scan.inString = false;
    scan.last = '"';
  }
}

function endString(scan: Scan): string {
  if (scan.escape === "") return '"';
  if (scan.escape === "\\") return '\\"';
  return `${"0".repeat(6 - scan.escape.length)}"`;
}

const WORDS = ["true", "false", "null"];

function endToken(token: string): string {
  const word = WORDS.find((one) => one.startsWith(token));
  if (word) return word.slice(token.length);
  return /\d$/.test(token) ? "" : "0";
}
