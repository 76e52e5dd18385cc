// The form of a row of features, and the few functions with which most rows are written.
import { expect } from "bun:test";
import { type Answer, type Body, readCalls, readFinish, readWords } from "./asking.ts";

/** One request of a conversation. */
export interface Turn {
  /** Builds the request from the answers so far. */
  readonly ask: (before: readonly Answer[]) => Body;
  readonly expects: (answer: Answer) => void;
}

/** A request that every model must accept in the same form. */
export interface Feature {
  readonly name: string;
  readonly turns: readonly Turn[];
}

export function user(content: unknown) {
  return { role: "user", content };
}

/** A feature with a single request. */
export function feature(name: string, body: Body, expects: Turn["expects"]): Feature {
  return { name, turns: [{ ask: () => body, expects }] };
}

/** The answer is this text, and it finished normally. */
export function says(text: string): Turn["expects"] {
  return (answer) => {
    answered(answer);
    expect(readWords(answer)).toBe(text);
    expect(readFinish(answer)).toBe("stop");
  };
}

export function mentions(...texts: readonly string[]): Turn["expects"] {
  return (answer) => {
    answered(answer);
    for (const text of texts) expect(readWords(answer)).toContain(text);
  };
}

/** Expects the answer to consist of exactly these calls. */
export function makes(...calls: readonly (readonly [string, unknown])[]): Turn["expects"] {
  return (answer) => {
    answered(answer);
    expect(readCalls(answer.reply).map(({ name, input }) => [name, input])).toEqual(
      calls.map((call) => [...call]),
    );
    expect(readFinish(answer)).toBe("tool_calls");
  };
}

/** The request wasn't refused. Otherwise the provider's message is shown. */
export function answered({ status, error }: Answer): void {
  expect([status, error]).toEqual([200, null]);
}
