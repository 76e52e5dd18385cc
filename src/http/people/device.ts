// /device: the page on which a signed-in person approves or denies an agent that shows a code.
import { Elysia } from "elysia";
import { approveLogin, type DeviceParts, denyCode, findCode } from "../../admin/people/device-codes.ts";
import { ACCOUNTS_SHOWN_MAX, approveCode, listKeyAccounts } from "../../admin/people/devices.ts";
import { Fault } from "../../core/faults/fault.ts";
import type { Account } from "../../core/keys/key.ts";
import type { DeviceCode } from "../../core/people/device.ts";
import type { SignInRules } from "../../core/people/sign-in.ts";
import type { Settings } from "../../core/settings.ts";
import type { Access } from "../../people/access.ts";
import type { CodeKind } from "../../people/devices.ts";
import type { SignInParts } from "../../people/sign-in.ts";
import { readForm } from "../body/form.ts";
import { describeRoute } from "../openapi/route-schema.ts";
import { createCodePage, createDecisionPage, createLoginPage, createOutcomePage } from "./device-page.ts";
import { describeFormRoute, type OAuthPorts, requireRules } from "./oauth.ts";
import { checkSite, findOperatorSession, nameRequest, type OperatorRequest, readAct } from "./operator.ts";
import { createFaultPage } from "./sign-in-page.ts";

const PATH = "/device";
const FIELDS = ["user_code", "action", "account"] as const;
const TYPED_CHARACTERS_MAX = 100;

interface DevicePorts extends OAuthPorts {
  /** Returns the current settings. */
  readonly settings: () => Settings;
}

export function deviceRoutes(ports: DevicePorts) {
  const page = (id: string, summary: string) => describeRoute("Sign-in", id, summary, "HTML.");
  return new Elysia()
    .onTransform(nameRequest)
    .get(
      "/device",
      ({ request, server, route }) => answer(ports, { request, server, route }, show),
      page("deviceCode", "Ask a person for the code of an agent; never approves it"),
    )
    .post("/device", ({ request, server, route }) => answer(ports, { request, server, route }, decide), {
      parse: "none",
      ...describeFormRoute(page("decideDevice", "Approve or deny the agent that shows a code"), FIELDS),
    });
}

/** A person who is signed in, at the page. */
interface DeviceVisit {
  readonly ports: DevicePorts;
  readonly parts: DeviceParts & ReturnType<SignInParts["recordAs"]>;
  readonly rules: SignInRules;
  readonly access: Access;
  readonly memberId: string;
  /** The origins to which the form may lead: a session may have ended meanwhile. */
  readonly formTo: readonly string[];
}

type AnswerDevice = (ports: DevicePorts, rules: SignInRules, asked: OperatorRequest) => Promise<Response>;

/** Answers every failure with a page, since a person reads it. */
async function answer(ports: DevicePorts, asked: OperatorRequest, make: AnswerDevice): Promise<Response> {
  const rules = requireRules(ports.people);
  try {
    return await make(ports, rules, asked);
  } catch (error) {
    return createFaultPage(error, {
      title: "This didn't work",
      link: { href: PATH, text: "Enter the code again" },
    });
  }
}

async function show(ports: DevicePorts, rules: SignInRules, asked: OperatorRequest): Promise<Response> {
  const { request } = asked;
  const given = new URL(request.url).searchParams.get("user_code");
  const visit = await findVisit(ports, rules, asked);
  if (visit === null) return redirectToStart(302, rules, given);
  if (given === null) return createCodePage(visit);
  const found = await findCode(visit.parts, visit.memberId, given);
  if (found.kind !== "pending") return refuseCode(visit, found.kind);
  return refuseRole(visit, found.asks) ?? showDecision(visit, found, null);
}

async function decide(ports: DevicePorts, rules: SignInRules, asked: OperatorRequest): Promise<Response> {
  const { request } = asked;
  try {
    checkSite(ports.operator, asked);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const message = "This request didn't come from the gateway's own page, so nothing was changed.";
    return createOutcomePage(error.row.status, "Nothing was changed", message);
  }
  const visit = await findVisit(ports, rules, asked);
  if (visit === null) return redirectToStart(303, rules, null);
  const form = await readForm(ports.operator, request, "sign-in", notForm);
  const typed = (form.get("user_code") ?? "").slice(0, TYPED_CHARACTERS_MAX);
  const found = await findCode(visit.parts, visit.memberId, typed);
  if (found.kind !== "pending") return refuseCode(visit, found.kind);
  const refusal = refuseRole(visit, found.asks);
  if (refusal !== null) return refusal;
  const action = form.get("action");
  if (action === "deny") return deny(visit, found.code);
  if (action !== "approve") return showDecision(visit, found, typed);
  if (found.asks === "login") return admitLogin(visit, found.code);
  return approve(visit, found, { typed, account: form.get("account") });
}

function notForm(why: string): Fault {
  return new Fault("unsupported_content_type", `The body must be a form (x-www-form-urlencoded): ${why}.`);
}

