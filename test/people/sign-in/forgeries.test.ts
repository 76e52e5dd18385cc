// Forged and broken ID tokens, claims that don't count, and logout tokens, from an issuer that makes them to order.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createLogoutReader } from "../../../src/app/oidc/oidc-logout.ts";
import { IssuerSilent } from "../../../src/people/issuer.ts";
import { Browser } from "./browser.ts";
import { type Forger, type Forgery, startForger } from "./forger.ts";
import { CLIENT } from "./provider.ts";
import { askAs, RULES, type SignInWorld, startSignInWorld } from "./world.ts";

let forger: Forger;
let world: SignInWorld;
beforeAll(async () => {
  forger = await startForger();
  world = await startSignInWorld({
    issuer: forger.issuer,
    oidc: `${RULES}, allow: { domains: [example.com] }`,
  });
});
beforeEach(() => forger.forge({}));
afterAll(async () => {
  await world.stop();
  await forger.stop();
});

async function signIn(forgery: Forgery) {
  forger.forge(forgery);
  const browser = new Browser();
  const page = await browser.follow(`${world.url}/auth/oidc/start`);
  return { browser, page };
}

const seconds = (ahead: number) => Math.floor(Date.now() / 1000) + ahead;
const UNSIGNED = "signature on the ID token, or the token itself, is not valid";

test.each(["token", "userinfo", "keys"] as const)(
  "an answer without end counts as none: %s",
  async (long) => {
    const fresh = await startSignInWorld({ issuer: forger.issuer, oidc: RULES });
    try {
      forger.forge({ long, claims: { name: null }, userinfo: { sub: "ada", name: "Ada" } });
      const page = await new Browser().follow(`${fresh.url}/auth/oidc/start`);
      expect(page.status).toBe(503);
      forger.forge({});
      expect((await new Browser().follow(`${fresh.url}/auth/oidc/start`)).status).toBe(200);
    } finally {
      await fresh.stop();
    }
  },
);

test.each([
  { authorization_endpoint: "javascript:alert(1)" },
  { authorization_endpoint: "http://login.example.com/authorize" },
  { token_endpoint: "http://login.example.com/token" },
  { jwks_uri: "/keys" },
  { userinfo_endpoint: 7 },
  { end_session_endpoint: "data:text/html,bye" },
])("an issuer that names %j counts as one that is away", async (describes) => {
  forger.forge({ describes });
  const fresh = await startSignInWorld({ issuer: forger.issuer, oidc: RULES });
  try {
    const page = await new Browser().follow(`${fresh.url}/auth/oidc/start`);
    expect([page.status, page.text]).toEqual([503, expect.stringContaining("Try again in a minute")]);
  } finally {
    await fresh.stop();
  }
});

describe("an ID token", () => {
  test("that is right is accepted, up to 30 s after its end", async () => {
    for (const claims of [{}, { exp: seconds(-15) }, { aud: ["poundkey", "other"], azp: "poundkey" }]) {
      expect((await signIn({ claims })).page.status).toBe(200);
    }
  });

  test.each<[string, Forgery, string]>([
    ["of a foreign key", { by: "foreign key" }, UNSIGNED],
    ["with an unknown key id", { header: { kid: "other" } }, UNSIGNED],
    ["without a signature", { by: "nobody" }, UNSIGNED],
    ["signed with the client's secret", { by: "client secret" }, UNSIGNED],
    ["of another issuer", { claims: { iss: "https://other.example" } }, "from another issuer (iss)"],
    ["for another application", { claims: { aud: "other" } }, "another application (aud)"],
    ["for two, without azp", { claims: { aud: ["poundkey", "other"] } }, "for another application"],
    ["for two, with another's azp", { claims: { aud: ["poundkey", "other"], azp: "other" } }, "(azp)"],
    ["of another attempt", { claims: { nonce: "another" } }, "another sign-in (nonce)"],
    ["without a nonce", { claims: { nonce: null } }, "(nonce)"],
    ["for us, with another's azp", { claims: { azp: "other" } }, "(azp)"],
    ["without a subject", { claims: { sub: null } }, "(sub)"],
    ["with an empty subject", { claims: { sub: "" } }, "(sub)"],
    ["with a subject of 256 characters", { claims: { sub: "a".repeat(256) } }, "(sub)"],
    ["with a subject that isn't ASCII", { claims: { sub: "ad\u00e4" } }, "(sub)"],
    ["that has expired", { claims: { exp: seconds(-40) } }, "has expired (exp)"],
    ["that isn't valid yet", { claims: { nbf: seconds(600) } }, "isn&#39;t valid yet (nbf)"],
    ["from the future", { claims: { iat: seconds(3600) } }, "from the future (iat)"],
  ])("%s is refused", async (_, forgery, sentence) => {
    const { page, browser } = await signIn(forgery);
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(sentence)]);
    expect(browser.cookies(world.url)).toBe("");
  });
});

