// The families of thinking that a provider seals, and which models read the thinking of others.
import { remember } from "../../world/remember.ts";
import type { ModelCard } from "../card.ts";

interface ThinkingFamily {
  /** The format of its details in the chat form. */
  readonly format: string;
  /** The names of the models that make it. */
  readonly names: RegExp;
}

/** The first that has a model's name counts: at Bedrock, Claude's thinking has a form of its own. */
const FAMILIES: readonly ThinkingFamily[] = [
  { format: "bedrock-converse-v1", names: /(^|\.)(anthropic\.claude|amazon\.nova)/ },
  { format: "anthropic-claude-v1", names: /claude/ },
  { format: "google-gemini-v1", names: /gemini/ },
  { format: "openai-responses-v1", names: /^(openai\/)?(gpt-\d|o\d|codex)/ },
];

/** The formats of thinking that no other family's models read. */
export const SEALED_FORMATS: ReadonlySet<unknown> = new Set(FAMILIES.map(({ format }) => format));

interface ReaderRow {
  /** The names of the models that made the thinking. */
  readonly makers: RegExp;
  readonly readers: RegExp;
  /** The providers on which they read it. Missing for all. */
  readonly providers?: readonly string[];
  readonly source: string;
  /** The day on which the source was read. */
  readonly date: string;
}

const PRESERVED = { source: 'platform.claude.com, "Preserved thinking", readers', date: "2026-11-28" };

/** A model reads its own. Of others' it reads what these rows say, on the same provider. */
const READERS: readonly ReaderRow[] = [
  { makers: /claude-fable-5-1/, readers: /claude-opus-5(?!-?\d)/, ...PRESERVED },
  { makers: /claude-fable-5-1/, readers: /claude-opus-5-5/, providers: ["Anthropic"], ...PRESERVED },
  { makers: /claude-haiku-5-5/, readers: /claude/, ...PRESERVED },
];

const findFamily = remember(({ name }: ModelCard): Pick<ThinkingFamily, "format"> | typeof UNKNOWN => {
  const low = name.toLowerCase();
  return FAMILIES.find(({ names }) => names.test(low)) ?? UNKNOWN;
});
const UNKNOWN = { format: null };

/** Returns the format of the thinking that a model makes and reads. Null if nothing is known of it. */
export function findThinkingFormat(card: ModelCard): string | null {
  return findFamily(card).format;
}

/** True if a model reads the thinking that another one made. */
export function isReaderOf(reader: ModelCard, maker: ModelCard): boolean {
  if (reader.provider !== maker.provider) return false;
  return READERS.some(
    ({ makers, readers, providers }) =>
      makers.test(maker.name) && readers.test(reader.name) && providers?.includes(reader.provider) !== false,
  );
}
