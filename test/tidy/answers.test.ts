// Each request to a server that isn't a model's bounds the answer that it reads.
import { test } from "bun:test";
import { expectNone, readSources } from "./sources.ts";

/** Directly, or by the port under one of the names that it gets. */
const SENDS = /\bfetch\(|\bfetch: (send|post)\b/;
/** The ways to read up to a bound. `readText` is `readShortText` behind a port. */
const BOUNDED = /\b(readShortText|boundAnswers|readText)\b/;

/** The files that send requests and read no such answer. */
const OTHERS: ReadonlySet<string> = new Set([
  // Answers of models, which have bounds of their own.
  "src/transport/client.ts",
  // The function that those above and below are given.
  "src/app/world.ts",
  // Requests to the gateway, not from it.
  "src/http/serve/app.ts",
  // Answers of webhooks' receivers, of which nothing is read.
  "src/webhooks/attempt.ts",
]);
/** Pages run in a browser, the simulator in tests, and all of them ask the gateway alone. */
const ELSEWHERE = /^src\/(console|docs|simulator)\//;

test("every answer that isn't a model's is read up to a bound", () => {
  const unbounded = readSources("src").filter(
    ({ path, text }) => SENDS.test(text) && !BOUNDED.test(text) && !OTHERS.has(path) && !ELSEWHERE.test(path),
  );
  expectNone(unbounded.map(({ path }) => path));
});

test("the files without a bound are those that send requests", () => {
  const sending = new Set(readSources("src").flatMap(({ path, text }) => (SENDS.test(text) ? [path] : [])));
  expectNone([...OTHERS].filter((path) => !sending.has(path)));
});

test("no library asks a server by itself", () => {
  const libraries = /\b(oidc\.discovery|createRemoteJWKSet)\(/;
  const unbounded = readSources("src").filter(
    ({ text }) => libraries.test(text) && !text.includes("customFetch]: fetchFromIssuer"),
  );
  expectNone(unbounded.map(({ path }) => path));
});
