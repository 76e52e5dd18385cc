// Sign-in from an agent (RFC 8628, as Claude Code's gateway protocol names it): discovery, codes and tokens.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Fault } from "../../core/faults/fault.ts";
import { LOGIN_CODE_PREFIX } from "../../core/people/device.ts";
import type { SignInRules } from "../../core/people/sign-in.ts";
import {
  CODE_MS,
  type GrantError,
  INTERVAL_SECONDS,
  pollDevice,
  refreshDevice,
  startDevice,
} from "../../people/devices.ts";
import { pollLogin } from "../../people/logins.ts";
import type { SignInParts } from "../../people/sign-in.ts";
import type { WritingParts } from "../admin-route.ts";
import { readForm } from "../body/form.ts";
import { describeResponse, describeRoute } from "../openapi/route-schema.ts";
import { createJsonResponse, type HeaderMap } from "../serve/answers.ts";
import type { Peers } from "../serve/client-address.ts";
import { nameRequest, type OperatorRequest, readSender } from "./operator.ts";

const TAG = "Sign-in";
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const REFRESH_GRANT = "refresh_token";
/** Version 1 of the protocol that the `claude` binary serves and speaks. */
const PROTOCOL_VERSION = 1;
const AGENT = /^[\x21-\x7e]{1,100}$/;
const CODE = new RegExp(`^(${LOGIN_CODE_PREFIX})?[0-9A-Za-z]{43}$`);
/** Asked for by `poundkey login --admin`: the rights of the person on the admin routes, and no key. */
const ADMIN_SCOPE = "admin";
const MS_PER_SECOND = 1000;

export interface OAuthPorts {
  readonly operator: WritingParts;
  readonly people: SignInParts;
}

/** An error of OAuth (RFC 6749, 5.2), with its status. */
class OAuthRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const ANY = Type.Object({});

export function oauthRoutes(ports: OAuthPorts) {
  return new Elysia()
    .onTransform(nameRequest)
    .get(
      "/.well-known/oauth-authorization-server",
      () => createJsonResponse(200, describeServer(requireRules(ports.people))),
      describeRoute(
        TAG,
        "describeSignIn",
        "Get the addresses at which agents sign in",
        describeResponse("The server's metadata (RFC 8414).", ANY),
      ),
    )
    .post("/oauth/device_authorization", ({ request, server }) => begin(ports, request, server), {
      parse: "none",
      ...describeForm("beginDevice", "Begin a sign-in from an agent", "The codes (RFC 8628).", [
        "client_id",
        "scope",
      ]),
    })
    .post("/oauth/token", (asked) => answer(() => grant(ports, asked)), {
      parse: "none",
      ...describeForm("grantToken", "Get an agent's tokens, or its next ones", "The tokens (RFC 6749).", [
        "grant_type",
        "device_code",
        "refresh_token",
      ]),
    });
}

function describeForm(id: string, summary: string, answer: string, fields: readonly string[]) {
  return describeFormRoute(describeRoute(TAG, id, summary, describeResponse(answer, ANY)), fields);
}

/** Adds the form that a route takes to its OpenAPI texts. */
export function describeFormRoute<Detail extends object>(
  { detail }: { readonly detail: Detail },
  fields: readonly string[],
) {
  const properties = Object.fromEntries(fields.map((name) => [name, { type: "string" as const }]));
  const schema = { type: "object" as const, properties };
  const content = { "application/x-www-form-urlencoded": { schema } };
  return { detail: { ...detail, requestBody: { required: true, content } } };
}

/** Throws the Fault `unknown_url` while people can't sign in. */
export function requireRules({ rules }: Pick<SignInParts, "rules">): SignInRules {
  const found = rules();
  if (found !== undefined) return found;
  throw new Fault("unknown_url", "People can't sign in here: sign_in.oidc isn't configured.");
}

function describeServer({ publicUrl }: SignInRules) {
  return {
    issuer: publicUrl,
    device_authorization_endpoint: `${publicUrl}/oauth/device_authorization`,
    token_endpoint: `${publicUrl}/oauth/token`,
    grant_types_supported: [DEVICE_GRANT, REFRESH_GRANT],
    token_endpoint_auth_methods_supported: ["none"],
    gateway_protocol_version: PROTOCOL_VERSION,
  };
}

async function answer(make: () => Promise<Response>): Promise<Response> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    const { status, code, message } = error;
    const wait: HeaderMap = status === 429 ? { "retry-after": String(INTERVAL_SECONDS) } : {};
    return createJsonResponse(status, { error: code, error_description: message }, wait);
  }
}