async function findVisit(
  ports: DevicePorts,
  rules: SignInRules,
  asked: OperatorRequest,
): Promise<DeviceVisit | null> {
  const { operator, people } = ports;
  const { request } = asked;
  const secret = ports.operator.cookies.readSession(request);
  const session = secret === null ? null : await findOperatorSession(operator, secret);
  const access = session?.access;
  if (access === undefined || access.memberId === null) return null;
  const recording = people.recordAs(readAct(operator, asked, access));
  const parts = { ...operator.world, log: people.log, ...recording };
  const formTo = ["'self'", new URL(rules.publicUrl).origin, new URL(rules.issuer).origin];
  return { ports, parts, rules, access, memberId: access.memberId, formTo: [...new Set(formTo)] };
}

/** Only to the sign-in's own start: the code comes back with the person, and is typed all the same. */
function redirectToStart(status: 302 | 303, { publicUrl }: SignInRules, code: string | null): Response {
  const query = code !== null && /^[A-Za-z-]{1,20}$/.test(code) ? `?user_code=${code}` : "";
  const location = `${publicUrl}/auth/oidc/start?return_to=${encodeURIComponent(`${PATH}${query}`)}`;
  const headers = { location, "cache-control": "no-store", "referrer-policy": "no-referrer" };
  return new Response(null, { status, headers });
}

/** A command line needs no key: it does what the person may do, which the admin routes check. */
function refuseRole({ access }: DeviceVisit, asks: CodeKind): Response | null {
  if (asks === "login" || access.may("own.keys.write")) return null;
  const message = `Your role here is '${access.role ?? "none"}', which has no keys of its own, so no agent can work in your name. An administrator can give you the role of a member.`;
  return createOutcomePage(403, "Your role has no keys", message);
}

function refuseCode(visit: DeviceVisit, kind: "wrong" | "too_many"): Response {
  if (kind === "wrong") {
    const mistake = "No agent waits with this code. It may be mistyped, used, or older than ten minutes.";
    return createCodePage({ ...visit, status: 400, mistake });
  }
  const page = createOutcomePage(
    429,
    "Too many wrong codes",
    "You typed too many wrong codes. Wait ten minutes, and begin again from your agent.",
  );
  page.headers.set("retry-after", "600");
  return page;
}

interface PendingCode {
  readonly code: DeviceCode;
  readonly asks: CodeKind;
}

async function showDecision(
  visit: DeviceVisit,
  { code, asks }: PendingCode,
  typed: string | null,
  wrong: { readonly status?: number; readonly mistake?: string } = {},
): Promise<Response> {
  const { formTo, access } = visit;
  const person = access.actor.name;
  if (asks === "login") {
    return createLoginPage({ formTo, code, typed, person, role: access.role ?? "none", ...wrong });
  }
  const accounts = await listKeyAccounts(visit.parts, visit.access);
  const isWhole = accounts.length < ACCOUNTS_SHOWN_MAX;
  return createDecisionPage({ formTo, code, typed, person, accounts: isWhole ? accounts : null, ...wrong });
}

async function deny({ parts, memberId }: DeviceVisit, code: DeviceCode): Promise<Response> {
  if (!(await denyCode(parts, memberId, code))) return tellEnded();
  return createOutcomePage(200, "Denied", `${code.agent} was not signed in. You can close this page.`);
}

async function admitLogin({ parts, memberId, access }: DeviceVisit, code: DeviceCode): Promise<Response> {
  if (!(await approveLogin(parts, memberId, code))) return tellEnded();
  const message = `The command line acts with your rights now (${access.role ?? "none"}), for 12 hours at most. \`poundkey logout\` ends it. You can close this page.`;
  return createOutcomePage(200, "Approved", message);
}

function tellEnded(): Response {
  const message = "The code has expired, or somebody has decided on it meanwhile.";
  return createOutcomePage(400, "Nothing was changed", message);
}

async function approve(
  visit: DeviceVisit,
  pending: PendingCode,
  { typed, account: given }: { readonly typed: string; readonly account: string | null },
): Promise<Response> {
  const { parts, access, memberId, ports } = visit;
  const { code } = pending;
  const account = await chooseAccount(visit, given);
  if (account === null) {
    const mistake = "Choose the account that pays.";
    return showDecision(visit, pending, typed, { status: 400, mistake });
  }
  const { ownerLimits: limitRules, quota, signIn } = ports.settings();
  const keysPerHour = signIn?.members.keysPerHour ?? null;
  const approver = { access, limitRules, quota, keysPerHour, memberId };
  try {
    if (!(await approveCode(parts, approver, code, account))) return tellEnded();
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "too_many_changes") throw error;
    return showDecision(visit, pending, typed, { status: 429, mistake: error.message });
  }
  const message = `${code.agent} works in your name now, and ${account.name} pays. You can close this page.`;
  return createOutcomePage(200, "Approved", message);
}

/** Null if none was chosen, or one in which the person may have no key. */
async function chooseAccount({ parts, access }: DeviceVisit, given: string | null): Promise<Account | null> {
  if (given === null || given === "") {
    const [only, ...others] = await listKeyAccounts(parts, access);
    return others.length === 0 ? (only ?? null) : null;
  }
  return access.may("own.keys.write", given) ? parts.store.account(given) : null;
}
