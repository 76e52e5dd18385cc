// Sign-ins of the command line (`poundkey login --admin`): a session of the person that a bearer proves instead of a cookie.
import type { CodeStep, DeviceCode } from "../core/people/device.ts";
import type { Act, Session } from "../core/people/people.ts";
import { digestLogin, mintId, mintLoginSecret } from "../keys/secret.ts";
import { digestDeviceCode, type GrantError, stepWait } from "./devices.ts";
import { PERSON_SESSION_MS, type SignInParts } from "./sign-in.ts";
import { isLetIn } from "./state.ts";

/** The text by which a person knows it among their sessions. */
const AGENT = "poundkey login --admin";
/** Nothing is added to a device's list. */
const DEVICES_KEPT = 1;

interface LoginSecret {
  readonly secret: string;
  readonly untilMs: number;
}

type LoginGrant = { readonly login: LoginSecret } | { readonly error: GrantError };

/** Answers a command line that asks whether its code was approved. */
export async function pollLogin(
  parts: SignInParts,
  deviceCode: string,
  from: Omit<Act, "actor">,
): Promise<LoginGrant> {
  const { store, clock, pepper, random } = parts;
  const nowMs = clock.nowMs();
  const id = mintId("dev", random);
  const { memberId, error } = await store.devices.stepCode(
    "device",
    digestDeviceCode(deviceCode, pepper),
    (before) => stepLogin(before, id, nowMs),
    DEVICES_KEPT,
  );
  return memberId === null ? { error } : startLogin(parts, memberId, from);
}

function stepLogin(
  before: DeviceCode | null,
  id: string,
  nowMs: number,
): CodeStep & { readonly memberId: string | null; readonly error: GrantError } {
  const refuse = (error: GrantError) => ({ code: null, memberId: null, error });
  // The transaction may run again after it was committed.
  if (before?.deviceId === id) return { code: null, memberId: before.memberId, error: "gone" };
  if (before === null || before.expiresAtMs <= nowMs || before.state === "used")
    return refuse("expired_token");
  if (before.state === "denied") return refuse("access_denied");
  // A node that knows no logins never finds their codes; one with a key would have been approved as an agent's.
  const { memberId, keyId } = before;
  if (before.state === "approved" && memberId !== null && keyId === null) {
    return { code: { ...before, state: "used", deviceId: id }, memberId, error: "gone" };
  }
  return { ...stepWait(before, nowMs), memberId: null };
}

async function startLogin(
  { store, clock, pepper, random, log, recordAs }: SignInParts,
  memberId: string,
  from: Omit<Act, "actor">,
): Promise<LoginGrant> {
  const secret = mintLoginSecret(random);
  const nowMs = clock.nowMs();
  const session: Session = {
    digest: digestLogin(secret, pepper),
    tokenDigest: "",
    expiresAtMs: nowMs + PERSON_SESSION_MS,
    tokenId: null,
    memberId,
    issuerSession: null,
    address: from.address,
    agent: AGENT,
  };
  await store.people.addSession(session, nowMs);
  // The person may have been let go between the approval and now.
  const member = await store.people.member(memberId);
  if (member === null || !isLetIn(member)) {
    await store.people.endSession(session.digest);
    return { error: "gone" };
  }
  log({ event: "session.started", member_id: memberId, agent: AGENT });
  const { note } = recordAs({ ...from, actor: { kind: "person", id: memberId, name: member.name } });
  const after = { agent: AGENT };
  await note({ action: "session.started", target: { type: "session", id: "", name: "" }, after });
  return { login: { secret, untilMs: session.expiresAtMs } };
}
