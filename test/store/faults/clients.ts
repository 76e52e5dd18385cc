// Clients of a gateway whose store fails: their requests, their answers, and the calls that the provider received.
import { asArray, asNumber, asObject, asString, isObject, parseJson } from "../../../src/core/json/json.ts";
import type { Simulator } from "../../simulator/server.ts";

export interface Asked {
  /** Part of the prompt and of the request's `x-request-id`. */
  readonly number: string;
  readonly key: "free" | "paid";
  readonly stream: boolean;
}

export interface Told extends Asked {
  readonly status: number;
  readonly retryAfter: string | null;
  /** The error's code, from the answer or from an event of the stream. */
  readonly code: string | null;
  /** True if it ended properly, with a completion or `[DONE]`. */
  readonly whole: boolean;
  readonly chargedNanoUsd: number | null;
}

export interface Clients {
  readonly url: string;
  readonly database: string;
  readonly simulator: Simulator;
  /** All answers. */
  readonly told: readonly Told[];
  ask(key: Asked["key"], stream: boolean): Promise<Told>;
  /** The status of a path that needs no key. */
  statusOf(path: string): Promise<number>;
}

export interface ClientsOptions extends Pick<Clients, "url" | "database" | "simulator"> {
  readonly secrets: Readonly<Record<Asked["key"], string>>;
}

export function newClients({ secrets, ...gateway }: ClientsOptions): Clients {
  const told: Told[] = [];
  let asked = 0;
  return {
    ...gateway,
    told,
    async ask(key, stream) {
      const answer = await ask(gateway.url, secrets[key], { number: `n${++asked}`, key, stream });
      told.push(answer);
      return answer;
    },
    statusOf: async (path) => (await fetch(gateway.url + path)).status,
  };
}

async function ask(url: string, secret: string, asked: Asked): Promise<Told> {
  const { number, stream } = asked;
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      "x-request-id": number,
    },
    body: JSON.stringify({
      model: "Own#sim-mini",
      messages: [{ role: "user", content: `${number} long 12` }],
      max_tokens: 100,
      ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
    }),
  });
  const text = await response.text();
  const parts = text.split("\n\n").map((line) => parseJson(line.replace(/^data: /, "")));
  const objects = parts.filter(isObject);
  const usage = objects.map(({ usage }) => usage).findLast(isObject);
  const charged = asNumber(usage?.charged);
  const error = objects.map(({ error }) => error).findLast(isObject);
  return {
    ...asked,
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    code: asString(error?.code) ?? null,
    whole: stream ? text.endsWith("data: [DONE]\n\n") : asArray(objects[0]?.choices).length === 1,
    chargedNanoUsd: charged === undefined ? null : Math.round(charged * 1e9),
  };
}

/** The requests that the provider received, by the numbers in their prompts. */
export function numbersSeen({ simulator }: Pick<Clients, "simulator">): readonly string[] {
  return simulator.calls.all().map(({ body }) => {
    const prompt = String(asObject(asArray(asObject(body).messages)[0]).content);
    return prompt.slice(0, prompt.indexOf(" "));
  });
}
