// /auth/oidc: sign-in with the company's identity provider, sign-out there, and the provider's own sign-out.
import { Elysia } from "elysia";
import { recordAct } from "../../admin/audit/audit-trail.ts";
import { signOut } from "../../admin/people/session.ts";
import { type SignInView, signInViewSchema } from "../../admin/people/sign-in.ts";
import { Fault } from "../../core/faults/fault.ts";
import type { SignInRules } from "../../core/people/sign-in.ts";
import { IssuerSilent, SignInRefused } from "../../people/issuer.ts";
import { endIssuerSession } from "../../people/issuer-logout.ts";
import {
  ATTEMPT_MS,
  completeAttempt,
  PERSON_SESSION_MS,
  type SignInParts,
  startAttempt,
} from "../../people/sign-in.ts";
import type { WritingParts } from "../admin-route.ts";
import { readForm } from "../body/form.ts";
import { describeRoute, returnsBody } from "../openapi/route-schema.ts";
import { createJsonResponse, JSON_HEADERS } from "../serve/answers.ts";
import {
  checkSite,
  findOperatorSession,
  nameRequest,
  type OperatorRequest,
  readAct,
  readSender,
} from "./operator.ts";
import { createFaultPage, createPage } from "./sign-in-page.ts";

const PATH = "/auth/oidc";
const TAG = "Sign-in";
/** A browser that opens the page again and again would otherwise send more cookies than a server reads. */
const ATTEMPTS_MAX = 5;
const RETURN_CHARACTERS_MAX = 1000;
/** Each of them waits for the issuer, so strangers could keep it busy through us. */
const FINISHING_MAX = 32;

interface SignInPorts {
  readonly operator: WritingParts;
  readonly people: SignInParts;
}

export function signInRoutes(ports: SignInPorts) {
  const finish = makeFinish(ports);
  const page = (id: string, summary: string) => describeRoute(TAG, id, summary, "HTML.");
  return new Elysia()
    .onTransform(nameRequest)
    .get(
      "/auth/oidc",
      ({ request, set }) => {
        Object.assign(set.headers, JSON_HEADERS);
        return viewProvider(ports, request);
      },
      {
        response: returnsBody(signInViewSchema),
        ...describeRoute(TAG, "getSignIn", "Get the provider with which people can sign in"),
      },
    )
    .get(
      "/auth/oidc/start",
      ({ request, server, route }) => {
        const asked = { request, server, route };
        return answer(ports, asked, (rules) => start(ports, rules, request));
      },
      page("startSignIn", "Go to the provider's sign-in page; `return_to` is a path of the gateway"),
    )
    .get(
      "/auth/oidc/callback",
      ({ request, server, route }) => {
        const asked = { request, server, route };
        return answer(ports, asked, (rules) => finish(rules, asked));
      },
      page("finishSignIn", "Come back from the provider's sign-in page"),
    )
    .use(signOutRoutes(ports));
}

function signOutRoutes(ports: SignInPorts) {
  return new Elysia()
    .onTransform(nameRequest)
    .post("/auth/oidc/logout", ({ request, server, route }) => endHere(ports, { request, server, route }), {
      parse: () => ({}),
      ...describeRoute(TAG, "signOutEverywhere", "Sign out, here and on the provider's own page", {
        303: { description: "To the provider's sign-out, or to the console." },
      }),
    })
    .post(
      "/auth/oidc/backchannel",
      ({ request, server, route }) => endByIssuer(ports, { request, server, route }),
      {
        parse: () => ({}),
        ...describeRoute(
          TAG,
          "issuerLogout",
          "Take the provider's logout token, and end its sessions",
          "Empty.",
        ),
      },
    );
}

async function viewProvider({ operator, people }: SignInPorts, request: Request): Promise<SignInView> {
  const rules = people.rules();
  const secret = operator.cookies.readSession(request);
  const isSignedIn = secret !== null && (await findOperatorSession(operator, secret)) !== null;
  return {
    provider: rules === undefined ? null : new URL(rules.issuer).host,
    start_url: rules === undefined ? null : `${rules.publicUrl}${PATH}/start`,
    signed_in: isSignedIn,
  };
}

/** Answers every failure with a page, since a person reads it. */
async function answer(
  ports: SignInPorts,
  asked: OperatorRequest,
  make: (rules: SignInRules) => Promise<Response>,
): Promise<Response> {
  const rules = ports.people.rules();
  if (rules === undefined) {
    throw new Fault(
      "unknown_url",
      "People can't sign in with a provider here: sign_in.oidc isn't configured.",
    );
  }
  try {
    return await make(rules);
  } catch (error) {
    return createRefusalPage(ports, asked, rules, error);
  }
}

/** Logs a refusal, or an issuer that doesn't answer, and puts a refusal on record. */
function report(
  { people: { log }, operator: { wrongTokens, readAddress } }: SignInPorts,
  { request, server }: OperatorRequest,
  error: unknown,
): void {
  if (error instanceof SignInRefused) {
    log({ event: "session.refused", level: "warn", reason: error.reason });
    wrongTokens.note(error.reason, readAddress(request, server));
  } else if (error instanceof IssuerSilent) {
    log({ event: "issuer_silent", level: "warn", cause: error.message });
  }
}

function createRefusalPage(
  ports: SignInPorts,
  asked: OperatorRequest,
  rules: SignInRules,
  error: unknown,
): Response {
  report(ports, asked, error);
  const link = { href: `${rules.publicUrl}${PATH}/start`, text: "Start again" };
  const title = "You are not signed in";
  if (error instanceof SignInRefused) {
    const status = error.kind === "person" ? 403 : 400;
    return createPage({ status, title, message: error.message, link });
  }
  if (error instanceof IssuerSilent) {
    const message = "Your company's identity provider doesn't answer. Try again in a minute.";
    return createPage({ status: 503, title, message, link });
  }
  return createFaultPage(error, { title, link });
}

