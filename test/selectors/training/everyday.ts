// Prompts of everyday use in eight languages with their kinds, for training: templates with slots.
import { KINDS, type TaskKind } from "../../../src/core/models/skill.ts";
import { makeDice } from "../dice.ts";
import arabic from "./everyday/ar.data.json";
import cues from "./everyday/cues.data.json";
import german from "./everyday/de.data.json";
import english from "./everyday/en.data.json";
import spanish from "./everyday/es.data.json";
import french from "./everyday/fr.data.json";
import japanese from "./everyday/ja.data.json";
import portuguese from "./everyday/pt.data.json";
import shared from "./everyday/shared.data.json";
import chinese from "./everyday/zh.data.json";

export interface EverydayPrompt {
  readonly kind: TaskKind;
  readonly language: string;
  /** Prompts of one template have the same number. */
  readonly template: number;
  readonly prompt: string;
  /** Judged by hand, in log-odds. */
  readonly difficulty: number;
  /** Judged by hand, for a plain answer. */
  readonly outputTokens: number;
  /** True if the answer is as long as the text that it is about. */
  readonly copies: boolean;
}

interface Language {
  readonly language: string;
  /** Its name in the file of cues. */
  readonly code: keyof (typeof cues)["math"];
  /** The tokens of an answer, relative to one in English. */
  readonly scale: number;
  readonly slots: Readonly<Record<string, readonly string[]>>;
  readonly templates: Readonly<Record<TaskKind, readonly string[]>>;
}

const LANGUAGES: readonly Language[] = [
  { code: "en", ...english },
  { code: "de", ...german },
  { code: "fr", ...french },
  { code: "es", ...spanish },
  { code: "pt", ...portuguese },
  { code: "zh", ...chinese },
  { code: "ja", ...japanese },
  { code: "ar", ...arabic },
];
/** The slot that a cue also stands before, by kind. */
const AFTER_CUE: Readonly<Partial<Record<TaskKind, string>>> = {
  language: "s",
  translation: "s",
  summary: "p",
  extraction: "n",
  classification: "r",
  creative: "o",
  document: "doc",
  data: "csv",
  sql: "tab",
  coding: "c",
};
/** Begins a template whose answer is as long as the text in it. */
const COPIES = "=";
/** A long document is this many passages, drawn at random. */
const PASSAGES = [6, 20, 80] as const;
const SLOT = /\{(\w+)\}/g;

/** Returns the same prompts for the same seed. A template without slots gives one. */
export function listEverydayPrompts(perTemplate: number, seed: number): readonly EverydayPrompt[] {
  const pick = makeDice(seed);
  const prompts: EverydayPrompt[] = [];
  let template = 0;
  for (const language of LANGUAGES)
    for (const kind of KINDS)
      for (const text of [...language.templates[kind], ...listCues(kind, language.code)]) {
        template++;
        const copies = text.startsWith(COPIES);
        const bare = copies ? text.slice(COPIES.length) : text;
        for (const prompt of fill(bare, language, perTemplate, pick))
          prompts.push({
            kind,
            template,
            prompt,
            language: language.language,
            ...judge(kind, copies, language),
          });
      }
  return prompts;
}

/** As templates. */
function listCues(kind: TaskKind, code: Language["code"]): readonly string[] {
  const slot = AFTER_CUE[kind];
  const after = slot === undefined ? "" : `: {${slot}}`;
  const own = cues[kind][code].split("; ");
  return after === "" ? own : own.flatMap((cue) => [cue, `${cue}${after}`]);
}

function judge(kind: TaskKind, copies: boolean, { scale }: Language) {
  const { difficulty, tokens, ...rest } = shared.kinds[kind];
  return { difficulty, outputTokens: tokens * scale, copies: copies || "copies" in rest };
}

function fill(text: string, language: Language, most: number, pick: () => number): ReadonlySet<string> {
  const slots = new Map<string, readonly string[]>([
    ...Object.entries(shared.slots),
    ...Object.entries(language.slots),
  ]);
  const draw = (choices: readonly string[]) => choices[Math.floor(pick() * choices.length)] ?? "";
  const fillSlot = (whole: string, name: string): string => {
    if (name !== "doc") return draw(slots.get(name) ?? [whole]);
    const passages = language.slots.p ?? [];
    const count = PASSAGES[Math.floor(pick() * PASSAGES.length)] ?? 1;
    return Array.from({ length: count }, () => draw(passages)).join("\n");
  };
  return new Set(Array.from({ length: text.includes("{") ? most : 1 }, () => text.replace(SLOT, fillSlot)));
}
