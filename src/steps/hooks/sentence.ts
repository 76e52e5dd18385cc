// The end of a sentence, as far as a text's last characters show it.

const ENDS = ".!?…。！？\n";
/** They may stand between a sentence's end and the space behind it. */
const CLOSERS = "\"'”’)]";

/** True if the text ends with a sentence or a line. Takes time in proportion to its length, whatever it contains. */
export function endsSentence(text: string): boolean {
  let end = text.trimEnd().length;
  if (text.includes("\n", end)) return true;
  while (end > 0 && CLOSERS.includes(text.charAt(end - 1))) end--;
  return end > 0 && ENDS.includes(text.charAt(end - 1));
}
