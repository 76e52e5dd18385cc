// Removes the greeting before a question and the thanks after it, which say nothing about the task.

/** Longer ones are part of the task. */
const OPENING_CHARS_MAX = 200;
const CLOSING_CHARS_MAX = 80;
const GREETING =
  /^\s*(?:hello|hi|hey|dear \w+|good (?:morning|day|afternoon|evening))(?: there| all)?\s*[,.!]+\s*/i;
const PLEA =
  /^\s*(?:please[,:]?\s+|(?:(?:could|can|would|will) you|i need you to|i would like you to|i'd like you to)\s+(?:please |kindly )?help(?: me)?(?: out)?(?: with (?:this|the following|something))?\s*[?.!:]+\s*)/i;
const THANKS =
  /(?:^|[\s.!?])(?:many thanks|thanks|thank you|cheers|please)(?: (?:very|so) much| a lot| in advance)?\s*[.!]*\s*$/i;

/** Returns the text unchanged if nothing else is in it. */
export function stripPoliteness(text: string): string {
  let head = text.slice(0, OPENING_CHARS_MAX);
  let start = 0;
  for (const pattern of [GREETING, PLEA]) {
    const said = pattern.exec(head)?.[0].length ?? 0;
    start += said;
    head = head.slice(said);
  }
  const tailAt = Math.max(start, text.length - CLOSING_CHARS_MAX);
  const thanks = THANKS.exec(text.slice(tailAt));
  const end = thanks === null ? text.length : tailAt + thanks.index + (/\w/.test(thanks[0][0] ?? "") ? 0 : 1);
  return end - start < 2 ? text : text.slice(start, end);
}
