// A gateway that `--gateway` names: its admin API, asked with the token of POUNDKEY_TOKEN, or as who signed in there.

import type { ActingWorld } from "../../admin/world.ts";
import { fetchLong, fetchPage } from "../../app/world.ts";
import { FAULTS, Fault, type FaultCode } from "../../core/faults/fault.ts";
import { asObject, asString, isObject, parseJson } from "../../core/json/json.ts";
import type { Fetch } from "../../core/world/world.ts";
import { UsageError } from "../arguments.ts";
import { LoginError, readGateway } from "../people/device-grant.ts";
import { findLoginFile, readLogins } from "../people/login-file.ts";
import { type Address, type Ask, listStop, writeAddress } from "./ask.ts";
import { explainUnreachable } from "./unreachable.ts";

const TOKEN_VARIABLE = "POUNDKEY_TOKEN";
/** A statement or a sum of a year takes seconds. */
const WAIT_MS = 120_000;

type GatewayEnvironment = Readonly<Record<string, string | undefined>>;

export type Asking = <Answer>(ask: Ask<Answer>) => Promise<Answer>;

export interface Gateway {
  /** Throws a Fault or an Error for an answer that is none. */
  ask<Answer>(ask: Ask<Answer>): Promise<Answer>;
  /** Returns an answer whose body is to be read as it comes. Throws like `ask`. */
  open(address: Address, signal?: AbortSignal): Promise<Response>;
}

/** Returns the way to what is asked for. The store is opened once. Changes may stop nodes of older programs if `stopsOlder`. */
export function makeAsking(
  gateway: Gateway | null,
  open: () => Promise<ActingWorld>,
  stopsOlder = false,
): Asking {
  let opened: Promise<ActingWorld> | null = null;
  return (ask) => {
    if (gateway !== null && ask.route.method === "GET") return gateway.ask(ask);
    if (gateway !== null) return gateway.ask({ ...ask, query: { ...ask.query, ...listStop(stopsOlder) } });
    opened ??= open();
    return opened.then((world) => ask.here(world));
  };
}

/**
 * Returns the gateway, which is asked with POUNDKEY_TOKEN, or else with the sign-in that this very gateway gave. Throws a
 * UsageError for an address to which no token may be sent, and without a token.
 */
export function createGateway(address: string, env: GatewayEnvironment): Gateway {
  const gateway = readAddress(address);
  const token = env[TOKEN_VARIABLE] || findAdminLogin(env, gateway);
  if (!token) {
    const made = "such as one that `poundkey tokens add` made";
    throw new UsageError(
      `--gateway needs an admin token in ${TOKEN_VARIABLE}, ${made}, or your sign-in: poundkey login --admin ${gateway}`,
    );
  }
  const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
  const send = async (call: Fetch, url: string, init: RequestInit) => {
    const response = await reach(call, url, init);
    if (!response.ok) throw await readFailure(gateway, response);
    return response;
  };
  return {
    async ask(ask) {
      const { route, body, idempotencyKey, read } = ask;
      const sent = new Headers({ ...ask.headers, ...headers });
      if (idempotencyKey) sent.set("idempotency-key", idempotencyKey);
      if (body !== undefined) sent.set("content-type", "application/json");
      const response = await send(fetchPage, writeAddress(gateway, ask), {
        method: route.method,
        headers: sent,
        signal: AbortSignal.timeout(WAIT_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return read(parseJson(await response.text()));
    },
    open: (address, signal) =>
      send(fetchLong, writeAddress(gateway, address), {
        method: address.route.method,
        headers: { ...headers, accept: "*/*" },
        ...(signal === undefined ? {} : { signal }),
      }),
  };
}

/** Undefined without one that still works: the command would only be refused. */
function findAdminLogin(env: GatewayEnvironment, gateway: string): string | undefined {
  const login = readLogins(findLoginFile(env)).admin.get(gateway);
  return login !== undefined && login.untilMs > Date.now() ? login.secret : undefined;
}

function readAddress(text: string): string {
  try {
    return readGateway(text);
  } catch (error) {
    if (error instanceof LoginError) throw new UsageError(`--gateway: ${error.message}`);
    throw error;
  }
}

/** A redirect isn't followed: the token is for this gateway alone. */
async function reach(call: Fetch, url: string, init: RequestInit): Promise<Response> {
  try {
    return await call(url, { ...init, redirect: "error" });
  } catch (error) {
    throw new Error(explainUnreachable(new URL(url).origin, error));
  }
}

const isFaultCode = (code: string): code is FaultCode => Object.hasOwn(FAULTS, code);

/** Returns the gateway's error, so that a field that it names is called after its flag. */
async function readFailure(gateway: string, response: Response): Promise<Error> {
  const body = parseJson(await response.text().catch(() => ""));
  const { message, code, param } = asObject(isObject(body) ? body.error : undefined);
  const said = asString(message);
  if (said === undefined) return new Error(`${gateway} answered ${response.status}, and isn't a gateway's.`);
  const known = asString(code) ?? "";
  if (!isFaultCode(known)) return new Error(said);
  return new Fault(known, said, { param: asString(param) ?? null });
}
