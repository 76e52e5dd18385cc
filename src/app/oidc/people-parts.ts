// The parts of people that the gateway is composed of.

import { makeRecordAs } from "../../admin/audit/audit-trail.ts";
import { finishClosings } from "../../admin/money/closing.ts";
import { finishErasings } from "../../admin/people/anonymising.ts";
import { RefusedSignIns } from "../../admin/people/refused-sign-ins.ts";
import { WrongTokens } from "../../admin/people/wrong-tokens.ts";
import type { Log } from "../../core/world/world.ts";
import type { LiveConfiguration } from "../start/live-configuration.ts";
import type { OpenedStore } from "../start/open-store.ts";
import { clock, random } from "../world.ts";
import { createDirectory } from "./directory.ts";
import { createRecheck, createSignInParts } from "./sign-in.ts";

/** Returns those for the routes, and those for the tasks that run regularly. */
export function createPeopleParts(opened: OpenedStore, live: LiveConfiguration, log: Log) {
  const { store } = opened;
  const people = createSignInParts(opened, live, log);
  const directory = createDirectory(opened, live, log);
  const refused = new RefusedSignIns({ store, clock, random });
  const { changes } = makeRecordAs(opened.world)();
  const wrongTokens = new WrongTokens({ store, clock, log, refused });
  return {
    served: { people, directory, wrongTokens },
    upkept: {
      refused,
      wrongTokens,
      members: {
        ...createRecheck(people),
        finishClosings: () => finishClosings({ store, clock, changes }),
        finishErasings: () => finishErasings(opened.world),
      },
      directory,
    },
  };
}
