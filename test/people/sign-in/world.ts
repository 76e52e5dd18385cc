// A gateway behind a public address, and a real provider whose people sign in to it.
import { type Setup, type Started, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { Browser, type Page } from "./browser.ts";
import { type Front, startFront } from "./front.ts";
import { CLIENT, type OwnProvider, startProvider } from "./provider.ts";

export interface SignInWorld {
  readonly gateway: UnderTest;
  readonly provider: OwnProvider;
  readonly front: Front;
  /** The gateway's public address. */
  readonly url: string;
  stop(): Promise<void>;
}

interface Wanted {
  /** YAML below `oidc:`, in place of the issuer and client. */
  readonly oidc?: string;
  /** The issuer, if it isn't the real provider. */
  readonly issuer?: string;
  /** YAML beside `oidc:`, such as `agents: { token: 2s }`. */
  readonly beside?: string;
  /** YAML below all that, such as `quota: { requests_per_day: 3 }`. */
  readonly more?: string;
  readonly setup?: Setup;
}

export const RULES = `rules: [
  { group: platform, role: admin }, { group: watchers, role: viewer, accounts: [default] },
  { group: search, role: member, accounts: [default], allowed_models: ["OpenAI#*"] },
  { group: nowhere, role: viewer, accounts: [No such account] } ]`;

export function oidcYaml(issuer: string, more: string, beside = ""): string {
  const client = `client_id: ${CLIENT.id}, client_secret: ${CLIENT.secret}`;
  const others = beside === "" ? "" : `, ${beside}`;
  return `sign_in: { oidc: { issuer: "${issuer}", ${client}, ${more} }${others} }`;
}

export async function startSignInWorld({
  oidc = RULES,
  issuer,
  beside,
  more = "",
  setup = {},
}: Wanted = {}): Promise<SignInWorld> {
  const front = startFront();
  const provider = await startProvider(front.url);
  const gateway = await startUnderTest({
    ...setup,
    server: `public_url: "${front.url}"`,
    more: `${oidcYaml(issuer ?? provider.issuer, oidc, beside)}\n${more}`,
  });
  front.lead(gateway.url);
  return {
    gateway,
    provider,
    front,
    url: front.url,
    async stop() {
      await gateway.stop();
      await provider.stop();
      await front.stop();
    },
  };
}

/** Goes through the provider's pages up to the callback, which isn't opened. Returns its address. */
export async function reachCallback(
  { url }: Pick<SignInWorld, "url">,
  browser: Browser,
  login: string,
  start = `${url}/auth/oidc/start`,
): Promise<string> {
  const isCallback = (at: string) => at.startsWith(`${url}/auth/oidc/callback`);
  let page = await browser.follow(start, isCallback);
  for (let count = 0; count < 3 && !isCallback(page.url); count++) {
    const isLogin = page.text.includes('name="login"');
    page = await browser.submit(page, isLogin ? { login, password: "any" } : {}, isCallback);
  }
  return page.url;
}

/** Signs in, and returns the gateway's page and the browser with its cookies. */
export async function signInAs(
  world: Pick<SignInWorld, "url">,
  login: string,
): Promise<{ readonly page: Page; readonly browser: Browser }> {
  const browser = new Browser();
  const page = await browser.get(await reachCallback(world, browser, login));
  return { page, browser };
}

/** Asks an admin route as the person in the browser. */
export async function askAs(browser: Browser, url: string, path: string, init: RequestInit = {}) {
  const at = `${url}/admin/v1${path}`;
  const headers = { "content-type": "application/json", cookie: browser.cookies(at), origin: url };
  const response = await fetch(at, { ...init, headers });
  const body: unknown = response.status === 204 ? null : await response.json();
  return { status: response.status, body };
}

/** Starts another gateway on the same store, at an address of its own. */
export async function startSecond({ gateway }: SignInWorld): Promise<Started> {
  return gateway.another();
}
