// The parts of the company's directory: its use-cases, what is seen of it, and the review of its people.
import type { DirectoryParts } from "../../admin/people/directory.ts";
import { DirectoryReview } from "../../admin/people/directory-review.ts";
import { DirectorySeen } from "../../admin/people/directory-seen.ts";
import type { Log } from "../../core/world/world.ts";
import type { LiveConfiguration } from "../start/live-configuration.ts";
import type { OpenedStore } from "../start/open-store.ts";
import { clock } from "../world.ts";

export interface Directory {
  readonly parts: DirectoryParts;
  readonly seen: DirectorySeen;
  share(): Promise<void>;
  review(): Promise<void>;
}

export function createDirectory({ world, store }: OpenedStore, live: LiveConfiguration, log: Log): Directory {
  const parts = { ...world, log, rules: () => live.settings.signIn };
  const seen = new DirectorySeen({ store, clock, log });
  const review = new DirectoryReview(parts);
  return { parts, seen, share: () => seen.share(), review: () => review.tick() };
}
