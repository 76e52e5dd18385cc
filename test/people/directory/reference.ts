// Slow and plain readings of what a directory sends, against which the gateway's own are compared.

/** Returns what a filter compares, or null if it is broken: by cutting the text at spaces outside of quotes and brackets. */
export function readFilterSlowly(
  text: string,
): readonly (readonly [name: string, value: string | boolean])[] | null {
  const words = cutWords(text.trim());
  if (words.length !== 3 && words.length !== 7) return null;
  if (words.length === 7 && words[3]?.toLowerCase() !== "and") return null;
  const parts = words.length === 3 ? [words] : [words.slice(0, 3), words.slice(4)];
  const compared = parts.map(([name = "", operator = "", value = ""]) => {
    const read = readValueSlowly(value);
    return operator.toLowerCase() === "eq" && read !== null ? ([name.toLowerCase(), read] as const) : null;
  });
  return compared.some((one) => one === null) ? null : compared.filter((one) => one !== null);
}

function cutWords(text: string): readonly string[] {
  const words: string[] = [];
  let word = "";
  let isQuoted = false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (isQuoted && character === "\\") {
      word += character + (text[++at] ?? "");
      continue;
    }
    if (character === '"') isQuoted = !isQuoted;
    if (!isQuoted && character === "[") depth++;
    if (!isQuoted && character === "]") depth--;
    if (!isQuoted && depth === 0 && /[ \t]/.test(character)) {
      if (word !== "") words.push(word);
      word = "";
    } else word += character;
  }
  if (word !== "") words.push(word);
  return words;
}

function readValueSlowly(text: string): string | boolean | null {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
}
