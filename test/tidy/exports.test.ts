// No export without an importer: the tidy rule, with the exports that are only there for tests, and why.
import { expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";
import { expectNone, readSources, type Source } from "./sources.ts";

const EXPORT = /^export (?:async |abstract )*(const|let|function\*?|class|interface|type) ([\w$]+)/gm;
const NAMED = /\b(?:import|export) (?:type )?(?:\w+, )?\{([^}]*)\} from "(\.[^"]+)"/g;
/** Of a whole module, the names count that the file mentions anywhere. */
const WHOLE = /\bimport (?:type )?\* as \w+ from "(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"/g;

/** Returns what files import, as `path name`. */
function listImported(files: readonly Source[]): ReadonlySet<string> {
  return new Set(
    files.flatMap(({ path, text }) => {
      const resolve = (target: string) => normalize(join(dirname(path), target));
      const named = [...text.matchAll(NAMED)].flatMap(([, names = "", target = ""]) =>
        [...names.matchAll(/(?:^|,)\s*(?:type )?([\w$]+)/g)].map(([, name]) => `${resolve(target)} ${name}`),
      );
      const words = [...new Set(text.match(/[\w$]+/g))];
      const whole = [...text.matchAll(WHOLE)].flatMap(([, all, later]) =>
        words.map((word) => `${resolve(all ?? later ?? "")} ${word}`),
      );
      return [...named, ...whole];
    }),
  );
}

/** Types are told apart: one that only a test imports is part of the signature of what it tests. */
interface Export {
  readonly name: string;
  readonly isType: boolean;
}

function listExports({ path, text }: Source): readonly Export[] {
  return [...text.matchAll(EXPORT)].map(([, kind, name]) => ({
    name: `${path} ${name}`,
    isType: kind === "interface" || kind === "type",
  }));
}

/** Values that only tests import, by the reason why the code's own imports aren't enough for them. */
const FOR_TESTS: Readonly<Record<string, readonly string[]>> = {
  "the columns and tables that a schema of another program is compared with": [
    "src/moving/litellm/schema.ts LITELLM_VERSION",
    "src/moving/litellm/schema.ts READ_COLUMNS",
    "src/moving/litellm/schema.ts RECORDS",
    "src/moving/new-api/schema.ts COLUMNS",
  ],
  "the definition that a faster path is compared with": [
    "src/core/json/shape.ts readShape",
    "src/core/money/money.ts computeAnyCost",
    "src/operations/chat/answer/normalise.ts normaliseAsStream",
    "src/operations/chat/sizes.ts countDenseBytes",
  ],
  "a bound that a test goes up to, and past": [
    "src/http/body/body-memory.ts ONE_GO_BYTES",
    "src/http/body/body-memory.ts SMALL_BYTES",
    "src/operations/transcription/sound/bytes.ts BYTES_READ_MAX",
    "src/selectors/choose.ts FIRST_KEPT",
    "src/learning/learned.ts SHIFT_MAX",
    "src/telemetry/metrics.ts SERIES_MAX",
    "src/transport/framing/aws-eventstream.ts FRAME_BYTES_MAX",
    "src/transport/framing/sse.ts EVENT_CHARACTERS_MAX",
    "src/transport/framing/sse.ts EVENT_LINES_MAX",
  ],
  "a table that the manual or a vendor's SDK is compared with": [
    "src/config/fields.ts FIELDS",
    "src/config/fields.ts findNote",
    "src/config/fields.ts visitFields",
    "src/core/models/words/overflow.ts OVERFLOW_ROWS",
    "src/core/models/words/gone.ts GONE_ROWS",
    "src/core/models/words/oversize.ts OVERSIZE_ROWS",
    "src/core/models/target-rows.ts TARGET_ROWS",
    "src/dialects/_chat/choice.ts FINISHES",
    "src/dialects/_chat/embedded-status.ts readCodeStatus",
    "src/dialects/anthropic/decode.ts FINISH",
    "src/surfaces/anthropic-messages/texts.ts TEXTS",
    "src/surfaces/gemini/texts.ts TEXTS",
    "src/surfaces/openai-responses/texts.ts TEXTS",
    "src/surfaces/openai-responses/lane.ts NAMES",
    "src/surfaces/openai-responses/lane.ts REASONING",
    "src/telemetry/metric-table.ts RENAMED",
  ],
  "words that the gateway recognises, in which a fake speaks": [
    "src/core/models/words/refusal.ts REFUSAL_SENTENCES",
    "src/core/models/words/field-refusal.ts FIELD_SENTENCES",
    "src/core/models/words/level-refusal.ts LEVEL_SENTENCES",
  ],
  "rules of the product's, which the strict validators apply too": [
    "src/dialects/anthropic/models.ts findListed",
    "src/dialects/openai/models.ts TOOLS_OR_THINKING",
    "src/simulator/anthropic.ts ALWAYS_THINKS",
    "src/simulator/chat-messages.ts readCalls",
    "src/simulator/control.ts CONTROLS",
    "src/simulator/gemini.ts signCall",
    "src/simulator/perplexity.ts signCall",
    "src/simulator/responder.ts listStepsLeft",
    "src/simulator/responses.ts THOUGHT_CALL",
    "src/simulator/sample.ts findType",
  ],
  "a part with published vectors or independent computations of its own": [
    "src/health/rate.ts Rate",
    "src/health/report.ts summarizeCard",
    "src/operations/transcription/sound/length.ts readSound",
    "src/selectors/choose.ts decide",
    "src/learning/tradeoff.ts weighTrials",
    "src/selectors/text/kind-model.ts OUTPUTS",
    "src/selectors/text/kind-model.ts readKindModel",
    "src/selectors/text/parameters.ts readParameters",
    "src/selectors/text/words.ts makeWords",
    "src/store/postgres/writing.ts listWriteTexts",
    "src/transport/auth/authorize.ts signAws",
  ],
  "a table that a test compares with the routes": ["src/admin/people/sender-rights.ts PASSED_ON"],
  "the makers of a plain thing, which nothing in the gateway is yet": [
    "src/admin/log/exports.ts makePlainExport",
    "src/core/things/plain.ts makePlainThing",
    "src/store/schema/field-columns.ts declareThing",
  ],
  "a step of a running process that a test takes at a moment of its own": [
    "src/app/start/accepting.ts AcceptGuard",
    "src/app/upkeep/prune.ts forgetOldest",
    "src/app/workers/workers.ts MetricsSum",
  ],
};

