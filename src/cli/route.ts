// `poundkey route`: what a selector would choose and why, without calling anybody; labels to learn from; a decision again.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { buildCatalogue, type Catalogue } from "../catalogue/catalogue.ts";
import type { ChatRequest } from "../core/chat.ts";
import { Fault } from "../core/fault.ts";
import { isObject, parseJson, stringOf } from "../core/json.ts";
import { SELECTORS, type Selector } from "../core/selector.ts";
import type { Settings } from "../core/settings.ts";
import type { Store } from "../core/store.ts";
import { choose } from "../router/choose.ts";
import { decidedAgain } from "../router/decision.ts";
import { featuresOf } from "../router/features.ts";
import { Learned } from "../router/learned.ts";
import { lessonOf } from "../router/lesson.ts";
import { needsOf } from "../router/needs.ts";
import { predict } from "../router/predictor.ts";
import { type RouteView, routeView } from "../router/route-view.ts";
import { chatRequestOf } from "../wire/chat-request.ts";
import { EXIT, type Io, jsonOf, type Opened, report, tableOf, UsageError } from "./administration.ts";
import { Learning } from "./learning.ts";

const HELP = `usage: poundkey route "PROMPT" [--selector best|fair|light] [--quality SHARE] [--json]
       poundkey route --file REQUEST.json [--selector …]   a chat completion's body
       poundkey route --learn LABELS.jsonl                 { "prompt" | "messages", "model", "score" } a line
       poundkey route --learned [--json]                   what was learned, per model
       poundkey route --forget [MODEL]                     forgets it, all or one model's
       poundkey route --replay ID                          decides a logged request again

Which model a selector would choose, and why. Calls nobody. Live health is the running gateway's alone: POST /v1/route
shows a choice with it.

  --selector NAME           best, fair or light (default: fair)
  --quality SHARE           of the best quality that fair keeps, 0 to 1 (default: router.fair.quality)
  --json                    print JSON
  --config FILE, --store S  as for the gateway`;

const OPTIONS = {
  selector: { type: "string" },
  quality: { type: "string" },
  file: { type: "string" },
  learn: { type: "string" },
  learned: { type: "boolean" },
  forget: { type: "boolean" },
  replay: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

interface Call {
  readonly values: {
    readonly selector?: string;
    readonly quality?: string;
    readonly file?: string;
    readonly learn?: string;
    readonly learned?: boolean;
    readonly forget?: boolean;
    readonly replay?: string;
    readonly json?: boolean;
    readonly help?: boolean;
  };
  readonly positionals: readonly string[];
  readonly settings: Settings;
  readonly io: Io;
  readonly open: () => Promise<Store>;
}

export async function runRoute(
  args: readonly string[],
  io: Io,
  open: () => Promise<Opened>,
  settings: Settings,
): Promise<number> {
  const opened: Opened[] = [];
  const openOnce = async () => {
    const one = await open();
    opened.push(one);
    return one.world.store;
  };
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
    await run({ values, positionals, settings, io, open: openOnce });
    return EXIT.done;
  } catch (error) {
    return report(error, HELP, io);
  } finally {
    for (const one of opened) await one.close();
  }
}

const ACTIONS = ["file", "learn", "learned", "forget", "replay"] as const;

async function run(call: Call): Promise<void> {
  const { values, positionals, io } = call;
  if (values.help) return io.out(HELP);
  const [action, another] = ACTIONS.filter((name) => values[name] !== undefined);
  if (another !== undefined) throw new UsageError(`expected one of --${action} and --${another}`);
  const more = positionals[action === "forget" ? 1 : 0];
  if (action !== undefined && more !== undefined)
    throw new UsageError(`'${more}' is too much beside --${action}`);
  if (values.replay !== undefined) return replay(call, values.replay);
  if (values.learn !== undefined) return learn(call, values.learn);
  if (values.learned) return showLearned(call);
  if (values.forget) return forget(call);
  return show(call);
}

function catalogueOf(settings: Settings): Catalogue {
  return buildCatalogue(settings);
}

async function learnedIn(store: Store): Promise<Learned> {
  const learned = new Learned();
  await new Learning(store, learned, { nowMs: Date.now }).refresh();
  return learned;
}

