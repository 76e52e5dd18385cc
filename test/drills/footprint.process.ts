// A program of its own that serves a few requests and prints the lines of the code that each of them runs, as JSON: by file,
// in each of several takes.

import { Session } from "node:inspector";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { plugin } from "bun";
import { ROOT } from "../tidy/sources.ts";
import { HeldTime } from "./held-time.ts";

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly {
        readonly startOffset: number;
        readonly endOffset: number;
        readonly count: number;
      }[];
    }[];
  }[];
}

/** A request may run other code at first, such as caches being filled. */
const WARMING = 2;
/** Between two requests: less than any period of the gateway's. */
const PAUSE_MS = 10;
/** Each take counts the same. A second one shows it. */
const TAKES = Number(process.env.TAKES ?? 2);
/** Work that is done from time to time, such as reading a key again, may fall into a take. Then more are made, until some in a row are the same. */
const TAKES_MAX = 4 * TAKES;
/** The gateway rests if nothing of it runs for as long: a settlement may wait for a slow disk. */
const REST_MS = 50;
/** Makes a prompt that is worth caching. */
const LONG_WORDS = 2000;
const SOURCES = join(ROOT, "src/");

const texts = new Map<string, string>();
const transpiler = new Bun.Transpiler({ loader: "ts", target: "bun", deadCodeElimination: false });

plugin({
  name: "as printed",
  setup({ onLoad }) {
    // The comment keeps Bun from printing the code again, which would shift the offsets that the inspector reports.
    onLoad({ filter: new RegExp(`^${RegExp.escape(SOURCES)}.*\\.ts$`) }, async ({ path }) => {
      const contents = `// @bun\n${transpiler.transformSync(await Bun.file(path).text())}`;
      texts.set(path.slice(SOURCES.length), contents);
      return { contents, loader: "js" };
    });
  },
});

const time = new HeldTime();
const session = new Session();
session.connect();

function post<Answer>(method: string, params: object = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  session.post(method, params, (error, answer) => (error ? reject(error) : resolve(answer as Answer)));
  return promise;
}

interface Ran {
  readonly path: string;
  readonly functions: Coverage["result"][number]["functions"];
}

/** Returns the product's files with what ran in them since the last call. */
async function takeCoverage(): Promise<readonly Ran[]> {
  const { result } = await post<Coverage>("Profiler.takePreciseCoverage");
  return result.flatMap(({ url, functions }) => {
    const path = url.startsWith(`file://${SOURCES}`) ? url.slice(`file://${SOURCES}`.length) : "";
    return texts.has(path) && !path.startsWith("simulator/") ? [{ path, functions }] : [];
  });
}

/** Returns the lines that ran, as `path:offset`. */
function listLines(ran: readonly Ran[]): ReadonlySet<string> {
  return new Set(
    ran.flatMap(({ path, functions }) =>
      listOffsets(texts.get(path) ?? "", functions).map((offset) => `${path}:${offset}`),
    ),
  );
}

function listOffsets(text: string, functions: Ran["functions"]): readonly number[] {
  const ranges = functions.flatMap((one) => one.ranges);
  if (!ranges.some(({ count }) => count > 0)) return [];
  const ran = new Uint8Array(text.length);
  // Functions and blocks follow those that contain them.
  for (const { startOffset, endOffset, count } of ranges) ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  return [...text.matchAll(/^.*\w.*$/gm)]
    .filter(({ 0: line, index }) => ran.subarray(index + line.search(/\w/), index + line.length).includes(1))
    .map(({ index }) => index);
}

const hasRun = ({ functions }: Ran): boolean =>
  functions.some(({ ranges }) => ranges.some(({ count }) => count > 0));

/** Returns what has run since the last call, once nothing of the product has run for a while. */
async function rest(): Promise<readonly Ran[]> {
  const all: Ran[] = [];
  for (;;) {
    await Bun.sleep(REST_MS);
    const ran = (await takeCoverage()).filter(hasRun);
    if (ran.length === 0) return all;
    all.push(...ran);
  }
}

async function ask(send: () => Promise<Response>): Promise<void> {
  const answer = await send();
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
}

/** Returns the lines that a request ran. The one before it did what is done from time to time. */
async function take(send: () => Promise<Response>): Promise<ReadonlySet<string>> {
  time.hold("request");
  time.stop();
  await ask(send);
  await rest();
  time.pass(PAUSE_MS);
  await ask(send);
  const ran = await rest();
  time.release();
  return listLines(ran);
}

/** Returns the number of lines that every request of a kind runs, by file, in each take. */
async function measure(send: () => Promise<Response>): Promise<readonly Readonly<Record<string, number>>[]> {
  for (let count = 0; count < WARMING; count++) await ask(send);
  const takes: Readonly<Record<string, number>>[] = [];
  const last = () => takes.slice(-TAKES);
  do takes.push(countByFile(await take(send)));
  while (takes.length < TAKES_MAX && (takes.length < TAKES || !areSame(last())));
  return last();
}

function areSame([first, ...others]: readonly object[]): boolean {
  return others.every((other) => isDeepStrictEqual(other, first));
}

function countByFile(lines: ReadonlySet<string>): Readonly<Record<string, number>> {
  const byFile = Map.groupBy(lines, (line) => line.slice(0, line.lastIndexOf(":")));
  const counts = [...byFile].map(([path, { length }]) => [path, length] as const);
  return Object.fromEntries(counts.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

await post("Profiler.enable");
await post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
const { startUnderTest } = await import("../harness/harness.ts");
const { until } = await import("../whole/world/until.ts");
/** Not a request's usual case, unlike the other providers: a choice between two credentials. */
const twoKeys = (url: string) =>
  `  Twice: { dialect: anthropic, base_url: "${url}/anthropic/v1", keys: [sim-one, sim-two], models: [{ name: claude-sonnet-4-5 }] }`;
const under = await startUnderTest({ more: twoKeys });
const { id } = await under.newKey();
const send = (path: string, body: unknown, secret = under.secret, method = "POST") =>
  fetch(under.url + path, {
    method,
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
// The audit log's entries so far are chained first: their many columns would look like lines of each request.
await until("the audit log is chained", async () => {
  const text = await (await send("/admin/v1/audit", undefined, under.adminToken, "GET")).text();
  return text.includes(id) && text.includes("admin_token.used");
});
const messages = [{ role: "user", content: "Hello!" }];
const long = [{ role: "user", content: "Hello! ".repeat(LONG_WORDS) }];
const footprints = {
  "a chat, whole": await measure(() => send("/v1/chat/completions", { model: "OpenAI#gpt-4o", messages })),
  "a chat streamed from Anthropic": await measure(() =>
    send("/v1/chat/completions", { model: "Anthropic#claude-sonnet-4-5", messages, stream: true }),
  ),
  "an embedding": await measure(() =>
    send("/v1/embeddings", { model: "OpenAI#text-embedding-3-small", input: "a" }),
  ),
  "an admin change": await measure(() =>
    send(`/admin/v1/keys/${id}`, { name: "other" }, under.adminToken, "PATCH"),
  ),
  "a long chat over two keys of Claude's": await measure(() =>
    send("/v1/chat/completions", { model: "Twice#claude-sonnet-4-5", messages: long }),
  ),
};
await under.stop();
console.log(JSON.stringify(footprints));
