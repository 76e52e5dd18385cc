// The client's side of the device flow (RFC 8628): where a gateway's addresses are, its codes and its tokens.
import { fetchShort } from "../../app/world.ts";
import { asNumber, asObject, asString, type JsonObject, parseJson } from "../../core/json/json.ts";
import { LOGIN_CODE_PREFIX } from "../../core/people/device.ts";
import { explainUnreachable } from "../gateway/unreachable.ts";
import type { AdminLogin, Login } from "./login-file.ts";

const WAIT_MS = 15_000;
const MS_PER_SECOND = 1000;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** The gateway, or its answer, isn't one that can be used. The message is for the user. */
export class LoginError extends Error {}

/** Returns the gateway's origin. Throws a LoginError for anything but https, or http on this machine. */
export function readGateway(text: string): string {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new LoginError(`'${text}' isn't a gateway's URL, such as https://gateway.example.com.`);
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname)) {
    throw new LoginError(
      "The gateway's URL must begin with https://, or anyone on the way could read your key.",
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

interface GrantResponse {
  readonly status: number;
  readonly body: JsonObject;
}

function ask(url: string, form?: Readonly<Record<string, string>>): Promise<GrantResponse> {
  return send(url, form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) });
}

async function send(url: string, init: RequestInit): Promise<GrantResponse> {
  const signal = AbortSignal.timeout(WAIT_MS);
  let response: Response;
  try {
    response = await fetchShort(url, { ...init, signal, redirect: "error" });
  } catch (error) {
    throw new LoginError(explainUnreachable(new URL(url).host, error));
  }
  return { status: response.status, body: asObject(parseJson(await response.text())) };
}

interface Endpoints {
  readonly device: string;
  readonly token: string;
}

/** Asks a gateway for its addresses. Others than its own would get what is sent there. */
async function findEndpoints(gateway: string): Promise<Endpoints> {
  const { status, body } = await ask(`${gateway}/.well-known/oauth-authorization-server`);
  if (status !== 200) throw new LoginError(`People can't sign in at ${gateway} (it answered ${status}).`);
  const device = asString(body.device_authorization_endpoint);
  const token = asString(body.token_endpoint);
  for (const url of [device, token]) {
    if (url === undefined || !url.startsWith(`${gateway}/`)) {
      throw new LoginError(
        `${gateway} names addresses elsewhere. Give the gateway's public URL (server.public_url).`,
      );
    }
  }
  return { device: String(device), token: String(token) };
}

export interface CodePrompt {
  readonly code: string;
  readonly url: string;
}

type ShowCode = (shown: CodePrompt) => void;

/** Signs agents in: `show` tells the user where to type which code. Throws a LoginError if it fails. */
export async function signInAt(origin: string, show: ShowCode): Promise<Login> {
  return readTokens(await grantAt(origin, { client_id: "poundkey" }, show));
}

/** Signs commands in, with the person's rights. Throws a LoginError if it fails, as at a gateway that knows only agents. */
export async function signInAsAdmin(origin: string, show: ShowCode): Promise<AdminLogin> {
  const answer = await grantAt(origin, { client_id: "poundkey", scope: "admin" }, show, LOGIN_CODE_PREFIX);
  const secret = asString(answer.access_token);
  const seconds = asNumber(answer.expires_in);
  if (secret === undefined || seconds === undefined) {
    throw new LoginError("The gateway's answer has no token.");
  }
  return { secret, untilMs: Date.now() + seconds * MS_PER_SECOND };
}

/** Ends a sign-in of `signInAsAdmin`. One that has ended already is none to the gateway. */
export async function endAdminLogin(origin: string, secret: string): Promise<void> {
  const headers = { authorization: `Bearer ${secret}` };
  const { status, body } = await send(`${origin}/admin/v1/session`, { method: "DELETE", headers });
  if (status !== 204 && status !== 401)
    throw new LoginError(`${origin} didn't sign out: ${describe(status, body)}`);
}

/** Returns what the token endpoint answers once the person has approved. */
async function grantAt(
  origin: string,
  form: Readonly<Record<string, string>>,
  show: ShowCode,
  prefix = "",
): Promise<JsonObject> {
  const { device, token } = await findEndpoints(origin);
  const { status, body } = await ask(device, form);
  const [deviceCode, code, url] = [body.device_code, body.user_code, body.verification_uri].map(asString);
  if (status !== 200 || deviceCode === undefined || code === undefined || url === undefined) {
    throw new LoginError(`No sign-in began: ${describe(status, body)}`);
  }
  if (!deviceCode.startsWith(prefix)) {
    throw new LoginError(`${origin} has an older version, which can sign in agents alone.`);
  }
  show({ code, url });
  const endMs = Date.now() + (asNumber(body.expires_in) ?? 600) * MS_PER_SECOND;
  let waitMs = (asNumber(body.interval) ?? 5) * MS_PER_SECOND;
  while (Date.now() < endMs) {
    await Bun.sleep(waitMs);
    const answer = await ask(token, { grant_type: DEVICE_GRANT, device_code: deviceCode });
    if (answer.status === 200) return answer.body;
    const error = asString(answer.body.error);
    if (error === "slow_down") waitMs += 5 * MS_PER_SECOND;
    else if (error === "access_denied") throw new LoginError("The sign-in was denied.");
    else if (error !== "authorization_pending") throw new LoginError(describe(answer.status, answer.body));
  }
  throw new LoginError("The code has expired. Run poundkey login again.");
}

/** Returns the next tokens, or null if the sign-in has ended. Throws a LoginError if the gateway can't say. */
export async function refreshAt(origin: string, refresh: string): Promise<Login | null> {
  const form = { grant_type: "refresh_token", refresh_token: refresh };
  const { status, body } = await ask(`${origin}/oauth/token`, form);
  if (status === 200) return readTokens(body);
  if (asString(body.error) === "invalid_grant") return null;
  throw new LoginError(`No key from ${origin}: ${describe(status, body)}`);
}

function readTokens({ access_token, refresh_token, expires_in }: JsonObject): Login {
  const secret = asString(access_token);
  const refresh = asString(refresh_token);
  const seconds = asNumber(expires_in);
  if (secret === undefined || refresh === undefined || seconds === undefined) {
    throw new LoginError("The gateway's answer has no tokens.");
  }
  const lifetimeMs = seconds * MS_PER_SECOND;
  return { secret, refresh, untilMs: Date.now() + lifetimeMs, lifetimeMs };
}

function describe(status: number, { error, error_description: text }: JsonObject): string {
  return asString(text) ?? asString(error) ?? asString(asObject(error).message) ?? `it answered ${status}`;
}
