// A gateway whose company's directory tells by SCIM who is here, and the directory that asks it.
import type { Member } from "../../../src/core/people/people.ts";
import { type Setup, startUnderTest, type UnderTest } from "../../harness/harness.ts";

const ISSUER = "https://issuer.example";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the answers' JSON is what is tested.
  readonly body: any;
}

export type Scim = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

export interface DirectoryWorld {
  readonly gateway: UnderTest;
  readonly scim: Scim;
  /** Asks the admin API with the admin token. */
  readonly admin: Scim;
  readonly token: string;
  stop(): Promise<void>;
}

export const RULES = `rules: [
  { group: "*", role: member, accounts: [default], budgets: [{ usd: 5, per: month }] },
  { group: Platform, role: operator }, { group: grp-search-oid, role: viewer, accounts: [default] } ]`;
export const GROUP_RULES = `rules: [
  { group: Search, role: member, accounts: [default], requests_per_minute: 30 },
  { group: Platform, role: operator }, { group: oid-writers, role: member } ]`;

export async function startDirectoryWorld(
  rules = GROUP_RULES,
  more = "scim: { on: true }",
  issuer = ISSUER,
  setup: Setup = {},
): Promise<DirectoryWorld> {
  const gateway = await startUnderTest({
    ...setup,
    server: 'public_url: "https://gateway.example"',
    more: `sign_in: { oidc: { issuer: "${issuer}", client_id: gateway, client_secret: a-client-secret, ${rules} } }\n${more}`,
  });
  const admin = makeAsker(`${gateway.url}/admin/v1`, gateway.adminToken, "application/json");
  const { body } = await admin("POST", "/tokens", { name: "directory", kind: "scim" });
  const token = String(body.secret);
  const scim = makeAsker(`${gateway.url}/scim/v2`, token, "application/scim+json; charset=utf-8");
  return { gateway, admin, scim, token, stop: () => gateway.stop() };
}

export function makeAsker(base: string, secret: string, type: string): Scim {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, "content-type": type, ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? null : JSON.parse(text),
    };
  };
}

const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";
const ENTERPRISE_SCHEMA = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const PATCH_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/** A POST as Microsoft Entra sends it. */
export function entraUser(name: string, objectId: string, fields: Readonly<Record<string, unknown>> = {}) {
  return {
    schemas: [USER_SCHEMA, ENTERPRISE_SCHEMA],
    externalId: objectId,
    userName: `${name}@contoso.com`,
    active: true,
    displayName: `${name} of Contoso`,
    emails: [{ primary: true, type: "work", value: `${name}@contoso.com` }],
    meta: { resourceType: "User" },
    name: { formatted: `${name} of Contoso`, familyName: "Contoso", givenName: name },
    roles: [],
    ...fields,
  };
}

export function patch(...Operations: readonly Readonly<Record<string, unknown>>[]) {
  return { schemas: [PATCH_SCHEMA], Operations };
}

/** Returns the person of a user, as the admin routes show it. */
export async function findPerson({ admin }: Pick<DirectoryWorld, "admin">, email: string) {
  const { body } = await admin("GET", "/members?limit=100");
  return body.data.find((one: Pick<Member, "email">) => one.email === email);
}
