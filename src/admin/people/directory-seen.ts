// Keeps the times of the directory's last request, change and error, over all nodes.
import { asObject, asString, type JsonObject, parseJson } from "../../core/json/json.ts";
import type { Store } from "../../core/store.ts";
import type { Clock, Log } from "../../core/world/world.ts";

const SETTING = "directory_seen";
/** Anything else is counted as `other`. */
const RESOURCES = ["Users", "Groups", "ServiceProviderConfig", "ResourceTypes", "Schemas"] as const;
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const PATH_CHARACTERS_MAX = 200;
const DETAIL_CHARACTERS_MAX = 500;

/** An answer to a request of the directory. */
interface SeenAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: JsonObject | null;
}

interface SeenError {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly detail: string;
}

interface DirectoryTimes {
  readonly last_request_at: string | null;
  readonly last_change_at: string | null;
  readonly last_error: SeenError | null;
}

interface SeenParts {
  readonly store: Pick<Store, "setting" | "changeSetting">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
}

const NOTHING: DirectoryTimes = { last_request_at: null, last_change_at: null, last_error: null };

/** Each process keeps its own, and adds it to the store's about once a second. */
export class DirectorySeen {
  readonly #parts: SeenParts;
  #own: DirectoryTimes = NOTHING;
  #hasNews = false;

  constructor(parts: SeenParts) {
    this.#parts = parts;
  }

  note({ method, path, status, body }: SeenAnswer): void {
    const at = new Date(this.#parts.clock.nowMs()).toISOString();
    const [, , , named = ""] = path.split("/");
    const resource = RESOURCES.find((one) => one === named) ?? "other";
    this.#parts.log({ event: "scim.request", resource, method: nameMethod(method), status });
    const isChange = status < 300 && method !== "GET";
    const isError = status >= 400 && status !== 404;
    this.#own = {
      last_request_at: at,
      last_change_at: isChange ? at : this.#own.last_change_at,
      last_error: isError ? describeError(at, { method, path, status, body }) : this.#own.last_error,
    };
    this.#hasNews = true;
  }

  /** Returns the latest of all nodes, this one's up to now. */
  async read(): Promise<DirectoryTimes> {
    return joinTimes(await readSeen(this.#parts), this.#own);
  }

  async share(): Promise<void> {
    if (!this.#hasNews) return;
    this.#hasNews = false;
    const own = this.#own;
    await this.#parts.store.changeSetting(SETTING, (value) =>
      JSON.stringify(joinTimes(readTimes(value), own)),
    );
  }
}

function nameMethod(method: string): string {
  return METHODS.find((one) => one === method) ?? "other";
}

/** Names of people stand in queries, which aren't kept, and in paths there are none. */
function describeError(at: string, { method, path, status, body }: SeenAnswer): SeenError {
  const detail = String(body?.detail ?? "").slice(0, DETAIL_CHARACTERS_MAX);
  return { at, method, path: path.slice(0, PATH_CHARACTERS_MAX), status, detail };
}

function joinTimes(one: DirectoryTimes, other: DirectoryTimes): DirectoryTimes {
  return {
    last_request_at: findLater(one.last_request_at, other.last_request_at),
    last_change_at: findLater(one.last_change_at, other.last_change_at),
    last_error: (other.last_error?.at ?? "") > (one.last_error?.at ?? "") ? other.last_error : one.last_error,
  };
}

function findLater(one: string | null, other: string | null): string | null {
  return (other ?? "") > (one ?? "") ? other : one;
}

export async function readSeen({
  store,
}: {
  readonly store: Pick<Store, "setting">;
}): Promise<DirectoryTimes> {
  return readTimes(await store.setting(SETTING));
}

function readTimes(value: string | null): DirectoryTimes {
  if (value === null) return NOTHING;
  const stored = asObject(parseJson(value));
  const error = stored.last_error === null ? null : asObject(stored.last_error);
  return {
    last_request_at: asString(stored.last_request_at) ?? null,
    last_change_at: asString(stored.last_change_at) ?? null,
    last_error: error && {
      at: asString(error.at) ?? "",
      method: asString(error.method) ?? "",
      path: asString(error.path) ?? "",
      status: Number(error.status),
      detail: asString(error.detail) ?? "",
    },
  };
}
