// An issuer of a few lines whose ID tokens and logout tokens a test makes as wrong as it likes.
import * as jose from "jose";
import { CLIENT } from "./provider.ts";

/** The claims of a right token are changed by these. Null removes one. */
export interface Forgery {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, string>>;
  /** Signs with another key than the published one, with the client's secret, or not at all. */
  readonly by?: "foreign key" | "client secret" | "nobody";
  /** The answer that comes after more white space than anybody should read. */
  readonly long?: "description" | "token" | "userinfo" | "keys";
  /** Fields of the issuer's description of itself. */
  readonly describes?: Readonly<Record<string, unknown>>;
  /** Answers of the user information. 401 if missing. */
  readonly userinfo?: Readonly<Record<string, unknown>>;
}

export interface Forger {
  readonly issuer: string;
  /** The forgery of the next tokens. */
  forge(forgery: Forgery): void;
  /** Signs a logout token, right but for the forgery. */
  signLogout(forgery: Forgery): Promise<string>;
  /** Answers 500 in place of the keys. */
  hideKeys(isHidden: boolean): void;
  /** The number of times that the keys were asked for. */
  countKeys(): number;
  stop(): Promise<void>;
}

const LONG_BYTES = 3_000_000;
const EVENT = "http://schemas.openid.net/event/backchannel-logout";

export async function startForger(): Promise<Forger> {
  const { publicKey, privateKey } = await jose.generateKeyPair("RS256");
  const foreign = await jose.generateKeyPair("RS256");
  const keys = [{ ...(await jose.exportJWK(publicKey)), kid: "own", alg: "RS256", use: "sig" }];
  let forgery: Forgery = {};
  let isHidden = false;
  let asked = 0;
  const showKeys = () => {
    asked++;
    return isHidden ? new Response(null, { status: 500 }) : Response.json({ keys });
  };
  const sign = async (right: jose.JWTPayload, { claims = {}, header = {}, by }: Forgery, typ: string) => {
    const all = Object.entries({ ...right, ...claims }).filter(([, value]) => value !== null);
    const payload = Object.fromEntries(all);
    if (by === "nobody") return new jose.UnsecuredJWT(payload).encode();
    const alg = by === "client secret" ? "HS256" : "RS256";
    const key = { "foreign key": foreign.privateKey, "client secret": Buffer.from(CLIENT.secret) };
    const own = by === undefined ? privateKey : key[by];
    return new jose.SignJWT(payload).setProtectedHeader({ alg, kid: "own", typ, ...header }).sign(own);
  };
  const { issuer, stop } = serve(
    showKeys,
    () => forgery,
    (right) => sign(right, forgery, "JWT"),
  );
  return {
    issuer,
    forge: (next) => {
      forgery = next;
    },
    hideKeys: (hidden) => {
      isHidden = hidden;
    },
    countKeys: () => asked,
    signLogout: (wrong) => {
      const right = { iss: issuer, aud: CLIENT.id, iat: seconds(), jti: crypto.randomUUID(), sub: "ada" };
      return sign({ ...right, exp: seconds() + 120, events: { [EVENT]: {} } }, wrong, "logout+jwt");
    },
    stop,
  };
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Serves what a client reads: the addresses, the keys, and one code, token and person for everybody. */
function serve(
  showKeys: () => Response,
  current: () => Forgery,
  sign: (right: jose.JWTPayload) => Promise<string>,
) {
  let nonce = "";
  let issuer = "";
  const describe = () =>
    Response.json({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      scopes_supported: ["openid", "email", "profile"],
      id_token_signing_alg_values_supported: ["RS256", "HS256"],
      ...current().describes,
    });
  const stretch = async (name: Forgery["long"], answer: Response) =>
    current().long === name ? new Response(" ".repeat(LONG_BYTES) + (await answer.text()), answer) : answer;
  const authorize = (request: Request) => {
    const asked = new URL(request.url).searchParams;
    nonce = asked.get("nonce") ?? "";
    return Response.redirect(`${asked.get("redirect_uri")}?code=a-code&state=${asked.get("state")}`, 302);
  };
  const exchange = async () => {
    const right = { iss: issuer, sub: "ada", aud: CLIENT.id, iat: seconds(), exp: seconds() + 300, nonce };
    const more = { name: "Ada", email: "ada@example.com", email_verified: true, groups: ["platform"] };
    const id_token = await sign({ ...right, ...more });
    return Response.json({ access_token: "an-access-token", token_type: "Bearer", id_token });
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: {
      "/.well-known/openid-configuration": () => stretch("description", describe()),
      "/keys": () => stretch("keys", showKeys()),
      "/authorize": authorize,
      "/token": async () => stretch("token", await exchange()),
      "/userinfo": () => {
        const { userinfo } = current();
        return stretch("userinfo", userinfo ? Response.json(userinfo) : new Response(null, { status: 401 }));
      },
    },
  });
  issuer = `http://127.0.0.1:${server.port}`;
  return { issuer, stop: () => server.stop(true) };
}
