// The answers of a provider or a tool server to texts that it fails at.
import { answerWithError } from "../core-world.ts";

/** Returns the answer to a text that fails. Null if it doesn't. */
export function answerBadly(kind: string, signal: AbortSignal | null): Promise<Response> | Response | null {
  switch (kind) {
    case "500":
      return answerWithError(500, "The template can't render this conversation.");
    case "401":
      return answerWithError(401, "Unauthorized");
    case "403":
      return answerWithError(403, "Request blocked.");
    case "cut":
      return new Response('data: {"id":"x","object":"chat.completion.chunk"', {
        headers: { "content-type": "text/event-stream" },
      });
    case "garbage":
      return new Response('{"id": "x", "choi', { headers: { "content-type": "application/json" } });
    case "empty":
      return Response.json({ id: "x", object: "chat.completion", choices: [] });
    case "slow":
    case "left":
      return untilAborted(signal);
    default:
      return null;
  }
}

function untilAborted(signal: AbortSignal | null): Promise<Response> {
  return new Promise((_resolve, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
}