describe("claims", () => {
  const missing = { email: null, email_verified: null, groups: null, name: null };
  const ada = { email: "ada@example.com", email_verified: true, groups: ["platform"], name: "Ada" };

  test("that the ID token lacks come from the user information, of the same person", async () => {
    expect((await signIn({ claims: missing, userinfo: { sub: "ada", ...ada } })).page.status).toBe(200);
    const other = await signIn({ claims: missing, userinfo: { sub: "eve", ...ada } });
    expect([other.page.status, other.page.text]).toEqual([400, expect.stringContaining("different people")]);
  });

  test("of the ID token come first, and a verified address vouches for no other", async () => {
    const claims = { groups: null, email: "ada@example.com", email_verified: null };
    const userinfo = { sub: "ada", ...ada, email: "eve@other.example" };
    const { page } = await signIn({ claims, userinfo });
    expect([page.status, page.text]).toEqual([403, expect.stringContaining("no e-mail address")]);
  });

  test("of the ID token vouch for no address that only the user information has", async () => {
    const claims = { email: null, email_verified: true, groups: null };
    const userinfo = { sub: "ada", ...ada, email_verified: false };
    const { page } = await signIn({ claims, userinfo });
    expect([page.status, page.text]).toEqual([403, expect.stringContaining("no e-mail address")]);
  });

  test.each<[string, Forgery["claims"], string]>([
    ["an unverified address", { email_verified: false }, "sent no e-mail address that it has verified"],
    ["an address of which nothing is said", { email_verified: null }, "sent no e-mail address"],
    ["an address that only looks verified", { email_verified: "true" }, "sent no e-mail address"],
    ["another domain", { email: "ada@example.com.evil.example" }, "of your domain are not let in"],
    ["another domain before the address's own", { email: "ada@example.com@evil.example" }, "sent no e-mail"],
    ["groups in another case", { groups: ["Platform"] }, "none of your groups"],
    [
      "a list of groups that was cut off",
      { groups: null, _claim_names: { groups: "src1" } },
      "so many groups",
    ],
    ["the other sign of that", { groups: null, hasgroups: true }, "so many groups"],
  ])("with %s let nobody in", async (_, claims, sentence) => {
    const { page } = await signIn({ claims, userinfo: { sub: "ada" } });
    expect([page.status, page.text]).toEqual([403, expect.stringContaining(sentence)]);
  });
});

