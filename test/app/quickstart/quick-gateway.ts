// A quick start within this process, and links to its console.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeLink } from "../../../src/admin/people/console-link.ts";
import { ensureAdminToken } from "../../../src/admin/people/token.ts";
import { startGateway } from "../../../src/app/composition.ts";
import { type OpenedStore, openStore } from "../../../src/app/start/open-store.ts";
import { readSettings } from "../../harness/settings.ts";

export interface QuickGateway {
  readonly url: string;
  readonly opened: OpenedStore;
  /** The one that its first start made. */
  readonly adminToken: string;
  /** Returns the secret of a new link. */
  link(): Promise<string>;
  stop(): Promise<void>;
}

/** `yaml` has more settings. */
export async function startQuick(yaml = "{}", isQuickstart = true): Promise<QuickGateway> {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-quick-"));
  const settings = readSettings(yaml);
  const opened = await openStore(`sqlite:${join(folder, "poundkey.db")}`, undefined);
  const adminToken = (await ensureAdminToken(opened.world, null)) ?? "";
  const running = await startGateway({
    settings: { ...settings, server: { ...settings.server, port: 0 } },
    opened,
    log: () => {},
    configSchema: () => ({}),
    reusePort: false,
    noticeMs: 0,
    isQuickstart,
  });
  return {
    url: `http://127.0.0.1:${running.port}`,
    opened,
    adminToken,
    link: () => makeLink(opened.world),
    async stop() {
      await running.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