function notForm(why: string): OAuthRefusal {
  return new OAuthRefusal(400, "invalid_request", `The body must be a form (x-www-form-urlencoded): ${why}.`);
}

function begin({ operator, people }: OAuthPorts, request: Request, server: Peers | null): Promise<Response> {
  const { publicUrl } = requireRules(people);
  const address = operator.readAddress(request, server);
  return answer(async () => {
    const form = request.body === null ? null : await readForm(operator, request, "sign-in", notForm);
    const agent = form?.get("client_id") ?? nameAgent(request.headers);
    if (!AGENT.test(agent)) {
      const message = "client_id must be the agent's name, of 1 to 100 visible ASCII characters.";
      throw new OAuthRefusal(400, "invalid_request", message);
    }
    const scopes = (form?.get("scope") ?? "").split(" ");
    const kind = scopes.includes(ADMIN_SCOPE) ? "login" : "agent";
    const begun = await startDevice(people, { agent, address, kind });
    if (begun === null) {
      throw new OAuthRefusal(
        429,
        "slow_down",
        "Too many sign-ins wait for their code. Try again in some minutes.",
      );
    }
    return createJsonResponse(200, {
      device_code: begun.deviceCode,
      user_code: begun.userCode,
      verification_uri: `${publicUrl}/device`,
      verification_uri_complete: `${publicUrl}/device?user_code=${begun.userCode}`,
      expires_in: CODE_MS / MS_PER_SECOND,
      interval: INTERVAL_SECONDS,
    });
  });
}

/** Claude Code 2.1.197 sends no client_id, and of its library alone a name as `User-Agent`: `axios/1.15.2`. */
function nameAgent(headers: Headers): string {
  const [name = ""] = (headers.get("user-agent") ?? "").split(" ", 1);
  return AGENT.test(name) ? name : "unknown";
}

const REFUSALS: Readonly<Record<GrantError, readonly [status: number, code: string, message: string]>> = {
  authorization_pending: [400, "authorization_pending", "Nobody has approved the code yet."],
  slow_down: [429, "slow_down", `Ask every ${INTERVAL_SECONDS} seconds.`],
  access_denied: [400, "access_denied", "The sign-in was denied."],
  expired_token: [400, "expired_token", "The code has expired, or was used. Begin again."],
  invalid_grant: [400, "invalid_grant", "The refresh token is unknown, or was used before. Sign in again."],
  gone: [401, "invalid_grant", "The sign-in has ended. Sign in again."],
};

async function grant({ operator, people }: OAuthPorts, asked: OperatorRequest): Promise<Response> {
  const rules = requireRules(people);
  const form = await readForm(operator, asked.request, "sign-in", notForm);
  const type = form.get("grant_type");
  if (type !== DEVICE_GRANT && type !== REFRESH_GRANT) {
    const message = `grant_type must be ${DEVICE_GRANT} or ${REFRESH_GRANT}.`;
    throw new OAuthRefusal(400, type === null ? "invalid_request" : "unsupported_grant_type", message);
  }
  const field = type === DEVICE_GRANT ? "device_code" : "refresh_token";
  const code = form.get(field);
  if (code === null) throw new OAuthRefusal(400, "invalid_request", `${field} is missing.`);
  if (!CODE.test(code)) throw new OAuthRefusal(400, "invalid_grant", `${field} isn't one of this gateway's.`);
  if (type === DEVICE_GRANT && code.startsWith(LOGIN_CODE_PREFIX)) {
    return answerLogin(people, await pollLogin(people, code, readSender(operator, asked)));
  }
  const granted =
    type === DEVICE_GRANT ? await pollDevice(people, rules, code) : await refreshDevice(people, rules, code);
  if ("error" in granted) throw new OAuthRefusal(...REFUSALS[granted.error]);
  const { secret, refresh, untilMs } = granted.tokens;
  return createJsonResponse(200, { ...describeBearer(people, secret, untilMs), refresh_token: refresh });
}

/** A login isn't refreshed: it ends as a session of the console does. */
function answerLogin(people: SignInParts, granted: Awaited<ReturnType<typeof pollLogin>>): Response {
  if ("error" in granted) throw new OAuthRefusal(...REFUSALS[granted.error]);
  const { secret, untilMs } = granted.login;
  return createJsonResponse(200, { ...describeBearer(people, secret, untilMs), scope: ADMIN_SCOPE });
}

function describeBearer({ clock }: SignInParts, secret: string, untilMs: number) {
  const leftMs = Math.max(0, untilMs - clock.nowMs());
  return { access_token: secret, token_type: "Bearer", expires_in: Math.floor(leftMs / MS_PER_SECOND) };
}
