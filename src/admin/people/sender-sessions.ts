// The sender's own sessions of the console: the address and agent that began each, and the end of one.
import { Type } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import type { Session, SessionOwner } from "../../core/people/people.ts";
import type { Access } from "../../people/access.ts";
import { formatInstant } from "../format.ts";
import { allowNull, boolean, instant, text, type View, wrapRows } from "../schema.ts";
import type { AdminWorld } from "../world.ts";
import { SESSION_MS } from "./session.ts";
import { adminTokenDigest } from "./token.ts";

/** Sessions last half a day, so that more aren't somebody's own. */
const LISTED_MAX = 200;
const ID_DIGITS = 24;

export const senderSessionSchema = Type.Object({
  id: text,
  created_at: instant,
  expires_at: instant,
  // Null if an older version began it.
  address: allowNull(text),
  agent: allowNull(text),
  current: boolean,
});
export const senderSessionsSchema = wrapRows(senderSessionSchema);
type SenderSessionView = View<typeof senderSessionSchema>;

interface SessionAsker {
  readonly access: Access;
  /** The session with which is asked. Null for a token. */
  readonly session: Session | null;
}

type SessionWorld = Pick<AdminWorld, "store" | "clock" | "pepper">;

export async function listSenderSessions(
  world: SessionWorld,
  configured: string | null,
  asker: SessionAsker,
) {
  const sessions = await readSessions(world, configured, asker);
  return { data: sessions.map((one) => viewSession(one, asker)), next: null };
}

/** Ends one on every node. Throws the Fault `not_found`. */
export async function endSenderSession(
  world: SessionWorld,
  configured: string | null,
  asker: SessionAsker,
  id: string,
): Promise<SenderSessionView> {
  const sessions = await readSessions(world, configured, asker);
  const session = sessions.find((one) => nameId(one) === id);
  if (session === undefined) throw new Fault("not_found", "You have no session with that id.");
  await world.store.people.endSession(session.digest);
  return viewSession(session, asker);
}

async function readSessions(
  world: SessionWorld,
  configured: string | null,
  { access, session }: SessionAsker,
): Promise<readonly Session[]> {
  const owner = session ?? (await findOwner(world, configured, access));
  return owner === null ? [] : world.store.people.sessionsOf(owner, world.clock.nowMs(), LISTED_MAX);
}

async function findOwner(
  world: SessionWorld,
  configured: string | null,
  { actor, memberId }: Access,
): Promise<SessionOwner | null> {
  if (actor.kind === "token") return { memberId: null, tokenId: actor.id, tokenDigest: "" };
  if (memberId !== null) return { memberId, tokenId: null, tokenDigest: "" };
  const tokenDigest = await adminTokenDigest(world, configured);
  return tokenDigest === null ? null : { memberId: null, tokenId: null, tokenDigest };
}

function viewSession(session: Session, asker: SessionAsker): SenderSessionView {
  const { expiresAtMs, address, agent } = session;
  return {
    id: nameId(session),
    created_at: formatInstant(expiresAtMs - SESSION_MS),
    expires_at: formatInstant(expiresAtMs),
    address,
    agent,
    current: session.digest === asker.session?.digest,
  };
}

/** Tells nothing of the secret, and nothing of its digest either. */
function nameId({ digest }: Session): string {
  return `ses_${new Bun.CryptoHasher("sha256").update(digest).digest("hex").slice(0, ID_DIGITS)}`;
}
