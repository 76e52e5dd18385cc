// `poundkey route`: shows a selector's choice without calling a provider, manages lessons, and repeats logged decisions.

import { actAs } from "../../admin/audit/audit-trail.ts";
import type { Io } from "../../app/terminal.ts";
import { clock } from "../../app/world.ts";
import { buildCatalogue, type Catalogue } from "../../catalogue/catalogue.ts";
import { Fault } from "../../core/faults/fault.ts";
import { parseJson } from "../../core/json/json.ts";
import { SELECTORS } from "../../core/models/selector.ts";
import { combineSteering, type Steering } from "../../core/models/steering.ts";
import { cutStoredName } from "../../core/models/stored-name.ts";
import type { Settings } from "../../core/settings.ts";
import { LearnedModels } from "../../learning/learned.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { findNeeds } from "../../operations/chat/needs.ts";
import { choose } from "../../selectors/choose.ts";
import { replayDecision } from "../../selectors/decision.ts";
import { SELECTOR_RULES } from "../../selectors/index.ts";
import { explainRemoved } from "../../selectors/removed.ts";
import { viewRoute } from "../../selectors/route-view.ts";
import { NoStoreError } from "../../store/engine/address.ts";
import { readChatRequest } from "../../surfaces/openai-chat/read.ts";
import { makeCommandAct } from "../act.ts";
import { formatJson, nameInput, type Open, runOnStore } from "../administration.ts";
import { type Arguments, parseArguments, STORE_OR_GATEWAY, UsageError } from "../arguments.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { readInputFile } from "../input-file.ts";
import {
  exportLessons,
  forgetModelLessons,
  importLessons,
  type LessonCall,
  learnLabels,
  readLearned,
  showLearned,
} from "./lessons.ts";
import { formatChoice } from "./route-text.ts";
import { actThere, showThere } from "./route-there.ts";
import { sampleAnswers } from "./sample.ts";

const HELP = `usage: poundkey route "PROMPT" [--selector NAME] [--quality SHARE] [--max-cost USD] [--max-ms MS]
                      [--allow PATTERNS] [--json]
       poundkey route --file REQUEST.json [--selector …]   a chat completion's body
       poundkey route --learn LABELS.jsonl                 lines of { "prompt" | "messages", "model", "score" }
       poundkey route --learned [--json]                   prints the lessons learned, by model
       poundkey route --forget [MODEL]                     forgets all lessons, or those about one model
       poundkey route --export FILE                        writes the lessons to a file, one per line
       poundkey route --import FILE                        reads such a file, also from another store
       poundkey route --replay ID                          repeats the decision of a logged request
       poundkey route --sample N --budget USD [--from log|FILE] [--models ID,ID] [--judge MODEL] [--yes]
                                                           has models answer N prompts, and learns your scores

Shows which model a selector would choose and why, without calling a provider. It doesn't know the providers' current
health; with --gateway it asks a running gateway, which does. --learn, --export, --import and --replay work on a store alone.

  --selector NAME           best, fair, light or an alias of one (default: fair)
  --quality SHARE           the share of the best quality that fair keeps, 0 to 1 (default: router.fair.quality)
  --max-cost USD            the most that the answer may cost
  --max-ms MS               the longest predicted time
  --allow PATTERNS          the models to choose from, separated by commas: OpenAI#*,Mistral#*
  --from log|FILE           the prompts to sample: the newest in the log (needs log.content), or a file with one per
                            line, as text or as JSON with "prompt" or "messages" (default: log)
  --budget USD              the most that a sample may cost
  --models ID,ID            2 to 8 models (default: the 4 that the selectors would choose most)
  --judge MODEL             a model that scores the answers instead of you, in both orders
  --yes                     sample without asking
  --simulate                add the simulated provider Sim#… to a sample
  --json                    print JSON
${STORE_OR_GATEWAY}

examples:
  poundkey route "Prove that there are infinitely many primes." --selector best
  poundkey route --file request.json --quality 0.95 --json
  poundkey route --sample 50 --budget 2 --from prompts.txt --judge OpenAI#gpt-5.4`;

