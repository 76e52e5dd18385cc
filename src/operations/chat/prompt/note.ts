// The mark of a text that isn't the user's, though it stands in the user's turn.

/** The beginning of a tag that marks a note. */
const MARK_START = /<(?=\/?system_message)/gi;

export function writeNote(text: string): string {
  return `<system_message>\n${text}\n</system_message>`;
}

/** Returns a text that can't begin or end a note. */
export function escapeNoteMark(text: string): string {
  return text.includes("<") ? text.replace(MARK_START, "&lt;") : text;
}
