// The instruction that stands before a long text: it alone says what kind of task that is, not what the text is about.

/** A longer line is a text itself. */
const INSTRUCTION_CHARS_MAX = 240;
/** After an instruction, a text of this many times its length, and of as many characters at least, is its material. */
const MATERIAL_FACTOR = 3;
const MATERIAL_CHARS_MIN = 300;
/** In Latin, Arabic and East Asian writing. */
const COLON = /[:：]\s*$/;

/** Returns the first line of a task if that announces a long text, as in "Summarise in five points:". Null if none does. */
export function findInstruction(task: string): string | null {
  const start = task.length - task.trimStart().length;
  const end = task.indexOf("\n", start);
  if (end < 0 || end - start > INSTRUCTION_CHARS_MAX) return null;
  const material = task.length - end;
  if (material < MATERIAL_CHARS_MIN || material < (end - start) * MATERIAL_FACTOR) return null;
  const line = task.slice(start, end);
  return COLON.test(line) ? line : null;
}