const ACTION_FLAGS = {
  file: "value",
  learn: "value",
  learned: "switch",
  forget: "switch",
  export: "value",
  import: "value",
  replay: "value",
  sample: "value",
} as const;
const SAMPLE_FLAGS = {
  from: "value",
  budget: "value",
  models: "value",
  judge: "value",
  yes: "switch",
  simulate: "switch",
} as const;
const SAMPLE_INPUTS = Object.keys(SAMPLE_FLAGS).map((flag) => `--${flag}`);
const CHOICE_FLAGS = {
  selector: "value",
  quality: "value",
  "max-cost": "value",
  "max-ms": "value",
  allow: "value",
} as const;
const FLAGS = { ...ACTION_FLAGS, ...SAMPLE_FLAGS, ...CHOICE_FLAGS, json: "switch" } as const;
interface RouteCall extends Arguments, LessonCall {
  readonly gateway: Gateway | null;
}

export function runRoute(
  args: readonly string[],
  io: Io,
  open: Open,
  settings: Settings,
  gateway: Gateway | null = null,
): Promise<number> {
  return runOnStore(HELP, args, io, open, (openAs) => {
    // A word more than any action takes, for an error that says what it does take.
    const given = parseArguments(args, FLAGS, 2);
    const openFound = async () => actAs(await openAs("find"), makeCommandAct(HELP, args[0] ?? ""));
    return run({ ...given, settings, io, json: given.switches.has("json"), open: openFound, gateway });
  });
}

async function run(call: RouteCall): Promise<void> {
  const { values, switches, words } = call;
  const [action, another] = Object.keys(ACTION_FLAGS).filter(
    (name) => values.has(name) || switches.has(name),
  );
  if (another !== undefined) throw new UsageError(`--${action} and --${another} can't be combined`);
  const more = words[action === "forget" ? 1 : 0];
  if (action !== undefined && more !== undefined)
    throw new UsageError(`unexpected argument '${more}' with --${action}`);
  const idle = Object.keys(CHOICE_FLAGS).find((name) => values.has(name));
  if (action !== undefined && action !== "file" && idle !== undefined)
    throw new UsageError(`--${idle} has no effect with --${action}`);
  if (action !== "sample") refuseSampleFlags(call);
  return act(call, action);
}

async function act(call: RouteCall, action: string | undefined): Promise<void> {
  const { values, words, gateway } = call;
  const given = values.get(action ?? "") ?? "";
  if (gateway !== null && action !== undefined && action !== "file") return actThere(call, gateway, action);
  if (action === "sample")
    return sampleAnswers(call).catch((error: unknown) => Promise.reject(nameInput(error, SAMPLE_INPUTS)));
  if (action === "replay") return replay(call, given);
  if (action === "learn") return learnLabels(call, given);
  if (action === "learned") return showLearned(call);
  if (action === "forget") return forgetModelLessons(call, words[0]);
  if (action === "export") return exportLessons(call, given);
  if (action === "import") return importLessons(call, given);
  return show(call);
}

function refuseSampleFlags({ values, switches }: RouteCall): void {
  const useless = Object.keys(SAMPLE_FLAGS).find((name) => values.has(name) || switches.has(name));
  if (useless !== undefined) throw new UsageError(`--${useless} only has an effect with --sample`);
}

async function show(call: RouteCall): Promise<void> {
  const { values, words, json, settings, io, open, gateway } = call;
  const request = readRequest(values.get("file"), words, settings);
  if (gateway !== null)
    return showThere(call, gateway, {
      ...request,
      model: nameSelector(values.get("selector")) ?? request.model,
    });
  const catalogue = buildCatalogue({ ...settings, nowMs: clock.nowMs() });
  const named = resolveSelector(values.get("selector") ?? request.model, catalogue);
  const { selector } = named;
  if (values.has("quality") && selector !== "fair")
    throw new UsageError(`--quality has no effect on ${selector}, only on fair`);
  const steering = combineSteering(named.steering, parseSteering(values));
  const choice = choose(SELECTOR_RULES[selector], {
    request,
    needs: findNeeds(request),
    cards: catalogue.list(),
    rules: settings.router,
    steering,
    markup: settings.billing.markup,
    quality: steering.quality ?? settings.router.fairQuality,
    learned: await readLearnedIfAny(open, io, catalogue),
  });
  const view = viewRoute(choice);
  const why = choice.choice === null && view.candidates.length > 0 ? explainRemoved(choice, steering) : [];
  io.out(json ? formatJson(view) : formatChoice(view, why));
}

