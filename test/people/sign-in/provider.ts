// A real OpenID Connect provider on loopback, whose people and their claims a test sets.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { startFront } from "./front.ts";

export const CLIENT = { id: "poundkey", secret: "client-secret-of-the-sign-in-tests" } as const;

export interface Person {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[];
}

export interface OwnProvider {
  readonly issuer: string;
  /** By the name with which they sign in there. Others can't. */
  readonly people: Map<string, Person>;
  /** Makes it answer as a server that is down, until it is called with false. */
  rest(isAway: boolean): void;
  /** Lets another server answer in its place, until `rest(false)`. */
  lead(address: string): void;
  stop(): Promise<void>;
}

/** `publicUrl` is the gateway's. */
export async function startProvider(publicUrl: string): Promise<OwnProvider> {
  const front = startFront();
  const people = new Map<string, Person>();
  const provider = new Provider(front.url, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${publicUrl}/auth/oidc/callback`],
        post_logout_redirect_uris: [`${publicUrl}/`],
        grant_types: ["authorization_code", "refresh_token"],
        backchannel_logout_uri: `${publicUrl}/auth/oidc/backchannel`,
        backchannel_logout_session_required: true,
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
    scopes: ["openid", "email", "profile", "offline_access"],
    features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: true } },
    cookies: { keys: ["a-key-of-the-tests"] },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 3600,
      IdToken: 600,
      Interaction: 600,
      Session: 3600,
    },
    rotateRefreshToken: true,
    // Its own refuses addresses on loopback.
    fetch: (url: string, init: RequestInit) => fetch(url, init),
    findAccount: async (_context, id) => {
      const person = people.get(id);
      if (person === undefined) return undefined;
      return { accountId: id, claims: () => ({ sub: id, ...person }) };
    },
  });
  const server = createServer(provider.callback());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${portOf(server.address())}`;
  front.lead(address);
  return {
    issuer: front.url,
    people,
    rest: (isAway) => front.lead(isAway ? null : address),
    lead: (other) => front.lead(other),
    async stop() {
      await front.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("the provider has no port");
  return address.port;
}
