// Waits for a step no longer than anybody needs the answer.
import type { Ending } from "../core/world/ending.ts";
import type { Later } from "./step.ts";

/** Throws the reason if the request ends first. */
export async function untilEnded<Result>(work: Later<Result>, ending: Ending): Promise<Result> {
  if (!(work instanceof Promise)) return work;
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  work.then(resolve, reject);
  const left = { end: reject };
  ending.tell(left);
  try {
    return await promise;
  } finally {
    ending.forget(left);
  }
}
