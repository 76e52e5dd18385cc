// Work on catalogues and lists of prices in a thread of its own.
import { FeedError } from "../../catalogue/feeds/feed.ts";
import { type CatalogueFile, rememberCatalogue } from "../../config/models/catalogue-file.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type {
  CatalogueAnswer,
  CatalogueAsk,
  CompareAsk,
  ComparedList,
  WriteAsk,
} from "./catalogue-thread.ts";

/** Rejects with a FeedError if the list can't be used. */
export async function compareApart(ask: Omit<CompareAsk, "kind">): Promise<ComparedList> {
  const answer = await askThread({ kind: "compare", ...ask });
  if (answer.kind === "compare") return answer.compared;
  throw describeWrong(answer, "it can't be compared");
}

/** Returns the text of the catalogue file. Rejects with a FeedError if the gateway would refuse it. */
export async function writeApart(ask: Omit<WriteAsk, "kind">): Promise<string> {
  const answer = await askThread({ kind: "write", ...ask });
  if (answer.kind === "write") return answer.text;
  throw describeWrong(answer, "it can't be written");
}

function describeWrong(answer: CatalogueAnswer, usual: string): FeedError {
  return answer.kind === "wrong" ? new FeedError(answer.wrong, answer.why) : new FeedError(usual);
}

/** Returns how the configuration is reloaded while requests go on: the catalogue file is parsed beforehand. */
export function createGentle(findFile: () => string | undefined) {
  return { prepare: () => prepareCatalogue(findFile()), rest: () => Bun.sleep(0) };
}

/** A file that can't be read is left to the reload, which says so. */
async function prepareCatalogue(file: string | undefined): Promise<void> {
  if (file === undefined) return;
  try {
    const text = await Bun.file(file).text();
    const found = await useThread((ask) => parseApart(text, ask));
    if (found !== null) rememberCatalogue(text, found);
  } catch {
    // The reload meets the same trouble.
  }
}

/** Takes the cards in parts, between which requests are served. Null if the thread gives none. */
async function parseApart(text: string, ask: AskCatalogue): Promise<CatalogueFile | string | null> {
  const answer = await ask({ kind: "parse", text });
  if (answer.kind !== "parse") return null;
  if (typeof answer.found === "string") return answer.found;
  const cards: ModelCard[] = [];
  while (cards.length < answer.rows) {
    await Bun.sleep(0);
    const part = await ask({ kind: "cards", from: cards.length });
    if (part.kind !== "cards" || part.cards.length === 0) return null;
    cards.push(...part.cards);
  }
  return { ...answer.found, cards };
}

type AskCatalogue = (ask: CatalogueAsk) => Promise<CatalogueAnswer>;

function askThread(asked: CatalogueAsk): Promise<CatalogueAnswer> {
  return useThread((ask) => ask(asked));
}

/** One question is asked at a time. */
async function useThread<Result>(work: (ask: AskCatalogue) => Promise<Result>): Promise<Result> {
  const thread = new Worker(new URL("./catalogue-thread.ts", import.meta.url), { ref: false, smol: true });
  const ask: AskCatalogue = (asked) => {
    const { promise, resolve, reject } = Promise.withResolvers<CatalogueAnswer>();
    thread.onmessage = ({ data }: MessageEvent<CatalogueAnswer>) => resolve(data);
    thread.onerror = ({ message }) => reject(new Error(message));
    thread.postMessage(asked);
    return promise;
  };
  try {
    return await work(ask);
  } finally {
    thread.terminate();
  }
}
