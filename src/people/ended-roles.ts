// Takes back the roles that an admin gave until a time, and records the event, once over all nodes.
import type { Member } from "../core/people/people.ts";
import { type EndingParts, makeMemberEvent } from "./ending.ts";
import { listGrants } from "./member.ts";
import { describeStays } from "./stays.ts";

const PEOPLE_AT_ONCE = 50;

export async function endRoles(parts: EndingParts): Promise<void> {
  for (;;) {
    const ended = await parts.store.people.endedRoles(parts.clock.nowMs(), PEOPLE_AT_ONCE);
    for (const member of ended) await endRole(parts, member);
    if (ended.length < PEOPLE_AT_ONCE) return;
  }
}

/** The end has had its effect before: a right that is over isn't counted. */
async function endRole(parts: EndingParts, member: Member): Promise<void> {
  const nowMs = parts.clock.nowMs();
  const { id, ownUntilMs, ownGrants } = member;
  if (ownUntilMs === null) return;
  const [first] = ownGrants;
  const until = new Date(ownUntilMs).toISOString();
  const left = listGrants(member, nowMs).map(({ role, accountId: account }) => ({ role, account }));
  const stays = await describeStays({ ...parts, nowMs }, member);
  const data = { role: first?.role ?? null, until, grants: left, ...stays };
  const events = first === undefined ? [] : [makeMemberEvent(parts, member, "member.role_ended", data)];
  await parts.recordAs(undefined, events).changes.changeMember(id, (before) =>
    // Another node may have been faster, or an admin may have given the role for longer.
    before?.ownUntilMs === ownUntilMs ? { ...before, ownGrants: [], ownUntilMs: null } : null,
  );
}
