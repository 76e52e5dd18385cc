// The start of a quick start: its key, the file that says where it runs, and the text that it prints.
import { endLink, makeLink } from "../../admin/people/console-link.ts";
import type { Settings } from "../../core/settings.ts";
import type { OpenedStore } from "../start/open-store.ts";
import { writeGreeting } from "./greeting.ts";
import { ensureQuickstartSecret } from "./key.ts";
import { mayHaveLink } from "./link-rules.ts";
import { keepRunning } from "./running.ts";

interface QuickStartParts {
  readonly address: string;
  readonly opened: OpenedStore;
  readonly settings: Settings;
  /** The admin token, if this start made it. */
  readonly made: string | null;
}

/** Returns the text for people. */
export async function announceQuickstart({
  address,
  opened,
  settings,
  made,
}: QuickStartParts): Promise<string> {
  const secret = await ensureQuickstartSecret(opened, settings.store);
  const link = await replaceLink(opened, settings);
  const other = keepRunning(settings.store, makeReachable(address));
  const greeting = writeGreeting({ address, secret, link, made, settings });
  return other === null
    ? greeting
    : `poundkey: a quick start at ${other} uses the same store; its console's link has ended\n${greeting}`;
}

/** Returns the secret of a new link. Null where there may be none; the link of an earlier start then ends too. */
async function replaceLink({ world }: OpenedStore, settings: Settings): Promise<string | null> {
  if (mayHaveLink(settings)) return makeLink(world);
  await endLink(world);
  return null;
}

/** A gateway that listens on all addresses is reached from its own machine by the loopback's. */
function makeReachable(address: string): string {
  return address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}
