// A stream's opening: what came up to the first part of the answer, until which another attempt may still replace it.
import type { Usage } from "../core/chat.ts";
import { isAnswer } from "../wire/normalise.ts";
import type { Part } from "../wire/run.ts";
import type { PartStream } from "./attempt.ts";

/** A streamed attempt whose answer has begun. */
export interface Opened {
  readonly first: readonly Part[];
  readonly rest: PartStream;
}

/** Reads a stream up to the first part of its answer: a start alone is no answer, another attempt may still replace it. */
export async function opening(stream: PartStream): Promise<Opened> {
  const first: Part[] = [];
  try {
    let step = await stream.next();
    for (; !step.done; step = await stream.next()) {
      for (const part of step.value) first.push(part);
      if (step.value.some(isAnswer)) return { first, rest: stream };
    }
    return { first, rest: ended(step.value) };
  } catch (thrown) {
    void stream.return(null).catch(() => {});
    throw thrown;
  }
}

// biome-ignore lint/correctness/useYield: an answer that is over has nothing more to give than its usage.
async function* ended(usage: Usage | null): PartStream {
  return usage;
}
