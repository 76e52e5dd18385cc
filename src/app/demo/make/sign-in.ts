// The sign-in of a demo's people, by a company's provider that is simulated as well.
import { makeRecordAs } from "../../../admin/audit/audit-trail.ts";
import type { Settings } from "../../../core/settings.ts";
import type { Random } from "../../../core/world/world.ts";
import { type Issuer, IssuerSilent } from "../../../people/issuer.ts";
import { makeMemberId } from "../../../people/member.ts";
import { completeAttempt, type SignInParts, startAttempt } from "../../../people/sign-in.ts";
import { MAIL } from "../../../simulator/company.ts";
import type { OpenedStore } from "../../start/open-store.ts";

/** Returns the secret of a new session, and the person's id. */
export async function signInPerson(
  opened: OpenedStore,
  { signIn }: Settings,
  person: string,
): Promise<{ readonly secret: string; readonly memberId: string }> {
  if (signIn === undefined) throw new Error("People can't sign in here.");
  const { store, world, credentialVault } = opened;
  const issuer = simulateIssuer(person, world.random);
  const parts: SignInParts = {
    ...world,
    store,
    recordAs: makeRecordAs(world),
    log: () => {},
    vault: credentialVault,
    rules: () => signIn,
    issuer: () => issuer,
  };
  const { state, value } = await startAttempt(parts, signIn, "/");
  const from = { address: "", agent: "", route: "", requestId: "" };
  const { secret } = await completeAttempt(parts, signIn, { query: `?state=${state}`, kept: value, from });
  return { secret, memberId: makeMemberId(signIn.issuer, nameSubject(person), world.pepper) };
}

/** The provider's own id of a person. */
function nameSubject(person: string): string {
  return person
    .normalize("NFD")
    .replace(/[^A-Za-z ]/g, "")
    .toLowerCase()
    .replace(/ /g, ".");
}

const STATE_BYTES = 16;

function simulateIssuer(person: string, random: Random): Issuer {
  const subject = nameSubject(person);
  const email = `${subject}@${MAIL}`;
  const claims = { name: person, email, email_verified: true, groups: ["staff"] };
  const refuse = async (): Promise<never> => {
    throw new IssuerSilent("The simulated provider only lets people in.", false);
  };
  return {
    begin: async () => ({
      attempt: { state: Buffer.from(random.bytes(STATE_BYTES)).toString("hex"), nonce: "", verifier: "" },
      url: "",
    }),
    finish: async () => ({
      refreshToken: null,
      confirm: async () => ({ subject, claims, hasIdToken: true }),
    }),
    refresh: refuse,
    readLogout: refuse,
    offersRefresh: async () => false,
    findSignOut: async () => null,
  };
}
