// JSON that strangers wrote is parsed within bounds: any other parsing is of data that the gateway or its operator wrote.
import { expect, test } from "bun:test";
import { expectNone, readSources } from "./sources.ts";

const PARSES = /\b(parseJson\(|parseExact\(|parseWithTools\(|JSON\.parse\(|\.json\(\))/;

/** Rooms and files that parse without bounds, and whose text it is. A folder ends in a slash. */
const OWN: Readonly<Record<string, string>> = {
  "src/core/json/json.ts": "the function itself",
  "src/core/json/exact.ts": "the functions themselves",
  "src/core/json/bounds.ts": "after measuring",
  "src/core/json/long.ts": "after measuring",
  "src/core/json/steps.ts": "after measuring",
  "src/core/json/plain.ts": "after measuring",
  "src/http/body/body.ts": "after measuring, since each excess has a message of its own",
  "src/core/log/content.ts": "a row of the store",
  "src/core/models/stored-name.ts": "sealed by the gateway",
  "src/core/models/encrypted-history.ts": "sealed by the gateway",
  "src/core/log/finding.ts": "a row of the store",
  "src/core/log/trace.ts": "a row of the store",
  "src/webhooks/route.ts": "a row of the store",
  "src/catalogue/price-book.ts": "a row of the store",
  "src/core/events/told-states.ts": "a row of the store",
  "src/gateway/settle/idempotency.ts": "sealed by the gateway",
  "src/gateway/answer/kept-answers.ts": "sealed by the gateway",
  "src/keys/data-keys.ts": "a row of the store",
  "src/surfaces/signature.ts": "sealed by the gateway",
  "src/surfaces/openai-responses/compaction/summary.ts": "sealed by the gateway",
  "src/people/sign-in.ts": "sealed by the gateway",
  "src/steps/cache/recent.ts": "sealed by the gateway",
  "src/learning/lesson.ts": "a row of the store",
  "src/selectors/text/kind-model.ts": "a file of the binary",
  "src/selectors/text/parameters.ts": "a file of the binary",
  "src/selectors/text/words.ts": "a file of the binary",
  "src/transport/auth/aws-instance.ts": "the metadata service of the machine",
  "src/transport/auth/token-http.ts": "a token server that the operator chose",
  "src/transport/auth/token-requests.ts": "a token in a file that the operator chose",
  "src/admin/": "rows of the store",
  "src/learning/learning.ts": "rows of the store",
  "src/files/piece-index.ts": "the gateway's own pieces, which are sealed",
  "src/app/build/api-document.ts": "the answer of a gateway in this process",
  "src/app/build/build.ts": "a file of the checkout",
  "src/app/demo/demo.ts": "the gateway's own answer",
  "src/app/demo/make/": "what the gateway sent and answered",
  "src/app/guard/versions.ts": "a row of the store",
  "src/app/quickstart/running.ts": "a file of the user's own",
  "src/app/build/materials.ts": "a file of the binary",
  "src/app/build/pack.ts": "files of the checkout",
  "src/app/build/static-manual.ts": "a file of the binary",
  "src/moving/state/memory.ts": "a row of the store",
  "src/cli/": "the operator's files, and rows of the store",
  "src/config/": "the operator's files",
  "src/console/": "in the browser: the gateway's own answers",
  "src/docs/site/load-data.ts":
    "in the browser: the manual's index, the OpenAPI document, and the gateway's own answers",
  "src/simulator/": "what the gateway sent it",
  "src/store/": "its own rows",
};

const sources = readSources("src");

function isOwn(path: string, place: string): boolean {
  return place.endsWith("/") ? path.startsWith(place) : path === place;
}

test("strangers' JSON is parsed within bounds only", () => {
  expectNone(
    sources.flatMap(({ path, lines }) =>
      Object.keys(OWN).some((place) => isOwn(path, place))
        ? []
        : lines.flatMap((line, at) => (PARSES.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
    ),
  );
});

test("each place on the list still parses", () => {
  expectNone(
    Object.keys(OWN).filter(
      (place) => !sources.some(({ path, text }) => isOwn(path, place) && PARSES.test(text)),
    ),
  );
});

test.each([
  ["const value = parseJson(text);", true],
  ["return JSON.parse(text);", true],
  ["const value = parseWithTools(text);", true],
  ["const body = await response.json();", true],
  ["const value = parseBounded(text, REQUEST_SHAPE);", false],
  ["return JSON.stringify(value);", false],
])("%s", (line, parses) => {
  expect(PARSES.test(line)).toBe(parses);
});
