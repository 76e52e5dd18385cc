// The two ways to answer a request: whole or streamed. Everything that differs between them is here.
import type { Form } from "../../operations/form.ts";
import type { Ports } from "../../transport/client.ts";
import { type AnswerStart, type OpenedAnswer, openAnswers, openPieces } from "../answer/answer-stream.ts";
import { forgetPrompt } from "../answer/forget-prompt.ts";
import { SteppedStream } from "../around.ts";
import type { RequestContext } from "../context.ts";
import type { Around, Later, OwnAnswer } from "../step.ts";
import { untilEnded } from "../until-ended.ts";
import type { AttemptCall } from "./attempt.ts";
import { completeAnswers } from "./calls.ts";

/** An answer that no provider was asked for. */
export type AnswerParts<F extends Form> = Pick<OwnAnswer<F>, "reply" | "pieces">;

/** `Result` is what a provider gives, `Answer` what the client gets. */
export interface Mode<F extends Form, Result, Answer> {
  /** True if the request goes on after its answer was handed over. */
  readonly staysOpen: boolean;
  readonly run: (ports: Ports, attempt: AttemptCall<F>) => Promise<Result>;
  /** Releases a result that nobody will use. */
  readonly drop: (result: Result) => void;
  readonly show: (context: RequestContext<F>, shown: AnswerParts<F>) => Answer;
  /** Returns what the client gets of the result, through the steps around it. A whole answer is finished, but not settled. */
  readonly hand: (context: RequestContext<F>, result: Result) => Later<Answer>;
  /** Adds what a settled answer is charged. A stream's last part has that. */
  readonly charge: (context: RequestContext<F>, answer: Answer) => Answer;
}

export const WHOLE = {
  staysOpen: false,
  run: completeAnswers,
  drop: () => {},
  show: <F extends Form>(_context: RequestContext<F>, { reply }: AnswerParts<F>) => reply,
  hand<F extends Form>(context: RequestContext<F>, reply: F["reply"]): Later<F["reply"]> {
    const { around, grader, call } = context;
    const { operation } = call;
    if (around !== null) return handThrough(context, reply, around);
    const reported = operation.readUsage(reply);
    // Measuring is only needed if the provider reports no usage, or if the selectors learn from the answer.
    if (!reported || grader) context.measure(operation.unfold(reply));
    return finishWhole(context, reply, reply, reported);
  },
  charge: <F extends Form>(context: RequestContext<F>, reply: F["reply"]): F["reply"] =>
    context.call.operation.withUsage(reply, context.chargeUsage()),
};

/** `shown` is the reply as the client sees it. */
function finishWhole<F extends Form>(
  context: RequestContext<F>,
  reply: F["reply"],
  shown: F["reply"],
  reported: F["usage"] | null,
): F["reply"] {
  const whole = context.call.operation.withUsage(shown, context.finish(reported, reply));
  context.recorder?.takeWhole(whole);
  context.reply = whole;
  return whole;
}

/** Measures the answer before the steps see it: if one refuses it, it was produced all the same. */
async function handThrough<F extends Form>(
  context: RequestContext<F>,
  reply: F["reply"],
  around: Around<F>,
): Promise<F["reply"]> {
  const { operation } = context.call;
  const reported = operation.readUsage(reply);
  context.measure(operation.unfold(reply));
  if (reported) context.report(reported, true);
  const shown = await untilEnded(around.whole(reply), context.ending);
  return finishWhole(context, reply, shown, reported);
}

export const STREAMED = {
  staysOpen: true,
  run: openAnswers,
  drop: <F extends Form>({ rest }: OpenedAnswer<F>) => rest.leave(),
  show<F extends Form>(
    { call }: RequestContext<F>,
    { reply, pieces = call.operation.unfold(reply) }: AnswerParts<F>,
  ): AnswerStart<F> {
    return { first: pieces, rest: null };
  },
  /** A stream is settled at its end. Until its first part has passed the steps, it can still be refused as a whole. */
  hand<F extends Form>(context: RequestContext<F>, opened: OpenedAnswer<F>): Later<AnswerStart<F>> {
    const { around, call } = context;
    forgetPrompt(context);
    if (around !== null) {
      const stepped = openPieces(new SteppedStream(opened, context, around), call.operation);
      return stepped.then((passed) => passFirst(context, passed));
    }
    return passFirst(context, opened);
  },
  charge: <F extends Form>(_context: RequestContext<F>, answer: AnswerStart<F>) => answer,
};

function passFirst<F extends Form>(context: RequestContext<F>, opened: OpenedAnswer<F>): OpenedAnswer<F> {
  context.pass(opened.first);
  return opened;
}