async function start(
  { people, operator }: SignInPorts,
  rules: SignInRules,
  request: Request,
): Promise<Response> {
  const returnTo = readReturnPath(new URL(request.url).searchParams.get("return_to"));
  const { url, state, value } = await startAttempt(people, rules, returnTo);
  const { cookies } = operator;
  const headers = new Headers({
    location: url,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  });
  headers.append("set-cookie", cookies.formatAttempt(cookies.nameAttempt(state), value, ATTEMPT_MS / 1000));
  const older = [...cookies.readAttempts(request).keys()].slice(0, -ATTEMPTS_MAX);
  for (const name of older) headers.append("set-cookie", cookies.formatAttempt(name, "", 0));
  return new Response(null, { status: 302, headers });
}

/** Only paths of this gateway: any other address could show a copy of it. */
function readReturnPath(given: string | null): string {
  const path = given ?? "/";
  const isPlain = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path) && path.length <= RETURN_CHARACTERS_MAX;
  if (isPlain && URL.parse(path, "http://own.invalid")?.host === "own.invalid") return path;
  const message = "The page to return to (return_to) must be a path of this gateway, such as /.";
  throw new SignInRefused("attempt", "return_to", message);
}

function makeFinish(ports: SignInPorts) {
  let finishing = 0;
  return async (rules: SignInRules, asked: OperatorRequest): Promise<Response> => {
    if (finishing >= FINISHING_MAX)
      throw new Fault("overloaded", "Too many people sign in at once. Try again.");
    finishing++;
    try {
      return await finishAt(ports, rules, asked);
    } finally {
      finishing--;
    }
  };
}

async function finishAt(ports: SignInPorts, rules: SignInRules, asked: OperatorRequest): Promise<Response> {
  const { request } = asked;
  const at = request.url.indexOf("?");
  const query = at === -1 ? "" : request.url.slice(at);
  const { cookies } = ports.operator;
  const name = cookies.nameAttempt(new URLSearchParams(query).get("state") ?? "");
  const kept = cookies.readAttempts(request).get(name) ?? null;
  const used = kept === null ? [] : [cookies.formatAttempt(name, "", 0)];
  try {
    const { secret, returnTo } = await completeAttempt(ports.people, rules, {
      query,
      kept,
      from: readSender(ports.operator, asked),
    });
    const isSecure = rules.publicUrl.startsWith("https:");
    const session = cookies.formatSession(secret, PERSON_SESSION_MS / 1000, isSecure);
    // The session's cookie isn't sent on a redirect that began on another site, but it is when this page leads on.
    return createPage({
      status: 200,
      title: "You are signed in",
      message: "This page leads on by itself.",
      link: { href: returnTo, text: "Continue" },
      leadsOn: true,
      cookies: [...used, session],
    });
  } catch (error) {
    const page = createRefusalPage(ports, asked, rules, error);
    for (const cookie of used) page.headers.append("set-cookie", cookie);
    return page;
  }
}

/** Ends our session first: the issuer's page may never be reached. */
async function endHere(ports: SignInPorts, asked: OperatorRequest): Promise<Response> {
  const { operator } = ports;
  try {
    checkSite(operator, asked);
    const secret = operator.cookies.readSession(asked.request);
    if (secret !== null) await endSession(operator, asked, secret);
  } catch (error) {
    return createFaultPage(error, { title: "You are not signed out", link: { href: "/", text: "Back" } });
  }
  const { isSecure } = operator.readOrigin(asked.request, asked.server);
  const headers = {
    location: (await findSignOut(ports, asked)) ?? "/",
    "cache-control": "no-store",
    "set-cookie": operator.cookies.formatSession("", 0, isSecure),
  };
  return new Response(null, { status: 303, headers });
}

/** Null if the issuer has no page for it, or can't be asked. */
function findSignOut(ports: SignInPorts, asked: OperatorRequest): Promise<string | null> {
  const rules = ports.people.rules();
  const found = rules === undefined ? null : ports.people.issuer(rules).findSignOut();
  return Promise.resolve(found).catch((error) => {
    report(ports, asked, error);
    return null;
  });
}

async function endSession(operator: WritingParts, asked: OperatorRequest, secret: string): Promise<void> {
  const session = await findOperatorSession(operator, secret);
  await signOut(operator.world, secret);
  if (session === null) return;
  const target = { type: "session", id: "", name: "" } as const;
  await recordAct(operator.world, readAct(operator, asked, session.access), {
    action: "session.ended",
    target,
  });
}

async function endByIssuer(ports: SignInPorts, asked: OperatorRequest): Promise<Response> {
  const refuse = (status: number, message: string) =>
    createJsonResponse(status, { error: "invalid_request", error_description: message });
  try {
    const form = await readForm(ports.operator, asked.request, "issuer", notForm);
    const token = form.get("logout_token");
    if (token === null) return refuse(400, "The form has no logout_token.");
    await endIssuerSession(ports.people, token);
    return new Response(null, { status: 200, headers: { "cache-control": "no-store" } });
  } catch (error) {
    report(ports, asked, error);
    if (error instanceof SignInRefused) return refuse(400, error.message);
    if (error instanceof IssuerSilent) return refuse(503, "The issuer's keys can't be read now.");
    throw error;
  }
}

function notForm(why: string): SignInRefused {
  const message = `The body must be a form (x-www-form-urlencoded): ${why}.`;
  return new SignInRefused("attempt", "logout_token", message);
}
