// A stream's opening: what came up to the first part of the answer, until which another attempt may still replace it.
import { isAnswer } from "../operations/chat/normalise.ts";
import type { Part } from "../operations/chat/run.ts";
import type { PartStream } from "./streamed.ts";

/** A streamed attempt whose answer has begun. */
export interface Opened {
  readonly first: readonly Part[];
  readonly rest: PartStream;
}

/** Reads a stream up to the first part of its answer: a start alone is no answer, another attempt may still replace it. */
export async function opening(stream: PartStream): Promise<Opened> {
  const first: Part[] = [];
  try {
    for (let parts = await stream.next(); parts; parts = await stream.next()) {
      for (const part of parts) first.push(part);
      if (parts.some(isAnswer)) break;
    }
    return { first, rest: stream };
  } catch (thrown) {
    stream.leave();
    throw thrown;
  }
}
