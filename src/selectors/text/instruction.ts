// The instruction beside a long text: it alone says what kind of task that is, not what the text is about.

/** A longer line is a text itself. */
const INSTRUCTION_CHARS_MAX = 240;
/** Beside an instruction, a text of this many times its length, and of as many characters at least, is its material. */
const MATERIAL_FACTOR = 3;
const MATERIAL_CHARS_MIN = 300;
/** In Latin, Arabic and East Asian writing. */
const COLON = /[:：]\s*$/;

export interface Instruction {
  readonly line: string;
  /** True if it announces the text, as in "Summarise in five points:". Any other line may be a part of the text. */
  readonly isAnnouncement: boolean;
}

const NONE: readonly Instruction[] = [];

/** Returns the first and the last line of a task if all between them can be the material of an instruction. */
export function findInstructions(task: string): readonly Instruction[] {
  if (task.length < MATERIAL_CHARS_MIN) return NONE;
  const text = task.trim();
  const first = text.indexOf("\n");
  if (first < 0) return NONE;
  const lines = [
    { line: text.slice(0, first), isAnnouncement: COLON.test(text.slice(0, first)) },
    { line: text.slice(text.lastIndexOf("\n") + 1), isAnnouncement: false },
  ];
  return lines.filter(({ line }) => isBesideMaterial(line, text));
}

function isBesideMaterial({ length }: string, text: string): boolean {
  const material = text.length - length;
  return (
    length <= INSTRUCTION_CHARS_MAX && material >= MATERIAL_CHARS_MIN && material >= length * MATERIAL_FACTOR
  );
}
