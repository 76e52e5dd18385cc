// An agent that signs in, as RFC 8628 has it, and the person who approves it on the gateway's page.
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { Browser } from "./browser.ts";

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** Sends a form without a cookie, as agents do. */
export async function postForm(url: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
  const response = await fetch(url, { method: "POST", body: new URLSearchParams(fields) });
  return { status: response.status, body: asObject(await response.json()) };
}

export interface Begun {
  readonly deviceCode: string;
  readonly userCode: string;
}

export async function startDevice(url: string, agent = "claude-code"): Promise<Begun> {
  const { status, body } = await postForm(`${url}/oauth/device_authorization`, { client_id: agent });
  if (status !== 200) throw new Error(`no sign-in began: ${status} ${JSON.stringify(body)}`);
  return { deviceCode: String(body.device_code), userCode: String(body.user_code) };
}

export function poll(url: string, { deviceCode }: Pick<Begun, "deviceCode">): Promise<Answer> {
  return postForm(`${url}/oauth/token`, { grant_type: DEVICE_GRANT, device_code: deviceCode });
}

export function refresh(url: string, token: unknown): Promise<Answer> {
  const fields = { grant_type: "refresh_token", refresh_token: String(token) };
  return postForm(`${url}/oauth/token`, fields);
}

/** Sends the form of the gateway's page as the person in the browser does, from the gateway's own page. */
export async function sendDecision(
  browser: Browser,
  url: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = { origin: url },
) {
  const response = await fetch(`${url}/device`, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { cookie: browser.cookies(`${url}/device`), ...headers },
    redirect: "manual",
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** Signs an agent in, with the person's approval. Returns its tokens. */
export async function signInAgent(
  browser: Browser,
  url: string,
  { account, agent }: { readonly account?: string; readonly agent?: string } = {},
): Promise<JsonObject> {
  const begun = await startDevice(url, agent);
  const fields = { user_code: begun.userCode, action: "approve", ...(account ? { account } : {}) };
  const page = await sendDecision(browser, url, fields);
  if (page.status !== 200) throw new Error(`not approved: ${page.status} ${page.text}`);
  const { status, body } = await poll(url, begun);
  if (status !== 200) throw new Error(`no tokens: ${status} ${JSON.stringify(body)}`);
  return body;
}
