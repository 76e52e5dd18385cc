// `bun test/people/sign-in/keycloak.ts URL PASSWORD`: signs people in by a real Keycloak, and prints what was seen. It must run in
// development mode on loopback, with an admin `admin` of this password; the realm that it makes there is deleted again.
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { until } from "../../whole/world/until.ts";
import { signInAgent } from "./agent.ts";
import { Browser, type Page } from "./browser.ts";
import { CLIENT } from "./provider.ts";
import { askAs, RULES, startSignInWorld } from "./world.ts";

const [keycloak = "", adminPassword = ""] = process.argv.slice(2);
const REALM = "poundkey-tests";
const PASSWORD = "a-password-of-the-tests";
const PEOPLE = { ada: ["platform"], sam: ["search"], eve: [] } as const;

async function logIn(): Promise<string> {
  const fields = {
    grant_type: "password",
    client_id: "admin-cli",
    username: "admin",
    password: adminPassword,
  };
  const path = `${keycloak}/realms/master/protocol/openid-connect/token`;
  const response = await fetch(path, { method: "POST", body: new URLSearchParams(fields) });
  return String(asObject(await response.json()).access_token);
}

/** Calls Keycloak's admin API. Returns its JSON, or the id of what was made. */
async function call(method: string, path: string, body?: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${await logIn()}`, "content-type": "application/json" };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(`${keycloak}/admin/realms${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? response.headers.get("location")?.split("/").at(-1) : JSON.parse(text);
}

async function makeRealm(publicUrl: string): Promise<ReadonlyMap<string, string>> {
  await call("POST", "", { realm: REALM, enabled: true });
  const client = await call("POST", `/${REALM}/clients`, {
    clientId: CLIENT.id,
    secret: CLIENT.secret,
    redirectUris: [`${publicUrl}/auth/oidc/callback`],
    attributes: {
      "backchannel.logout.url": `${publicUrl}/auth/oidc/backchannel`,
      "backchannel.logout.session.required": "true",
    },
  });
  await call("POST", `/${REALM}/clients/${client}/protocol-mappers/models`, {
    name: "groups",
    protocol: "openid-connect",
    protocolMapper: "oidc-group-membership-mapper",
    config: { "claim.name": "groups", "full.path": "false", "id.token.claim": "true" },
  });
  for (const name of ["platform", "search"]) await call("POST", `/${REALM}/groups`, { name });
  const ids = new Map<string, string>();
  for (const [name, groups] of Object.entries(PEOPLE)) {
    const person = { username: name, firstName: name, lastName: "Test", email: `${name}@example.com` };
    const credentials = [{ type: "password", value: PASSWORD, temporary: false }];
    const made = { ...person, enabled: true, emailVerified: true, groups, credentials };
    ids.set(name, String(await call("POST", `/${REALM}/users`, made)));
  }
  return ids;
}

const world = await startSignInWorld({
  issuer: `${keycloak}/realms/${REALM}`,
  oidc: `${RULES}, members: { recheck: 2s, key_expires: 30s }`,
});

async function signIn(name: string): Promise<{ readonly browser: Browser; readonly page: Page }> {
  const browser = new Browser();
  const form = await browser.follow(`${world.url}/auth/oidc/start`);
  const page = await browser.submit(form, { username: name, password: PASSWORD });
  return { browser, page };
}

async function readSession(
  browser: Browser,
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const { status, body } = await askAs(browser, world.url, "/session");
  return { status, body: asObject(body) };
}

async function timeEnd(browser: Browser): Promise<number> {
  const startedMs = Date.now();
  await until("the session ends", async () => (await readSession(browser)).status === 401);
  return Date.now() - startedMs;
}

try {
  const ids = await makeRealm(world.url);
  const ada = await signIn("ada");
  const session = await readSession(ada.browser);
  console.log(`ada, of the group platform: ${session.status}, ${JSON.stringify(session.body.grants)}`);
  const sam = await signIn("sam");
  console.log(`sam, of the group search: ${JSON.stringify((await readSession(sam.browser)).body.grants)}`);
  const { body } = await askAs(sam.browser, world.url, "/keys", {
    method: "POST",
    body: JSON.stringify({ name: "own" }),
  });
  console.log(`sam's own key: ${asObject(body).kind ?? JSON.stringify(body)}`);
  console.log(`sam's agent: ${Object.keys(await signInAgent(sam.browser, world.url)).join(", ")}`);
  const eve = await signIn("eve");
  console.log(`eve, of no group: ${eve.page.status}, ${/<p>([^<]+)/.exec(eve.page.text)?.[1] ?? ""}`);
  await call("POST", `/${REALM}/users/${ids.get("ada")}/logout`);
  console.log(`ada is logged out at Keycloak: her session ends after ${await timeEnd(ada.browser)} ms`);
  await call("PUT", `/${REALM}/users/${ids.get("sam")}`, { enabled: false });
  console.log(
    `sam is disabled at Keycloak: his session ends after ${await timeEnd(sam.browser)} ms (recheck: 2 s)`,
  );
  const { body: members } = await askAs((await signIn("ada")).browser, world.url, "/members");
  for (const one of asArray(asObject(members).data).map(asObject))
    console.log(
      `${one.name}: ${JSON.stringify({ email: one.email, disabled: one.disabled, left_at: one.left_at })}`,
    );
} finally {
  await call("DELETE", `/${REALM}`);
  await world.stop();
}
process.exit(0);
