// Examples of the changes that the code is made for, and the files that each of them touches besides its own.
import type { Code } from "./code.ts";

export interface Change {
  /** The beginning of its paragraph in src/README.md, "Adding things", and its name in `test/tidy/recipes.ts` if it has a recipe there. */
  readonly title: string;
  readonly example: string;
  readonly names: RegExp;
  /** Files that are the example itself, or another change that comes with it. */
  readonly own?: RegExp;
  /** Files that use the word for something else. */
  readonly others?: readonly string[];
  /** The greatest number of further files that name it. */
  readonly most: number;
  /** Set if the bound is above the house plan's. */
  readonly reason?: string;
}

/** Matches a word as a name or as a part of one: `rerank`, `RerankForm`, `RERANK_USAGE`. */
function matchWord(word: string): RegExp {
  const capital = word.charAt(0).toUpperCase() + word.slice(1);
  return new RegExp(
    `(?<![A-Za-z])${word}(?![a-z])|${capital}(?![a-z])|(?<![A-Z])${word.toUpperCase()}(?![A-Z])`,
  );
}

const CHAT_PROVIDER = { title: "A provider that speaks the OpenAI dialect", most: 1 };
/** Its names in public price lists, which is all that a provider in none of them lacks. */
const LISTED_NAMES = "catalogue/feeds/provider-names.ts";
/** Reports of what providers refuse, such as videos. A provider of which there is none isn't named there. */
const REFUSING = "core/models/target-rows.ts";
/** Limits on some models are one field, of requests and tokens alone: a further limit of a minute isn't one of them. */
const MODEL_LIMITS = [
  "admin/limits/model-limits.ts",
  "config/field-notes.yaml",
  "config/owner-limits.ts",
  "core/fields/field.ts",
  "core/fields/key.ts",
  "core/fields/model-limit-text.ts",
  "core/limits/model-limit.ts",
  "ledger/limits/limit-state.ts",
  "ledger/limits/model-limits.ts",
  "store/columns/model-limit-column.ts",
];
/** The row itself is the example. */
const RULE = { title: "A rule of a target", own: /^core\/models\/refusals\.ts$/ };
/** Batches' lines are the example. */
const WAY_IN = { title: "A way in", own: /^http\/batches\/line-outlet\.ts$/ };
/** The codecs, surfaces, models and simulated variants of an operation are changes of their own. */
const OPERATION = { title: "An operation", most: 8 };

const LIMIT_OF_A_MINUTE = {
  title: "A limit of a minute",
  own: /^core\/limits\/limit-table\.ts$/,
  // Steps of the schema that have been released, and other words for it in the manual's search.
  others: [
    "store/schema/steps.ts",
    "store/postgres/schema.ts",
    "store/sqlite/migrations.ts",
    "docs/site/synonyms.yaml",
    ...MODEL_LIMITS,
  ],
  most: 2,
  reason: "its arithmetic, of an owner's minute and of a credential's",
};

