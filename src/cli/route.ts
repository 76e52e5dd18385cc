// `poundkey route`: shows a selector's choice without calling a provider, manages lessons, and repeats logged decisions.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Io } from "../app/terminal.ts";
import { clock } from "../app/world.ts";
import { buildCatalogue, type Catalogue } from "../catalogue/catalogue.ts";
import { parseJson } from "../core/json.ts";
import { SELECTORS, type Selector } from "../core/selector.ts";
import type { Settings } from "../core/settings.ts";
import type { Store } from "../core/store.ts";
import { cutStoredName } from "../core/stored-name.ts";
import type { ChatRequest } from "../operations/chat/form.ts";
import { findNeeds } from "../operations/chat/needs.ts";
import { choose } from "../selectors/choose.ts";
import { replayDecision } from "../selectors/decision.ts";
import { SELECTOR_RULES } from "../selectors/index.ts";
import { Learned } from "../selectors/learning/learned.ts";
import { type RouteView, viewRoute } from "../selectors/route-view.ts";
import { NoStoreError } from "../store/address.ts";
import { readChatRequest } from "../surfaces/openai-chat/read.ts";
import { formatJson, formatTable, type Open, runOnStore } from "./administration.ts";
import { UsageError } from "./arguments.ts";
import {
  exportLessons,
  forget,
  importLessons,
  type LessonCall,
  learn,
  readLearned,
  showLearned,
} from "./lessons.ts";

const HELP = `usage: poundkey route "PROMPT" [--selector best|fair|light] [--quality SHARE] [--json]
       poundkey route --file REQUEST.json [--selector …]   a chat completion's body
       poundkey route --learn LABELS.jsonl                 lines of { "prompt" | "messages", "model", "score" }
       poundkey route --learned [--json]                   prints the lessons learned, by model
       poundkey route --forget [MODEL]                     forgets all lessons, or those about one model
       poundkey route --export FILE                        writes the lessons to a file, one per line
       poundkey route --import FILE                        reads such a file, also from another store
       poundkey route --replay ID                          repeats the decision of a logged request

Shows which model a selector would choose and why, without calling a provider. It doesn't know the providers' current
health; POST /v1/route on a running gateway does.

  --selector NAME           best, fair or light (default: fair)
  --quality SHARE           the share of the best quality that fair keeps, 0 to 1 (default: router.fair.quality)
  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\``;

const OPTIONS = {
  selector: { type: "string" },
  quality: { type: "string" },
  file: { type: "string" },
  learn: { type: "string" },
  learned: { type: "boolean" },
  forget: { type: "boolean" },
  export: { type: "string" },
  import: { type: "string" },
  replay: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
}

interface Call extends ReturnType<typeof parse> {
  readonly settings: Settings;
  readonly io: Io;
  readonly open: () => Promise<Store>;
}

export function runRoute(args: readonly string[], io: Io, open: Open, settings: Settings): Promise<number> {
  return runOnStore(HELP, io, open, (openAs) =>
    run({ ...parse(args), settings, io, open: async () => (await openAs("find")).store }),
  );
}

const ACTIONS = ["file", "learn", "learned", "forget", "export", "import", "replay"] as const;
/** The flags that apply only to a choice. */
const OF_A_CHOICE = ["selector", "quality"] as const;

async function run(call: Call): Promise<void> {
  const { values, positionals, io } = call;
  if (values.help) return io.out(HELP);
  const [action, another] = ACTIONS.filter((name) => values[name] !== undefined);
  if (another !== undefined) throw new UsageError(`--${action} and --${another} can't be combined`);
  const more = positionals[action === "forget" ? 1 : 0];
  if (action !== undefined && more !== undefined)
    throw new UsageError(`unexpected argument '${more}' with --${action}`);
  const idle = OF_A_CHOICE.find((name) => values[name] !== undefined);
  if (action !== undefined && action !== "file" && idle !== undefined)
    throw new UsageError(`--${idle} has no effect with --${action}`);
  const lessons: LessonCall = { ...call, json: values.json === true };
  if (values.replay !== undefined) return replay(call, values.replay);
  if (values.learn !== undefined) return learn(lessons, values.learn);
  if (values.learned) return showLearned(lessons);
  if (values.forget) return forget(lessons, positionals[0]);
  if (values.export !== undefined) return exportLessons(lessons, values.export);
  if (values.import !== undefined) return importLessons(lessons, values.import);
  return show(call);
}

