// The gateway that agents are connected with, the key for it, and the two questions that it is asked first.
import { readFileSync } from "node:fs";
import { version } from "../../../package.json" with { type: "json" };
import { readRunningQuickstart } from "../../app/quickstart/running.ts";
import { describeUnread } from "../../config/interpolate.ts";
import { asArray, asObject, asString, type JsonObject, parseJson } from "../../core/json/json.ts";
import { showInvisible } from "../../core/text/names.ts";
import { UsageError } from "../arguments.ts";
import { explainUnreachable } from "../gateway/unreachable.ts";
import { LoginError, readGateway } from "../people/device-grant.ts";
import { takeLogin } from "../people/login.ts";
import { findLoginFile, readLogins } from "../people/login-file.ts";
import { readSettings } from "./read-settings.ts";
import type { SetupWorld } from "./world.ts";

const KEY_MODE = 0o600;
const WORDS_MAX = 500;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const LOOPBACK = /^http:\/\/(127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/;
const SECRET = /^[\x21\x23-\x26\x28-\x5b\x5d-\x7e]{1,500}$/;
/** A name goes into files of several formats: it has no space, quote, brace, backslash or invisible character. */
const NAME = /^[^\s"'`\\{}\p{C}]{1,200}$/u;

export interface Connection {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string;
  /** True if the key is that of a sign-in, which ends: agents get it by a command. */
  readonly isSignIn: boolean;
}

/** The gateway refused, or gave no answer that is one. The message is for the person. */
export class GatewayError extends Error {}

interface Quickstart {
  readonly address: string;
  readonly keyFile: string;
}

/** Throws a UsageError if no gateway or no key is known. */
export async function findConnection(
  { env, readInput }: SetupWorld,
  given: string | undefined,
  keyFlag: string | undefined,
): Promise<Connection> {
  const quickstart = readRunningQuickstart((name) => env[name]);
  const local = quickstart !== null && LOOPBACK.test(quickstart.address) ? quickstart : null;
  const logins = readLogins(findLoginFile(env));
  const named = given ?? logins.url ?? local?.address;
  if (named === undefined)
    throw new UsageError(
      "no gateway is known: name its URL, sign in with `poundkey login URL`, or start one with --quickstart",
    );
  const url = readUrl(named);
  const key = keyFlag === undefined ? env.POUNDKEY_KEY?.trim() : readKey(keyFlag, readInput);
  if (key) return { url, key: checkKey(key), isSignIn: false };
  if (logins.byUrl.has(url)) {
    const { login } = await takeLogin(env, url);
    return { url, key: checkKey(login.secret), isSignIn: true };
  }
  const kept = readQuickstartKey(url, local);
  if (kept !== null) return { url, key: checkKey(kept), isSignIn: false };
  throw new UsageError(
    `there is no key for ${url}: sign in with \`poundkey login ${url}\`, or give one with --key FILE or --key -`,
  );
}

function readUrl(text: string): string {
  try {
    return readGateway(text);
  } catch (error) {
    if (error instanceof LoginError) throw new UsageError(error.message);
    throw error;
  }
}

function readKey(flag: string, readInput: () => string): string {
  if (flag.startsWith("sk-"))
    throw new UsageError(
      "--key takes a file, or - for standard input: a key on the command line would stay in the shell's history",
    );
  const text = flag === "-" ? readInput() : readKeyFile(flag);
  if (text.trim() === "") throw new UsageError("--key: there is no key in it");
  return text.trim();
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`--key: ${path}: the file ${describeUnread(error)}`);
  }
}

function checkKey(key: string): string {
  if (SECRET.test(key)) return key;
  throw new UsageError("the key has characters that no key has, such as spaces or quotes");
}

/** The key is for its own gateway alone. */
function readQuickstartKey(url: string, quickstart: Quickstart | null): string | null {
  if (quickstart === null || quickstart.address !== url.replace("//localhost", "//127.0.0.1")) return null;
  const found = readSettings(quickstart.keyFile);
  return found?.mode === KEY_MODE ? found.text.trim() : null;
}

/** Asks the gateway whether the key works, and returns the ids of the models that it may use. */
export async function readModels(world: SetupWorld, connection: Connection): Promise<readonly string[]> {
  await ask(world, connection, "/v1/key");
  const { data } = await ask(world, connection, "/v1/models");
  return asArray(data).flatMap((model) => {
    const id = asString(asObject(model).id) ?? "";
    return NAME.test(id) ? [id] : [];
  });
}

/** True if the gateway has a model of this name, also one that its list doesn't show. */
export async function hasModel(world: SetupWorld, connection: Connection, name: string): Promise<boolean> {
  return (await send(world, connection, `/v1/models/${encodeURIComponent(name)}`)).status === 200;
}

async function ask(world: SetupWorld, connection: Connection, path: string): Promise<JsonObject> {
  const { status, body } = await send(world, connection, path);
  const { url } = connection;
  if (REDIRECTS.includes(status))
    throw new GatewayError(`${url}${path} redirects elsewhere, where the key isn't sent`);
  const said = asString(asObject(body.error).message);
  if (status >= 200 && status < 300) return body;
  if (said === undefined) throw new GatewayError(`${url} answered ${status}, and isn't a gateway's`);
  throw new GatewayError(showInvisible(said.replaceAll(connection.key, "…").slice(0, WORDS_MAX)));
}

async function send(
  { fetch, waitMs }: SetupWorld,
  { url, key }: Connection,
  path: string,
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const headers = {
    authorization: `Bearer ${key}`,
    accept: "application/json",
    "user-agent": `poundkey-setup/${version}`,
  };
  const signal = AbortSignal.timeout(waitMs);
  try {
    const response = await fetch(`${url}${path}`, { headers, signal, redirect: "manual" });
    return { status: response.status, body: asObject(parseJson(await response.text())) };
  } catch (error) {
    throw new GatewayError(explainUnreachable(url, error));
  }
}