export const CHANGES: readonly Change[] = [
  {
    ...CHAT_PROVIDER,
    example: "Cerebras",
    names: matchWord("cerebras"),
    own: /^providers\/cerebras\.ts$/,
    others: [LISTED_NAMES, REFUSING],
  },
  {
    ...CHAT_PROVIDER,
    example: "Fireworks, with embeddings, rerank and completions",
    names: matchWord("fireworks"),
    own: /^providers\/fireworks\.ts$/,
    // Its sentences are among those by which any server says that a prompt is too long, or that a model is gone.
    others: [LISTED_NAMES, "core/models/words/overflow.ts", "core/models/words/gone.ts"],
  },
  {
    ...OPERATION,
    example: "speech",
    names: matchWord("speech"),
    own: /^(operations\/speech|surfaces|dialects|providers|catalogue)\/|^core\/log\/record\.ts$/,
    others: ["selectors/text/words.data.json", "http/serve/unknown-url.ts"],
  },
  {
    ...OPERATION,
    example: "moderation",
    names: matchWord("moderation"),
    own: /^(operations\/moderation|surfaces|dialects|providers|catalogue)\/|^core\/log\/record\.ts$/,
    // A field of images and chats has the same name, an error's code has the word, and hooks may ask a model of this operation.
    others: [
      "operations/images/form.ts",
      "operations/images/operation.ts",
      "operations/chat/operation.ts",
      "app/steps.ts",
      "config/field-notes.yaml",
      "config/hooks.ts",
      "core/models/hook.ts",
      "core/models/upstream.ts",
      "steps/hooks/moderation.ts",
    ],
  },
  {
    title: "A surface",
    example: "moderations",
    names: matchWord("moderations"),
    own: /^surfaces\/moderations\//,
    // A provider's own path, and the gateway's own calls.
    others: ["dialects/_whole/moderation.ts", "simulator/vectors.ts", "app/steps.ts"],
    most: 8,
  },
  {
    title: "A surface",
    example: "openai-speech",
    names: matchWord("openai-speech"),
    own: /^surfaces\/openai-speech\//,
    most: 8,
  },
  {
    title: "A surface",
    example: "interactions",
    names: /"interactions"|\/interactions\b|\bINTERACTIONS\b/,
    own: /^surfaces\/interactions\//,
    // Its chapter of the manual, and its form in the playground, which most surfaces don't have.
    others: ["docs/site/contents.ts", "console/operations/interaction.tsx", "http/models/playground.ts"],
    most: 8,
    reason: "what is kept of it has routes of its own, and tells its ids from those of responses",
  },
  {
    title: "A selector",
    example: "light",
    names: /"light"|\/light\.ts"/,
    own: /^selectors\/light\.ts$/,
    // The console's look.
    others: ["console/browser.ts", "console/frame/theme.tsx"],
    most: 3,
    reason: "the share of quality that it keeps depends on the request, which is prepared once for all",
  },
  {
    title: "A fault",
    example: "key_paused",
    names: matchWord("key_paused"),
    // The field that pauses a key says what follows, and the console says it in words of its own.
    others: ["core/fields/key.ts", "console/log/refusal-groups.tsx"],
    most: 2,
  },
  {
    ...RULE,
    example: "schema_union",
    names: matchWord("schema_union"),
    most: 2,
    reason: "a line in the table of each dialect that applies it",
  },
  {
    ...RULE,
    example: "user_after_tool",
    names: matchWord("user_after_tool"),
    most: 2,
    reason: "a sentence that servers say it in",
  },
  { ...RULE, example: "picture_jpeg", names: matchWord("picture_jpeg"), most: 1 },
  { ...WAY_IN, example: "the results of lines", names: /\bLineOutlet\b/, most: 3 },
  { title: "A fault", example: "alias_exists", names: matchWord("alias_exists"), most: 2 },
  { title: "A metric", example: "poundkey_hedges_total", names: matchWord("poundkey_hedges_total"), most: 1 },
  {
    title: "A metric",
    example: "process_open_fds",
    names: matchWord("process_open_fds"),
    most: 2,
    reason: "it is read at each scrape, by a function beside its row",
  },
  { title: "A route", example: "GET /v1/models", names: matchWord("modelRoutes"), most: 2 },
  { title: "A route", example: "GET /admin/v1/live", names: matchWord("liveRoutes"), most: 2 },
  { ...LIMIT_OF_A_MINUTE, example: "requests_per_minute", names: /\brequests(_per_minute|PerMinute)\b/ },
  { ...LIMIT_OF_A_MINUTE, example: "tokens_per_minute", names: /\btokens(_per_minute|PerMinute)\b/ },
  { title: "A limit", example: "EVENT_LINES_MAX", names: matchWord("EVENT_LINES_MAX"), most: 1 },
  { title: "A limit", example: "FIRST_KEPT", names: matchWord("FIRST_KEPT"), most: 1 },
];

/** Made by programs from public lists and other rows, or alerts and dashboards, which show what there is: no change needs one. */
const UNNEEDED = /^(selectors\/(benchmarks|profiles)\.data\.json$|catalogue\/\w+\.data\.json$|deploy\/)/;

/** Returns the files that a change like the example would touch besides adding its own. */
export function listPlaces({ names, own, others = [] }: Change, code: readonly Code[]): readonly string[] {
  return code
    .filter(({ path, text }) => !own?.test(path) && !others.includes(path) && names.test(text))
    .map(({ path }) => path)
    .filter((path) => !UNNEEDED.test(path))
    .toSorted();
}
