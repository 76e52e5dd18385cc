// The checks of every recording: each returns the errors found, or null if it does not apply.

import { Fault } from "../../src/core/faults/fault.ts";
import type { ChatReply } from "../../src/operations/chat/form.ts";
import { EventParser } from "../../src/transport/framing/sse.ts";
import { differences } from "./compare.ts";
import { brokenOff, listCuts } from "./cuts.ts";
import { idsTaken } from "./decoding-request.ts";
import { splitEvents } from "./events.ts";
import { readExpectation } from "./expect/expect.ts";
import type { Expectation } from "./expect/expectation.ts";
import { requestDifferences } from "./expect/requests.ts";
import { faultDifferences } from "./faults.ts";
import { grammarFaults } from "./grammar.ts";
import { type Answer, decodeAnswer, readText, type Subject, streamedAnswer } from "./pipeline.ts";
import type { OfficialSchema } from "./schema.ts";

/** Null if it does not apply, otherwise the errors found. */
export type Check = (subject: Subject) => readonly string[] | null;

/** A recording's answer as the adapter reads it, or the error thrown. */
type Outcome = { readonly answer: Answer } | { readonly thrown: unknown };

const outcomes = new Map<string, Outcome>();

function outcomeOf(subject: Subject): Outcome {
  const known = outcomes.get(subject.recording.id);
  if (known) return known;
  const outcome = attempt(() => decodeAnswer(subject));
  outcomes.set(subject.recording.id, outcome);
  return outcome;
}

function attempt(read: () => Answer): Outcome {
  try {
    return { answer: read() };
  } catch (thrown) {
    return { thrown };
  }
}

function succeeded({ recording }: Subject): boolean {
  return recording.status < 400;
}

/** The expectation of a success, and the adapter's answer if it reads one. */
function answered(subject: Subject): { expected: Expectation; answer: Answer | null } | null {
  if (!succeeded(subject)) return null;
  const outcome = outcomeOf(subject);
  return {
    expected: readExpectation(subject.recording),
    answer: "answer" in outcome ? outcome.answer : null,
  };
}

const saysWhatWasRecorded: Check = (subject) => {
  if (!succeeded(subject)) return null;
  const expected = readExpectation(subject.recording);
  const outcome = outcomeOf(subject);
  if ("thrown" in outcome) {
    if (!(outcome.thrown instanceof Fault)) return [`crashed: ${String(outcome.thrown)}`];
    if ("fails" in expected || expected.mayFail) return [];
    return [`threw ${outcome.thrown.code}: ${String(outcome.thrown.cause ?? outcome.thrown.message)}`];
  }
  if ("fails" in expected) return [`passed for an answer, though: ${expected.fails}`];
  return differences(outcome.answer.reply, expected, idsTaken(subject.request));
};

/** Dates in headers are read relative to this moment. */
const NOW_MS = Date.UTC(2026, 10, 20);

const explainsTheError: Check = ({ recording, dialect }) => {
  if (recording.status < 400) return null;
  const fault = dialect.explain(recording.status, recording.headers, recording.body, NOW_MS);
  return faultDifferences(fault, recording);
};

export function isValidBy(schema: OfficialSchema): Check {
  return (subject) => {
    const answer = answered(subject)?.answer;
    if (!answer) return null;
    const wrong = [schema.reply(answer.reply), ...answer.chunks.map((chunk) => schema.chunk(chunk))];
    return [...new Set(wrong.filter((one) => one !== null))];
  };
}

const keepsTheGrammar: Check = (subject) => {
  const answer = answered(subject)?.answer;
  if (!answer || !subject.recording.streamed) return null;
  return grammarFaults(answer.chunks);
};

const isTheSameUnderAnyCut: Check = (subject) => {
  if (!subject.recording.streamed) return null;
  const whole = outcomeOf(subject);
  const wrong: string[] = [];
  for (const cut of listCuts(subject.recording)) {
    const outcome = attempt(() => streamedAnswer(subject, cut.pieces));
    if (!sameOutcome(whole, outcome)) wrong.push(cut.name);
  }
  return wrong;
};

function sameOutcome(one: Outcome, other: Outcome): boolean {
  if ("answer" in one && "answer" in other) return sameReply(one.answer.reply, other.answer.reply);
  if ("answer" in one || "answer" in other) return false;
  return String(one.thrown) === String(other.thrown);
}

function sameReply(one: ChatReply, other: ChatReply): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The gateway's parser against the suite's own reader of events, with the same splits. */
const readsTheSameEvents: Check = ({ recording }) => {
  if (!recording.streamed) return null;
  const read = splitEvents(recording.body).map(({ event, data }) => `${event} ${data}`);
  const wrong: string[] = [];
  for (const cut of listCuts(recording)) {
    const parser = new EventParser();
    const events = [...readText(recording, cut.pieces)].flatMap((piece) => parser.push(piece));
    const parsed = [...events, ...parser.end()].map(({ event, data }) => `${event} ${data}`);
    if (!Bun.deepEquals(parsed, read)) wrong.push(cut.name);
  }
  return wrong;
};

const failsWhenBrokenOff: Check = (subject) => {
  const found = answered(subject);
  if (!found || !subject.recording.streamed || "fails" in found.expected) return null;
  const wrong: string[] = [];
  for (const { name, bytes } of brokenOff(subject.recording)) {
    const outcome = attempt(() => streamedAnswer(subject, [bytes]));
    if ("answer" in outcome) wrong.push(`passed for whole, cut at ${name}`);
    else if (!(outcome.thrown instanceof Fault)) wrong.push(`crashed at ${name}: ${String(outcome.thrown)}`);
  }
  return wrong;
};

export const CHECKS: readonly (readonly [question: string, check: Check])[] = [
  ["says what was recorded", saysWhatWasRecorded],
  ["explains errors", explainsTheError],
  ["keeps the grammar", keepsTheGrammar],
  ["reads the same events", readsTheSameEvents],
  ["is the same under any cut", isTheSameUnderAnyCut],
  ["fails when broken off", failsWhenBrokenOff],
];

/** Requests without a plain OpenAI form are counted by `notPlain`, with the field that prevents it. */
export function reproducesTheRequest(notPlain: (field: string) => void): Check {
  return (subject) => {
    const outcome = requestDifferences(subject);
    if (outcome === null) return null;
    if ("differences" in outcome) return outcome.differences;
    notPlain(outcome.notPlain);
    return null;
  };
}
