// Earlier turns of a conversation aren't searched again in the next one, and count as if they were.
import { describe, expect, test } from "bun:test";
import type { GuardRule, GuardSettings } from "../../../src/core/models/guard.ts";
import { DETECTORS } from "../../../src/guard/detectors.ts";
import type { ChatMessage } from "../../../src/operations/chat/form.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { listInOrder } from "../../../src/operations/ordered-texts.ts";
import { KnownPlaces } from "../../../src/steps/guard/known.ts";
import { GuardSearch } from "../../../src/steps/guard/search.ts";
import { makeRequest } from "../../dialects/cases/drive.ts";
import { makeTurns, type Turn } from "./prefix-turns.ts";

const RULE: GuardRule = {
  name: "all",
  detect: DETECTORS.map(({ name }) => name),
  action: "report",
  at: ["request"],
  keys: ["*"],
  accounts: ["*"],
  models: ["*"],
  providers: ["*"],
  refusesAttachments: false,
};
const SETTINGS: GuardSettings = { version: "1", rules: [RULE], words: new Map(), allow: [] };
const TURNS = 20;
/** A remembered text is looked up. */
const STEPS_MOST = 3;

const makeKnown = () => new KnownPlaces(new Uint8Array(32).fill(7));

function writeMessage({ role, content }: Turn): ChatMessage {
  return role === "user" ? { role, content } : { role, content };
}

/** Searches a request as the step does. Returns its findings, and the steps of 16,384 characters that it took. */
function search(known: KnownPlaces, messages: readonly Turn[]) {
  const ask = makeRequest({ messages: messages.map(writeMessage) });
  const texts = runToEnd(listInOrder(ask, CHAT.mapTexts)).ended;
  const ports = { known, nowMs: () => 0 };
  const { steps, ended } = runToEnd(new GuardSearch(SETTINGS, ports).count([RULE], "request", texts));
  return { steps, findings: ended };
}

function runToEnd<Result>(running: Generator<undefined, Result>) {
  for (let steps = 1; ; steps++) {
    const next = running.next();
    if (next.done) return { steps, ended: next.value };
  }
}

const TEXT = makeTurns(TURNS, 1);

describe("the last of 20 turns, of 200 KB in all", () => {
  const known = makeKnown();
  for (let turn = 1; turn < TURNS; turn++) search(known, TEXT.slice(0, 2 * turn - 1));
  const last = TEXT.slice(0, 2 * TURNS - 1);
  const remembered = search(known, last);
  const fresh = search(makeKnown(), last);

  test("takes no more steps than what is new in it", () => {
    expect(fresh.steps).toBeGreaterThan(4 * STEPS_MOST);
    expect(remembered.steps).toBeLessThanOrEqual(STEPS_MOST);
  });

  test("has the findings that it has where nothing is remembered", () => {
    expect(remembered.findings).toEqual(fresh.findings);
    expect(fresh.findings).toContainEqual(
      expect.objectContaining({ detector: "email", count: 2 * TURNS - 1 }),
    );
  });
});

const PROSE = "and so it went on, from one day to the next. ".repeat(10);

test("a number that its word has found counts again in a later turn, and not in an earlier one", () => {
  const bsn = "111222333";
  const turns: readonly Turn[] = [
    { role: "user", content: `The order is ${bsn}. ${PROSE}` },
    { role: "assistant", content: `${PROSE} Which number is it?` },
    { role: "user", content: `${PROSE} It is bsn ${bsn}.` },
    { role: "assistant", content: `${PROSE} Thank you for ${bsn}.` },
  ];
  const known = makeKnown();
  expect(search(known, turns.slice(0, 2)).findings).toEqual([]);
  const found = [expect.objectContaining({ detector: "nl_bsn", count: 1 })];
  expect(search(known, turns.slice(0, 3)).findings).toEqual(found);
  expect(search(known, turns).findings).toEqual(found);
});

test("what is remembered of a field isn't taken for another's text", () => {
  const known = makeKnown();
  const value = "ada@corp-x.de";
  const tail = `${PROSE} ${value}`;
  const name = (scope: string, before: string, text: string) =>
    known.name(known.deriveKey(scope), [{ before, text }]);
  expect(name("rules", "a\nb", tail)).not.toBe(name("rules", "a", `b\n${tail}`));
  expect(name("rules", "1 a", tail)).not.toBe(name("rules", "1", ` a${tail}`));
  expect(name("rules\na", "b", tail)).not.toBe(name("rules", "a\nb", tail));
  expect(name("rules", "a", tail)).toBe(name("rules", "a", tail));
});