async function show({ values, positionals, settings, io, open }: Call): Promise<void> {
  const request = readRequest(values.file, positionals, settings);
  const selector = parseSelector(values.selector ?? request.model.replace(/^Router#/i, ""));
  const quality = parseShare(values.quality);
  if (quality !== null && selector !== "fair")
    throw new UsageError(`--quality has no effect on ${selector}, only on fair`);
  const catalogue = buildCatalogue({ ...settings, nowMs: clock.nowMs() });
  const choice = choose(SELECTOR_RULES[selector], {
    request,
    needs: findNeeds(request),
    cards: catalogue.list(),
    rules: settings.router,
    quality: quality ?? settings.router.fairQuality,
    learned: await readLearnedIfAny(open, io, catalogue),
  });
  const view = viewRoute(choice);
  io.out(values.json ? formatJson(view) : formatChoice(view));
}

/** A choice needs no store. Without one, nothing has been learned. */
async function readLearnedIfAny(open: Call["open"], io: Io, catalogue: Catalogue): Promise<Learned> {
  try {
    return await readLearned(await open(), catalogue);
  } catch (error) {
    if (!(error instanceof NoStoreError)) throw error;
    io.err(`poundkey: ${error.message} The choice only uses the built-in profiles.`);
    return new Learned();
  }
}

function readRequest(
  file: string | undefined,
  [prompt, ...more]: readonly string[],
  settings: Settings,
): ChatRequest {
  if (file !== undefined) {
    const body = parseJson(readFileSync(file, "utf8"));
    if (body === undefined) throw new UsageError(`${file} is not valid JSON`);
    return readChatRequest(body, settings.limits);
  }
  if (prompt === undefined || more.length > 0)
    throw new UsageError("expected one prompt in quotes, or --file");
  return readChatRequest(
    { model: "Router#fair", messages: [{ role: "user", content: prompt }] },
    settings.limits,
  );
}

function parseSelector(name: string): Selector {
  const found = SELECTORS.find((one) => one === name.toLowerCase());
  if (found) return found;
  throw new UsageError(`expected a selector (${SELECTORS.join(", ")}), not '${name}'`);
}

function parseShare(text: string | undefined): number | null {
  if (text === undefined) return null;
  const share = text.trim() === "" ? Number.NaN : Number(text);
  if (share >= 0 && share <= 1) return share;
  throw new UsageError("--quality must be a number from 0 to 1");
}

const SHOWN_MAX = 12;

/** The candidates whose doubt is shown. */
const DOUBTED = 3;

function formatBasis({ likeness, familiar, labelled }: RouteView["basis"], stays: boolean): string {
  const topics = labelled.map(
    ({ topic, share, prompts }) => `${topic} ${Math.round(share * 100)}% (${prompts})`,
  );
  const kept = familiar ? "familiar" : "unfamiliar, so best keeps the model that is best overall";
  return [
    `likeness    ${likeness}, ${kept}`,
    ...(topics.length > 0 ? [`labelled    ${topics.join(", ")}`] : []),
    ...(stays ? ["stays       with the model that holds the conversation's prompt"] : []),
  ].join("\n");
}

function formatChoice({ selector, choice, stays, features, basis, candidates }: RouteView): string {
  const kinds = Object.entries(features.categories).map(
    ([kind, share]) => `${kind} ${Math.round(share * 100)}%`,
  );
  const rows = candidates
    .filter(({ eligible }) => eligible)
    .slice(0, SHOWN_MAX)
    .map((one, at) => [
      one.model,
      one.quality.toFixed(3),
      one.quality_low.toFixed(3),
      withHigh(one.cost_usd, at < DOUBTED ? one.cost_usd_high : null, 6),
      withHigh(one.latency_ms, at < DOUBTED ? one.latency_ms_high : null, 0),
      one.score.toFixed(3),
    ]);
  const removed = candidates.filter(({ removed_by }) => removed_by !== null);
  const reason = candidates.length === 0 ? "no provider is enabled" : "no model can serve this request";
  return [
    `${selector} chooses ${choice ?? `nothing: ${reason}`}`,
    "",
    `kind        ${kinds.join(", ")}`,
    `difficulty  ${features.difficulty}   output tokens ${features.output_tokens}   support ${features.support}`,
    formatBasis(basis, stays === true),
    "",
    formatTable([["MODEL", "QUALITY", "LOW", "COST USD", "MS", "SCORE"], ...rows]),
    "",
    `${candidates.length - removed.length} can serve, ${removed.length} can't`,
  ].join("\n");
}

function withHigh(value: number | null, high: number | null, digits: number): string {
  if (value === null) return "-";
  return high === null ? value.toFixed(digits) : `${value.toFixed(digits)} (to ${high.toFixed(digits)})`;
}

async function replay({ values, io, open }: Call, id: string): Promise<void> {
  const record = await (await open()).request(cutStoredName(id));
  if (record === null) throw new Error(`There is no request with the id ${id} in the log.`);
  const kept = record.decision === null ? null : parseJson(record.decision);
  const again = replayDecision(kept);
  if (again === null) throw new Error(`The request ${id} named its model, so no selector decided.`);
  const line = `${again.choice ?? "nothing"}: ${again.same ? "same choice as before" : "different choice than before"}`;
  io.out(values.json ? formatJson({ ...again, decision: kept }) : line);
  if (!again.same) throw new Error("The decision is different now.");
}