async function show({ values, positionals, settings, io, open }: Call): Promise<void> {
  const request = requestOf(values.file, positionals, settings);
  const selector = selectorOf(values.selector ?? request.model.replace(/^Router#/i, ""));
  const choice = choose(selector, {
    request,
    needs: needsOf(request),
    cards: catalogueOf(settings).list(),
    rules: settings.router,
    quality: shareOf(values.quality) ?? settings.router.fairQuality,
    learned: await learnedIn(await open()),
  });
  const view = routeView(choice);
  io.out(values.json ? jsonOf(view) : textOf(view));
}

function requestOf(
  file: string | undefined,
  [prompt, ...more]: readonly string[],
  settings: Settings,
): ChatRequest {
  if (file !== undefined) return chatRequestOf(parseJson(readFileSync(file, "utf8")), settings.limits);
  if (prompt === undefined || more.length > 0)
    throw new UsageError("expected one prompt in quotes, or --file");
  return chatRequestOf(
    { model: "Router#fair", messages: [{ role: "user", content: prompt }] },
    settings.limits,
  );
}

function selectorOf(name: string): Selector {
  const found = SELECTORS.find((one) => one === name.toLowerCase());
  if (found) return found;
  throw new UsageError(`expected a selector (${SELECTORS.join(", ")}), not '${name}'`);
}

function shareOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const share = text.trim() === "" ? Number.NaN : Number(text);
  if (share >= 0 && share <= 1) return share;
  throw new UsageError("--quality must be a number from 0 to 1");
}

const SHOWN_MAX = 12;

function textOf({ selector, choice, features, candidates }: RouteView): string {
  const kinds = Object.entries(features.categories).map(
    ([kind, share]) => `${kind} ${Math.round(share * 100)} %`,
  );
  const rows = candidates
    .filter(({ eligible }) => eligible)
    .slice(0, SHOWN_MAX)
    .map((one) => [
      one.model,
      one.quality.toFixed(3),
      one.quality_low.toFixed(3),
      one.cost_usd === null ? "-" : one.cost_usd.toFixed(6),
      String(Math.round(one.latency_ms)),
      one.score.toFixed(3),
    ]);
  const removed = candidates.filter(({ removed_by }) => removed_by !== null);
  return [
    `${selector} chooses ${choice ?? "nothing: no model that is on can serve this"}`,
    "",
    `kind        ${kinds.join(", ")}`,
    `difficulty  ${features.difficulty}   output tokens ${features.output_tokens}   support ${features.support}`,
    "",
    tableOf([["MODEL", "QUALITY", "LOW", "COST USD", "MS", "SCORE"], ...rows]),
    "",
    `${candidates.length - removed.length} could serve, ${removed.length} can't`,
  ].join("\n");
}

/** Each line is a lesson, once: its id is its own digest. */
async function learn({ settings, io, open }: Call, file: string): Promise<void> {
  const catalogue = catalogueOf(settings);
  const lines = readFileSync(file, "utf8").split("\n");
  const lessons = lines.flatMap((line, at) =>
    line.trim() === "" ? [] : [lessonIn(line, at + 1, catalogue, settings)],
  );
  const store = await open();
  let taught = 0;
  for (const lesson of lessons) {
    // Gateways look for what was taught lately: of many labels the last is written long after the first was read.
    if (await store.teach({ ...lesson, atMs: Date.now() })) taught++;
  }
  io.out(`Learned from ${taught} labels; ${lessons.length - taught} were known.`);
}

function lessonIn(line: string, at: number, catalogue: Catalogue, settings: Settings) {
  const wrong = (what: string) => new UsageError(`line ${at}: ${what}`);
  const label = parseJson(line);
  if (!isObject(label)) throw wrong("expected a JSON object");
  const { prompt, score } = label;
  const found = catalogue.resolve(stringOf(label.model) ?? "");
  if (found.kind !== "card") throw wrong(`'model' must be the id of a model that is on`);
  if (typeof score !== "number" || !(score >= 0 && score <= 1))
    throw wrong("'score' must be a number from 0 to 1");
  const messages =
    label.messages ?? (typeof prompt === "string" ? [{ role: "user", content: prompt }] : undefined);
  if (messages === undefined) throw wrong("'prompt' or 'messages' is missing");
  let request: ChatRequest;
  try {
    request = chatRequestOf({ model: found.card.id, messages }, settings.limits);
  } catch (error) {
    throw error instanceof Fault ? wrong(error.message) : error;
  }
  const id = `label_${createHash("sha256").update(line.trim()).digest("hex").slice(0, 32)}`;
  return lessonOf(
    { accountId: "default", id, atMs: Date.now(), score },
    found.card,
    predict(featuresOf(request)),
  );
}

async function showLearned({ values, io, open }: Call): Promise<void> {
  const views = (await learnedIn(await open())).views();
  if (values.json) return io.out(jsonOf(views));
  const rows = views.map(({ model, labels, categories }) => [
    model,
    String(labels),
    Object.entries(categories)
      .map(([kind, { labels: count, score }]) => `${kind} ${score} (${count})`)
      .join(", "),
  ]);
  io.out(tableOf([["MODEL", "LABELS", "MEAN SCORE BY KIND (LABELS)"], ...rows]));
}

/** Running gateways forget within a few seconds. */
async function forget({ positionals, settings, io, open }: Call): Promise<void> {
  const [name] = positionals;
  const found = name === undefined ? null : catalogueOf(settings).resolve(name);
  const model = found?.kind === "card" ? found.card.id : name;
  const store = await open();
  if (model !== undefined && found?.kind !== "card") {
    const isKnown = (await learnedIn(store)).views().some((view) => view.model === model);
    if (!isKnown) throw new UsageError(`expected the id of a model, not '${model}'`);
  }
  await store.forgetLessons(model);
  await store.setSetting("lessons_forgotten", String(Date.now()));
  io.out(model === undefined ? "Forgot all labels." : `Forgot the labels of ${model}.`);
}

async function replay({ values, io, open }: Call, id: string): Promise<void> {
  const record = await (await open()).request(id);
  if (record === null) throw new Error(`There is no request ${id} in the log.`);
  const kept = record.decision === null ? null : parseJson(record.decision);
  const again = decidedAgain(kept);
  if (again === null) throw new Error(`The request ${id} named its model: no selector decided.`);
  const line = `${again.choice ?? "nothing"}: ${again.same ? "the same as then" : "not the same as then"}`;
  io.out(values.json ? jsonOf({ ...again, decision: kept }) : line);
  if (!again.same) throw new Error("The decision is another one now.");
}
