// Sends the same completion request again and compares the parts of the answers that must be equal.
import { asArray, asObject, isObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { Payer } from "./money-world.ts";
import { readText, type Seen, seen } from "./observe.ts";
import { until } from "./until.ts";

export interface Asked extends Seen {
  readonly replayed: boolean;
  readonly created: unknown;
  readonly id: unknown;
  readonly usage: unknown;
}

export interface Sending {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Requests a completion with an Idempotency-Key. */
export async function readAsked(
  url: string,
  payer: Payer,
  name: string,
  body: JsonObject,
  sending: Sending = {},
): Promise<Asked> {
  const usage = body.stream === true ? { stream_options: { include_usage: true } } : {};
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${payer.secret}`,
      "idempotency-key": name,
      ...sending.headers,
    },
    body: JSON.stringify({ ...usage, ...body }),
    ...(sending.signal ? { signal: sending.signal } : {}),
  });
  const headers = new Headers(response.headers);
  const replayed = headers.get("x-poundkey-replayed") === "true";
  headers.delete("x-poundkey-replayed");
  const answer = await seen(new Response(await response.text(), { status: response.status, headers }));
  const { stream, body: whole } = answer;
  const head = stream ? asObject(stream.chunks[0]) : whole;
  return {
    ...answer,
    replayed,
    id: head.id,
    created: head.created,
    usage: stream ? stream.usage : whole.usage,
  };
}

/** Returns the part of an answer that must not change when the same completion is returned again. */
export function readCompletion(answer: Asked): JsonObject {
  const { id, created, usage, headers } = answer;
  return { id, created, usage, model: headers.get("x-poundkey-model"), text: readText(answer) };
}

/** Waits until the gateway has `count` requests open. */
export async function openRequests(url: string, count: number): Promise<void> {
  await until(`${count} requests are under way`, async () =>
    (await (await fetch(`${url}/metrics`)).text()).includes(`poundkey_requests_open ${count}\n`),
  );
}

/** The message of a whole or streamed answer, without fields that may be empty in only one of the two. */
export function readMessage({ body, stream }: Asked): JsonObject {
  if (!stream) return pickedFrom(asObject(asObject(asArray(body.choices)[0]).message));
  const calls: JsonObject[] = [];
  const details = new Map<unknown, JsonObject>();
  for (const chunk of stream.chunks) {
    const delta = asObject(asObject(asArray(chunk.choices)[0]).delta);
    for (const call of asArray(delta.tool_calls).filter(isObject)) addCall(calls, call);
    for (const detail of asArray(delta.reasoning_details).filter(isObject)) addDetail(details, detail);
  }
  const reasoning_details = details.size > 0 ? [...details.values()] : undefined;
  return pickedFrom({ reasoning_content: stream.reasoning, reasoning_details, tool_calls: calls });
}

function pickedFrom({ reasoning_content, reasoning_details, tool_calls }: JsonObject): JsonObject {
  return { reasoning_content, reasoning_details, tool_calls };
}

function addCall(calls: JsonObject[], { index, ...call }: JsonObject): void {
  const before = calls[Number(index)];
  if (!before) {
    calls[Number(index)] = structuredClone(call);
    return;
  }
  const held = asObject(before.function);
  const more = asObject(call.function);
  before.function = { ...held, arguments: `${held.arguments}${more.arguments}` };
}

function addDetail(details: Map<unknown, JsonObject>, detail: JsonObject): void {
  const before = details.get(detail.index) ?? {};
  const text = `${before.text ?? ""}${detail.text ?? ""}`;
  details.set(detail.index, { ...before, ...detail, ...(text === "" ? {} : { text }) });
}
