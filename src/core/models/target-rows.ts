// Numbers and kinds that known providers refuse, with the report of each: the gateway passes over their models where it
// chooses, and the tests' strict providers refuse the same.
import { remember } from "../world/remember.ts";
import type { ModelCard } from "./card.ts";
import { listRows, type MediaWord } from "./refusal-rules.ts";
import { type CountName, type PictureKind, type Refusal, readMost } from "./refusals.ts";

interface TargetRow {
  readonly providers: readonly string[];
  /** Missing for all of their models. */
  readonly names?: RegExp;
  readonly refuses: readonly Refusal[];
  readonly source: string;
  /** The day of the report, or the day on which the source was read. */
  readonly date: string;
}

export const TARGET_ROWS: readonly TargetRow[] = [
  {
    providers: ["OpenAI", "Azure"],
    names: /^(gpt|o\d|chatgpt)/,
    refuses: ["tools>128"],
    source: "claude-code-router, issue 686; zed, issue 42393",
    date: "2025-11-10",
  },
  {
    providers: ["Groq"],
    refuses: ["tools>128"],
    source: "gsd-2, issue 4376",
    date: "2026-04-17",
  },
  {
    providers: ["Google", "Vertex"],
    names: /gemini/,
    refuses: ["picture_gif"],
    source: 'ai.google.dev, "Image understanding", supported formats',
    date: "2026-11-26",
  },
  {
    providers: ["xAI"],
    refuses: ["picture_gif", "picture_webp"],
    source: 'docs.x.ai, "Image understanding", supported formats',
    date: "2026-11-26",
  },
  {
    providers: ["LMStudio"],
    refuses: ["picture_webp"],
    source: "lmstudio-bug-tracker, issue 1027; Roo-Code, issue 8827; marker, issue 753",
    date: "2026-04-21",
  },
  {
    providers: [
      "OpenAI",
      "Azure",
      "Anthropic",
      "Bedrock",
      "xAI",
      "Groq",
      "Mistral",
      "Cohere",
      "Perplexity",
      "DeepSeek",
      "Cerebras",
      "NVIDIA",
    ],
    refuses: ["video"],
    source: "the vendors' API references, parts of messages",
    date: "2026-11-26",
  },
  {
    providers: ["Anthropic", "Azure", "Bedrock", "Vertex"],
    names: /claude/,
    refuses: ["picture_bytes>5242880"],
    source: 'platform.claude.com, "Vision", general limits; claude-code, constants/apiLimits.ts',
    date: "2026-11-26",
  },
];

/** The bounds of what a model takes. */
interface TargetLimits {
  /** Each is infinite if nothing is known. */
  readonly toolsMax: number;
  readonly pictureBytesMax: number;
  readonly textCharactersMax: number;
  readonly untakenPictures: readonly PictureKind[];
  readonly takesVideos: boolean;
}

/** By everything that is known: a number of the operator's replaces the one of the rows. */
export const findLimits = remember((card: ModelCard): TargetLimits => {
  const { provider, name, accepts } = card;
  const known = TARGET_ROWS.filter(
    (row) => row.providers.includes(provider) && row.names?.test(name) !== false,
  )
    .flatMap(({ refuses }) => refuses)
    .filter((refusal) => !accepts?.has(refusal));
  const rows = readLimits(known);
  const own = findCardLimits(card);
  const choose = (of: "toolsMax" | "pictureBytesMax" | "textCharactersMax") =>
    own[of] < Number.POSITIVE_INFINITY ? own[of] : rows[of];
  const every = readLimits([...known, ...(card.refuses ?? [])]);
  return {
    toolsMax: choose("toolsMax"),
    pictureBytesMax: choose("pictureBytesMax"),
    textCharactersMax: choose("textCharactersMax"),
    untakenPictures: every.untakenPictures,
    takesVideos: every.takesVideos,
  };
});

/** By the operator's words alone, which hold for a model that the client named too. */
export const findCardLimits = remember(
  ({ refuses }: ModelCard): TargetLimits => readLimits([...(refuses ?? [])]),
);

const MEDIA: Readonly<Record<MediaWord, PictureKind | "video">> = {
  picture_png: "png",
  picture_jpeg: "jpeg",
  picture_gif: "gif",
  picture_webp: "webp",
  video: "video",
};
const MEDIA_ROWS = listRows(MEDIA);

function readLimits(refuses: readonly Refusal[]): TargetLimits {
  const findMost = (of: CountName) => Math.min(...refuses.flatMap((refusal) => readMost(refusal, of) ?? []));
  const untaken = MEDIA_ROWS.filter(([word]) => refuses.includes(word)).map(([, kind]) => kind);
  return {
    toolsMax: findMost("tools"),
    pictureBytesMax: findMost("picture_bytes"),
    textCharactersMax: findMost("text_characters"),
    untakenPictures: untaken.filter((kind) => kind !== "video"),
    takesVideos: !untaken.includes("video"),
  };
}