describe("a logout token", () => {
  const post = async (form: Record<string, string>) => {
    const response = await fetch(`${world.url}/auth/oidc/backchannel`, {
      method: "POST",
      body: new URLSearchParams(form),
    });
    return {
      status: response.status,
      text: await response.text(),
      cache: response.headers.get("cache-control"),
    };
  };

  test.each<[string, Forgery, string]>([
    ["of a foreign key", { by: "foreign key" }, "not valid"],
    ["signed with the client's secret", { by: "client secret" }, "not valid"],
    ["without a signature", { by: "nobody" }, "not valid"],
    ["of another type", { header: { typ: "at+jwt" } }, "(typ)"],
    ["of another issuer", { claims: { iss: "https://other.example" } }, "(iss)"],
    ["for another application", { claims: { aud: "other" } }, "(aud)"],
    ["older than 5 minutes", { claims: { iat: seconds(-400) } }, "older than 5 minutes"],
    ["from the future", { claims: { iat: seconds(3600) } }, "from the future"],
    ["without a time", { claims: { iat: null } }, "(iat)"],
    ["without an id", { claims: { jti: null } }, "(jti)"],
    ["of another event", { claims: { events: { "https://other.example": {} } } }, "(events)"],
    ["with a nonce", { claims: { nonce: "a" } }, "nonce"],
    ["that names nobody", { claims: { sub: null } }, "(sub, sid)"],
  ])("%s is refused", async (_, forgery, sentence) => {
    const { browser } = await signIn({});
    const before = world.gateway.events.length;
    const { status, text, cache } = await post({ logout_token: await forger.signLogout(forgery) });
    expect([status, text, cache]).toEqual([400, expect.stringContaining(sentence), "no-store"]);
    const refused = { event: "session.refused", level: "warn", reason: "logout_token" } as const;
    expect(world.gateway.events.slice(before)).toContainEqual(refused);
    expect((await askAs(browser, world.url, "/keys")).status).toBe(200);
  });

  test("is read with the issuer's own name, and its keys are asked for rarely while they can't be read", async () => {
    let nowMs = 0;
    const metadata = { issuer: forger.issuer, jwks_uri: `${forger.issuer}/keys` };
    const rules = { issuer: `${forger.issuer}/`, clientId: CLIENT.id };
    const read = createLogoutReader(rules, { nowMs: () => nowMs }, async () => metadata);
    const token = await forger.signLogout({});
    const before = forger.countKeys();
    forger.hideKeys(true);
    for (let count = 0; count < 5; count++) await expect(read(token)).rejects.toBeInstanceOf(IssuerSilent);
    expect(forger.countKeys()).toBe(before + 1);
    forger.hideKeys(false);
    nowMs = 2000;
    expect((await read(token)).sub).toBe("ada");
  });

  test("ends the sessions that it names, once", async () => {
    const one = await signIn({ claims: { sid: "one" } });
    const two = await signIn({ claims: { sid: "two" } });
    const unknown = await signIn({});
    const statuses = async () =>
      Promise.all(
        [one, two, unknown].map(async ({ browser }) => (await askAs(browser, world.url, "/keys")).status),
      );
    expect((await post({ other: "a" })).status).toBe(400);
    const other = await forger.signLogout({ claims: { sub: "eve" } });
    expect((await post({ logout_token: other })).status).toBe(200);
    expect(await statuses()).toEqual([200, 200, 200]);
    const bySession = await forger.signLogout({ claims: { sub: null, sid: "one" } });
    expect(await post({ logout_token: bySession })).toEqual({ status: 200, text: "", cache: "no-store" });
    expect(await statuses()).toEqual([401, 200, 200]);
    expect((await post({ logout_token: bySession })).text).toContain("already used (jti)");
    await post({ logout_token: await forger.signLogout({ header: { typ: "JWT" } }) });
    expect(await statuses()).toEqual([401, 401, 401]);
  });

  test("that the store couldn't carry out is carried out when the issuer repeats it, and then used up", async () => {
    const { browser } = await signIn({});
    const status = async () => (await askAs(browser, world.url, "/keys")).status;
    using database = new Database(join(world.gateway.directory, "poundkey.db"));
    database.run("CREATE TRIGGER away BEFORE DELETE ON session BEGIN SELECT RAISE(ABORT, 'away'); END");
    const token = await forger.signLogout({});
    const failed = await post({ logout_token: token });
    expect(failed.status).toBeGreaterThanOrEqual(500);
    expect(await status()).toBe(200);
    database.run("DROP TRIGGER away");
    expect((await post({ logout_token: token })).status).toBe(200);
    expect(await status()).toBe(401);
    expect((await post({ logout_token: token })).text).toContain("already used (jti)");
  });
});
