// Control characters in texts of strangers, which a terminal would obey.

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is its purpose
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Returns the text with each control character, but for tabs and line ends, as `\x1b`. */
export function showControl(text: string): string {
  return text.replace(CONTROL, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
