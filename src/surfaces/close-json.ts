// Completes a truncated JSON object: clients parse a call's arguments, which may be cut off in the middle.

/** Returns the shortest text that completes `json` to an object: "" if it is whole, null if nothing can. */
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
  /** The open string's current escape, which may be cut in half. */
  escape: string;
  /** True for each open object whose latest string is a key without a value. */
  readonly isKey: boolean[];
  /** The current number or word. */
  token: string;
  last: string;
}

/** Returns an end that closes the open structure. The caller tests if it fits. */
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
