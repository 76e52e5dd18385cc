// Asks a hook's server over HTTP: one POST to the configured address that follows no redirect, within a time and a size.

import { describeNoConnection } from "../../core/log/no-connection.ts";
import type { HookCost } from "../../core/log/trace.ts";
import type { HookTarget } from "../../core/models/hook.ts";
import type { Fetch, ReadText } from "../../core/world/world.ts";
import { HOOK_PATH, type HookAnswer, type Question, readAnswer, writeQuestion } from "./protocol.ts";

/** An answer is as long as its question where nothing changes. */
const TIMES_ASKED_MAX = 2;
const ANSWER_BYTES = 1_000_000;
const OK = 200;
const TOO_MANY = 429;

export type HookOutcome = (
  | HookAnswer
  /** `reason` is for the log, and names no address. */
  | {
      readonly kind: "failed";
      readonly reason: string;
      /** True if there was no connection, so that nothing was sent. */
      readonly isUnsent?: boolean;
      /** True if there was no room for the question. That may be the doing of others, and says nothing about the text. */
      readonly lacksRoom?: boolean;
    }
) & {
  /** Missing if the hook has no model of its own, or it failed before it was known. */
  readonly cost?: HookCost;
};

interface ServerPorts {
  readonly fetch: Fetch;
  readonly readText: ReadText;
  /** True for an error of a connection that failed before anything was sent. */
  readonly isConnectFailure: (error: unknown) => boolean;
  /** The program's version, for the user agent. */
  readonly version: string;
}

/** Never rejects. Neither the client's key nor any of its headers goes along. */
export async function askServer(
  { fetch: post, readText, isConnectFailure, version }: ServerPorts,
  { url, secret, network }: Extract<HookTarget, { kind: "server" }>,
  question: Question,
  signal: AbortSignal,
): Promise<HookOutcome> {
  const body = JSON.stringify(writeQuestion(question));
  const headers = {
    "content-type": "application/json",
    "user-agent": `poundkey/${version}`,
    ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
  };
  try {
    const address = url.endsWith(HOOK_PATH) ? url : url + HOOK_PATH;
    const answer = await post(address, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal,
      network,
    });
    if (answer.status !== OK) {
      answer.body?.cancel().catch(() => {});
      return { kind: "failed", reason: `status ${answer.status}`, lacksRoom: answer.status === TOO_MANY };
    }
    const text = await readText(answer, TIMES_ASKED_MAX * Buffer.byteLength(body) + ANSWER_BYTES);
    if (text === null) return { kind: "failed", reason: "its answer is too long" };
    return readAnswer(text, question) ?? { kind: "failed", reason: "its answer is not of the protocol" };
  } catch (error) {
    return { kind: "failed", reason: describeNoConnection(error), isUnsent: isConnectFailure(error) };
  }
}
