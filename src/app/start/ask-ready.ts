// Asks a running gateway whether it is ready to serve.

import { parseReceived } from "../../core/json/bounds.ts";
import { asArray, asObject, asString } from "../../core/json/json.ts";
import { describeUnanswered } from "../../core/log/no-connection.ts";
import { readShortText } from "../../transport/short-text.ts";

export const READY_TIMEOUT_MS = 3000;
/** An answer has a line for each problem. A longer one isn't read. */
const ANSWER_BYTES_MAX = 65_536;

interface Readiness {
  readonly ready: boolean;
  readonly url: string;
  /** A gateway that is ready may have problems too. One that isn't has at least one. */
  readonly problems: readonly string[];
}

/** `url` is the address of `/readyz`. Never rejects. */
export async function askReady({ href: url }: URL): Promise<Readiness> {
  try {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(READY_TIMEOUT_MS) });
    const problems = listProblems((await readShortText(response, ANSWER_BYTES_MAX)) ?? "");
    const ready = response.status === 200;
    if (ready || problems.length > 0) return { ready, url, problems };
    return { ready, url, problems: [`${url} answered with ${response.status}`] };
  } catch (error) {
    return { ready: false, url, problems: [`${url} doesn't answer: ${describeUnanswered(error)}`] };
  }
}

function listProblems(text: string): readonly string[] {
  const problems = asArray(asObject(parseReceived(text)).problems);
  return problems.flatMap((problem) => asString(problem) ?? []);
}
