// The holder of a key: its requests, each as one line, and waits until a change of the key has reached every route.
import { formatLine, type Seen, seen } from "./observe.ts";
import { until } from "./until.ts";
import { asking, type HttpWorld } from "./world.ts";

export const REVOKED = "401 invalid_request_error invalid_api_key";
export const PAUSED = "403 permission_error key_paused";
export const ELSEWHERE = "403 permission_error address_not_allowed";

export interface KeyHolder {
  get(secret: string, path: string): Promise<Seen>;
  /** A chat completion, which has to be admitted. */
  chat(secret: string, headers?: Record<string, string>): Promise<string>;
  /** Waits until the list of models, which no admission precedes, is answered like this. */
  listsModels(secret: string, line: string): Promise<unknown>;
}

export function createKeyHolder(world: HttpWorld): KeyHolder {
  const get = async (secret: string, path: string) =>
    seen(await fetch(world.url + path, { headers: { authorization: `Bearer ${secret}` } }));
  return {
    get,
    chat: async (secret, headers = {}) =>
      formatLine(await seen(await world.chat(asking("Local#sim"), { secret, headers }))),
    listsModels: (secret, line) =>
      until(`/v1/models answers ${line}`, async () => formatLine(await get(secret, "/v1/models")) === line),
  };
}
