// The adapters against recorded provider traffic: every chat exchange, judged by the wire facts.
import { afterAll, describe, expect, test } from "bun:test";
import { CHECKS, type Check, isValidBy, reproducesTheRequest } from "./checks.ts";
import { fixturesFolder, readTraffic } from "./load.ts";
import { makeSubject, type Subject } from "./pipeline.ts";
import { Report } from "./report.ts";
import { officialSchema } from "./schema.ts";

const FAILURES_SHOWN_MAX = 40;

const { recordings, skipped } = readTraffic();
const report = new Report();
for (const { file, api, reason } of skipped) report.skip(`${file} ${api}`, reason);
const groups = Map.groupBy(recordings.map(makeSubject), ({ recording: { file, api } }) => `${file} ${api}`);
const checks = listChecks();
for (const [name, subjects] of groups) {
  describe(name, () => {
    for (const [question, check] of checks) {
      test(question, () => expect(failuresOf(subjects, check, question)).toEqual([]), 60_000);
    }
  });
}
afterAll(() => console.log(report.table()));

function listChecks(): Map<string, Check> {
  const checks = new Map<string, Check>([
    ...CHECKS,
    [
      "reproduces requests",
      reproducesTheRequest((field) => report.skip(field, "requests without a plain OpenAI form")),
    ],
  ]);
  const schema = officialSchema(fixturesFolder());
  if (schema) checks.set("is valid by the official schema", isValidBy(schema));
  else report.skip("schema", "there is no openai-chat.schema.json");
  return checks;
}

/** The ids of the failing recordings, each with its errors. */
function failuresOf(subjects: readonly Subject[], check: Check, question: string): string[] {
  const failures: string[] = [];
  for (const subject of subjects) {
    const wrong = check(subject);
    if (wrong === null) continue;
    report.count(question, wrong.length === 0);
    if (wrong.length > 0) failures.push(`${subject.recording.id}: ${wrong.slice(0, 4).join("; ")}`);
  }
  return failures.slice(0, FAILURES_SHOWN_MAX);
}