const sources = readSources("src");
const inSources = listImported(sources);
const inTests = listImported(readSources("test"));
const exported = sources.flatMap(listExports);

test("every export is a declaration, so that the rule sees it", () => {
  expectNone(
    sources.flatMap(({ path, lines }) =>
      lines.flatMap((line) => (line.startsWith("export") && !line.match(EXPORT) ? [`${path}: ${line}`] : [])),
    ),
  );
});

test("every export has an importer", () => {
  expectNone(exported.map(({ name }) => name).filter((name) => !inSources.has(name) && !inTests.has(name)));
});

test("tests import only what the code does too, types, and what is listed here with a reason", () => {
  const forTests = exported.filter(
    ({ name, isType }) => !isType && !inSources.has(name) && inTests.has(name),
  );
  expect(forTests.map(({ name }) => name).toSorted()).toEqual(Object.values(FOR_TESTS).flat().toSorted());
});

test("the rule sees each form of import", () => {
  const [at] = sources;
  if (!at) throw new Error("There are no sources.");
  const importer = (text: string) => listImported([{ ...at, path: "src/room/one.ts", text }]);
  const forms = [
    'import { found } from "./two.ts";',
    'import type { found } from "./two.ts";',
    'import { type Other, type found as own } from "./two.ts";',
    'import {\n  other,\n  found,\n} from "../room/two.ts";',
    'import other, { found } from "./two.ts";',
    'import * as two from "./two.ts";\ntwo.found();',
    'const { found } = await import("./two.ts");',
    'export { found } from "./two.ts";',
    'type Own = import("./two.ts").found;',
  ];
  for (const form of forms) expect([...importer(form)], form).toContain("src/room/two.ts found");
  expect([...importer('import { other as found } from "./two.ts";')]).not.toContain("src/room/two.ts found");
});
