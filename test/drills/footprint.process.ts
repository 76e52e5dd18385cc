// A program of its own that serves a few requests and prints the lines of the code that each of them runs, as JSON.

import { Session } from "node:inspector";
import { join } from "node:path";
import { plugin } from "bun";
import { ROOT } from "../tidy/sources.ts";

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
/** Only lines that ran for each of these requests count, so that timers and caches that expire don't. */
const REQUESTS = 8;
/** A timer may run as often as the requests, but hardly each time. */
const TAKES = 6;
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

const session = new Session();
session.connect();

function post<Answer>(method: string, params: object = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  session.post(method, params, (error, answer) => (error ? reject(error) : resolve(answer as Answer)));
  return promise;
}

/** Returns the lines that ran `least` times or more since the last call, as `path:line`. */
async function readLines(least: number): Promise<ReadonlySet<string>> {
  const { result } = await post<Coverage>("Profiler.takePreciseCoverage");
  const lines = new Set<string>();
  for (const { url, functions } of result) {
    const path = url.startsWith(`file://${SOURCES}`) ? url.slice(`file://${SOURCES}`.length) : "";
    const text = texts.get(path);
    if (text === undefined || path.startsWith("simulator/")) continue;
    const ran = new Uint8Array(text.length);
    // Functions and blocks follow those that contain them.
    for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges)) {
      ran.fill(count >= least ? 1 : 0, startOffset, endOffset);
    }
    for (const { 0: line, index } of text.matchAll(/^.*\w.*$/gm)) {
      if (ran.subarray(index + line.search(/\w/), index + line.length).includes(1))
        lines.add(`${path}:${index}`);
    }
  }
  return lines;
}

/** Returns the number of lines that every request of a kind runs, by file. */
async function measure(send: () => Promise<Response>): Promise<Record<string, number>> {
  const ask = async () => {
    const answer = await send();
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
  };
  for (let count = 0; count < WARMING; count++) await ask();
  let everyTime: ReadonlySet<string> | null = null;
  let idle: ReadonlySet<string> = new Set();
  for (let take = 0; take < TAKES; take++) {
    const startedMs = performance.now();
    await readLines(REQUESTS);
    for (let count = 0; count < REQUESTS; count++) await ask();
    const ran = await readLines(REQUESTS);
    everyTime = everyTime === null ? ran : everyTime.intersection(ran);
    // On a busy machine timers run as often meanwhile: what runs without requests in the same time is none of theirs.
    await Bun.sleep(performance.now() - startedMs);
    idle = idle.union(await readLines(REQUESTS / 2));
  }
  const counts = new Map<string, number>();
  for (const place of everyTime?.difference(idle) ?? []) {
    const path = place.slice(0, place.lastIndexOf(":"));
    counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

await post("Profiler.enable");
await post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
const { startUnderTest } = await import("../harness/harness.ts");
const { until } = await import("../whole/world/until.ts");
const under = await startUnderTest();
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
};
await under.stop();
console.log(JSON.stringify(footprints));