/** A choice needs no store. Without one, nothing has been learned. */
async function readLearnedIfAny(
  open: RouteCall["open"],
  io: Io,
  catalogue: Catalogue,
): Promise<LearnedModels> {
  try {
    return await readLearned((await open()).store, catalogue);
  } catch (error) {
    if (!(error instanceof NoStoreError)) throw error;
    io.err(`poundkey: ${error.message} The choice only uses the built-in profiles.`);
    return new LearnedModels();
  }
}

function readRequest(
  file: string | undefined,
  [prompt, ...more]: readonly string[],
  settings: Settings,
): ChatRequest {
  if (file !== undefined) return readRequestFile(file, settings);
  if (prompt === undefined || more.length > 0)
    throw new UsageError("expected one prompt in quotes, or --file");
  return readChatRequest(
    { model: "Router#fair", messages: [{ role: "user", content: prompt }] },
    settings.limits,
  );
}

/** Throws a UsageError that names the file. */
function readRequestFile(file: string, { limits }: Settings): ChatRequest {
  const body = parseJson(readInputFile(file).toString("utf8"));
  if (body === undefined) throw new UsageError(`${file} is not valid JSON`);
  try {
    return readChatRequest(body, limits);
  } catch (error) {
    throw error instanceof Fault ? new UsageError(`${file}: ${error.message}`) : error;
  }
}

/** Returns the id of a selector that is named with or without its provider, and any other name as it is. */
function nameSelector(name: string | undefined): string | undefined {
  const own = SELECTORS.find((one) => one === name?.replace(/^Router#/i, "").toLowerCase());
  return own === undefined ? name : `Router#${own}`;
}

/** Returns a selector by its own name, its id or an alias, with what the alias demands. */
function resolveSelector(name: string, catalogue: Catalogue) {
  const found = catalogue.resolve(nameSelector(name) ?? name);
  if (found.kind === "selector") return found;
  throw new UsageError(`expected a selector (${SELECTORS.join(", ")}) or an alias of one, not '${name}'`);
}

function parseSteering(values: RouteCall["values"]): Steering {
  const allow = values
    .get("allow")
    ?.split(",")
    .map((pattern) => pattern.trim());
  return {
    allow: allow === undefined ? [] : [allow.filter(Boolean)],
    deny: [],
    maxCostUsd: parseNumber(values, "max-cost", Number.MAX_VALUE),
    maxMs: parseNumber(values, "max-ms", Number.MAX_VALUE),
    quality: parseNumber(values, "quality", 1),
  };
}

function parseNumber(values: RouteCall["values"], flag: string, most: number): number | null {
  const text = values.get(flag);
  if (text === undefined) return null;
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (number >= 0 && number <= most) return number;
  throw new UsageError(`--${flag} must be a number from 0${most === 1 ? " to 1" : ""}`);
}

async function replay({ json, io, open }: RouteCall, id: string): Promise<void> {
  const { store } = await open();
  const record = await store.request(cutStoredName(id));
  if (record === null) throw new Error(`There is no request with the id ${id} in the log.`);
  const kept = record.decision === null ? null : parseJson(record.decision);
  const again = replayDecision(kept);
  if (again === null) throw new Error(`The request ${id} named its model, so no selector decided.`);
  const line = `${again.choice ?? "nothing"}: ${again.same ? "same choice as before" : "different choice than before"}`;
  io.out(json ? formatJson({ ...again, decision: kept }) : line);
  if (!again.same) throw new Error("The decision is different now.");
}
