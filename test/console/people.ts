// A console whose visitors are people with roles, as if they had signed in with the company's provider.
import { join } from "node:path";
import type { BrowserContextOptions } from "playwright-core";
import { beginSession } from "../../src/admin/people/session.ts";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import type { Grant, Member } from "../../src/core/people/people.ts";
import type { Setup } from "../harness/harness.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { makeMember, PEOPLE } from "../people/samples.ts";
import { type ConsoleWorld, openWith, startConsoleWorld, type Visitor } from "./visitor.ts";

/** The width of a phone on which every page has to be usable. */
export const PHONE = { viewport: { width: 390, height: 844 } } as const;

export interface PeopleWorld extends ConsoleWorld {
  readonly opened: OpenedStore;
  /** Adds a person, with these grants from rules. Returns the person's id. */
  add(name: string, ruleGrants: readonly Grant[], fields?: Partial<Member>): Promise<string>;
  /** Opens a page of the console as a person. */
  openAs(memberId: string, path?: string, look?: BrowserContextOptions): Promise<Visitor>;
}

export async function startPeopleWorld(setup: Setup = {}): Promise<PeopleWorld> {
  const world = await startConsoleWorld({ ...setup, ...PEOPLE, more: `${PEOPLE.more}\n${setup.more ?? ""}` });
  const opened = await openStore(`sqlite:${join(world.gateway.directory, "poundkey.db")}`, undefined);
  return {
    ...world,
    opened,
    async add(name, ruleGrants, fields = {}) {
      const id = `mem_${name.toLowerCase()}`;
      const member = makeMember(id, {
        name,
        email: `${name.toLowerCase()}@example.com`,
        ruleGrants,
        ...fields,
      });
      await unrecorded(opened.store).changeMember(id, () => member);
      return id;
    },
    async openAs(memberId, path = "/", look = {}) {
      const owner = { tokenDigest: "", tokenId: null, memberId, issuerSession: null };
      const session = await beginSession(opened.world, owner);
      return openWith(world, session, path, look);
    },
    async stop() {
      await opened.store.close();
      await world.stop();
    },
  };
}
