// The sample's Caddy as a process before a gateway of a test, without its certificate.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTool } from "../harness/tools.ts";
import { findFreePort } from "../whole/network/shared-front.ts";
import { until } from "../whole/world/until.ts";
import { DEPLOY } from "./files.ts";

/** Null where it isn't installed. */
export const CADDY = findTool("caddy");

export async function startCaddy(gateway: string) {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-caddy-"));
  const url = `http://127.0.0.1:${findFreePort()}`;
  const sample = readFileSync(join(DEPLOY, "proxy", "Caddyfile"), "utf8")
    .replace("llm.example.com {", `${url} {`)
    .replace("127.0.0.1:8080", new URL(gateway).host);
  const config = join(folder, "Caddyfile");
  writeFileSync(config, `{\n\tadmin off\n}\n${sample}`);
  const caddy = Bun.spawn([CADDY ?? "", "run", "--config", config, "--adapter", "caddyfile"], {
    env: { HOME: folder },
    stdout: "ignore",
    stderr: "ignore",
  });
  await until("Caddy", async () => (await fetch(`${url}/healthz`).catch(() => null))?.ok === true);
  return {
    url,
    async stop() {
      caddy.kill();
      await caddy.exited;
      rmSync(folder, { recursive: true });
    },
  };
}
