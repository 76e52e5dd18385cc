// Each request to a server that isn't a model's bounds the answer that it reads.
import { expect, test } from "bun:test";
import { expectNone, readSources } from "./sources.ts";

/** The reader of each request to another server, by file. All but those of models' answers have a bound. */
const CALLS: Readonly<Record<string, readonly Reader[]>> = {
  // A request to a gateway in this process.
  "src/app/build/api-document.ts": ["given on"],
  "src/app/models/discovery.ts": ["readShortText"],
  "src/app/models/feed-fetch.ts": ["readShortBytes"],
  "src/app/models/key-proofs.ts": ["nothing is read"],
  "src/app/oidc/issuer-fetch.ts": ["boundAnswers"],
  "src/app/start/ask-ready.ts": ["readShortText"],
  // The function of the command line, of which all but exports are bounded (`boundAnswers`), and the one that all others are given.
  "src/app/world.ts": ["given on", "given on"],
  "src/cli/setup/gateway.ts": ["given on"],
  // A request to the gateway, not from it.
  "src/http/serve/app.ts": ["given on"],
  "src/payments/stripe.ts": ["readText"],
  "src/steps/hooks/server.ts": ["readText"],
  "src/telemetry/exporter.ts": ["readText"],
  "src/transport/auth/token-http.ts": ["readShortText"],
  "src/transport/client.ts": ["a model's answer"],
  // Events are counted as they are read (`answer-events.ts`).
  "src/transport/tool-servers/exchange.ts": ["readShortText"],
  "src/webhooks/attempt.ts": ["nothing is read"],
};

/** `readText` is `readShortText` behind a port. */
const READS = {
  readShortText: /\bawait readShortText\(/,
  readShortBytes: /\bawait readShortBytes\(/,
  readText: /\bawait (this\.#parts\.)?readText\(/,
  boundAnswers: /\bboundAnswers\(/,
  "nothing is read": /\.body\?\.cancel\(\)/,
} as const;
type Reader = keyof typeof READS | "a model's answer" | "given on";

/** Pages run in a browser, the simulator in tests, and all of them ask the gateway alone. */
const ELSEWHERE = /^src\/(console|docs|simulator)\//;

/** Returns the number of calls of `fetch`, directly or by the port under a name of its own. */
function countCalls(text: string): number {
  const renamed = [...text.matchAll(/\bfetch: ([a-z]\w*)\b/g)].map(([, name]) => name);
  const names = ["fetch", ...new Set(renamed)].join("|");
  return [...text.matchAll(new RegExp(`(?<![#\\w])(${names})\\(`, "g"))].length;
}

test("each request to another server is listed with the reader of its answer", () => {
  const calls = readSources("src").filter(({ path, text }) => countCalls(text) > 0 && !ELSEWHERE.test(path));
  const counts = calls.map(({ path, text }) => [path, countCalls(text)]);
  const listed = Object.entries(CALLS).map(([path, readers]) => [path, readers.length]);
  expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(listed));
});

test("every answer that isn't a model's is read up to a bound", () => {
  const texts = new Map(readSources("src").map(({ path, text }) => [path, text]));
  const unbounded = Object.entries(CALLS).flatMap(([path, readers]) =>
    readers.flatMap((reader) =>
      reader === "a model's answer" || reader === "given on" || READS[reader].test(texts.get(path) ?? "")
        ? []
        : [`${path} has no ${reader}`],
    ),
  );
  expectNone(unbounded);
});

test("no library asks a server by itself", () => {
  const libraries = /\b(oidc\.discovery|createRemoteJWKSet)\(/;
  const unbounded = readSources("src").filter(
    ({ text }) => libraries.test(text) && !text.includes("customFetch]: fetchFromIssuer"),
  );
  expectNone(unbounded.map(({ path }) => path));
});
