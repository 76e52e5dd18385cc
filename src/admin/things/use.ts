// An action on a thing, as every door calls it: the schemas of its input and its answers, and the use-case.
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import type { Act, Scope } from "../../core/people/people.ts";
import type { Thing } from "../../core/things/thing.ts";
import type { Access } from "../../people/access.ts";
import { readInput, readQuery } from "../input.ts";
import type { View } from "../schema.ts";

/** The sender of a call, and what its path says. */
export interface Caller {
  readonly access: Access;
  readonly act: Act;
  /** The rows that the action's permission covers. */
  readonly scope: Scope;
  /** The part of the path that names the thing. Empty if there is none. */
  readonly id: string;
  /** Returns a part of the path by its name. */
  readonly readPart: (name: string) => string;
  readonly idempotencyKey: string | null;
}

/** A call as it arrives. */
export interface Call extends Caller {
  readonly body: unknown;
  readonly query: unknown;
}

export interface Outcome {
  readonly status: number;
  readonly view: object;
}

/** The schemas of the answers, by status, and the answer that a result becomes. */
interface UseAnswers<Result> {
  readonly schemas: Readonly<Record<number, TSchema>>;
  readonly finish: (result: Result) => Outcome;
}

export interface Use {
  readonly body?: TSchema;
  readonly query?: TObject;
  readonly answers: Readonly<Record<number, TSchema>>;
  /** Throws the Fault of the first wrong field, and those of the use-case. */
  readonly run: (call: Call) => Promise<Outcome>;
}

/** The uses of a thing, by the names of its actions. */
export type Uses<Of extends Thing> = { readonly [Name in keyof Of["actions"]]: Use };

type AnswerView<Answer extends TSchema> = View<Answer> & object;

/** Answers with what is there. */
export function showView<Answer extends TSchema>(answer: Answer): UseAnswers<AnswerView<Answer>> {
  return { schemas: { 200: answer }, finish: (view) => ({ status: 200, view }) };
}

/** Answers with what was made. */
export function showMade<Answer extends TSchema>(answer: Answer): UseAnswers<AnswerView<Answer>> {
  return { schemas: { 201: answer }, finish: (view) => ({ status: 201, view }) };
}

/** Answers with what was there, or was made. */
export function showPut<There extends TSchema, Made extends TSchema>(
  there: There,
  made: Made,
): UseAnswers<{ readonly isMade: boolean; readonly view: AnswerView<There> | AnswerView<Made> }> {
  return {
    schemas: { 200: there, 201: made },
    finish: ({ isMade, view }) => ({ status: isMade ? 201 : 200, view }),
  };
}

/** Makes a use that takes no more than its path. */
export function takePath<Result>(
  { schemas, finish }: UseAnswers<Result>,
  run: (caller: Caller) => Promise<Result> | Result,
): Use {
  return { answers: schemas, run: async (call) => finish(await run(call)) };
}

export function takeQuery<Query extends TObject, Result>(
  query: Query,
  { schemas, finish }: UseAnswers<Result>,
  run: (query: Static<Query>, caller: Caller) => Promise<Result> | Result,
): Use {
  return {
    query,
    answers: schemas,
    run: async (call) => finish(await run(readQuery(query, call.query), call)),
  };
}

export function takeBody<Body extends TSchema, Result>(
  body: Body,
  { schemas, finish }: UseAnswers<Result>,
  run: (body: Static<Body>, caller: Caller) => Promise<Result> | Result,
): Use {
  return { body, answers: schemas, run: async (call) => finish(await run(readInput(body, call.body), call)) };
}
