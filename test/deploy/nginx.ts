// The sample's nginx as a process before gateways of a test, without its certificate.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTool } from "../harness/tools.ts";
import { findFreePort } from "../whole/network/shared-front.ts";
import { until } from "../whole/world/until.ts";
import { DEPLOY } from "./files.ts";

/** Null where it isn't installed. */
export const NGINX = findTool("nginx");

interface Proxy {
  readonly url: string;
  stop(): Promise<void>;
}

const readSample = (name: string) => readFileSync(join(DEPLOY, "proxy", "nginx", name), "utf8");

/** Each gateway has a line like the sample's own. */
function writeSite(folder: string, gateways: readonly string[], port: number): void {
  writeFileSync(join(folder, "poundkey-proxy.conf"), readSample("poundkey-proxy.conf"));
  const site = readSample("poundkey.conf")
    .replace(/^ *server 127\.0\.0\.1:8080(.*)$/m, (_, rest: string) =>
      gateways.map((url) => `  server ${new URL(url).host}${rest}`).join("\n"),
    )
    .replace("listen 443 ssl", `listen 127.0.0.1:${port}`)
    .replace(/^ *ssl_.*$/gm, "")
    .replace("10.0.0.0/8", "127.0.0.1")
    .replaceAll("/etc/nginx/poundkey-proxy.conf", join(folder, "poundkey-proxy.conf"));
  writeFileSync(join(folder, "poundkey.conf"), site);
}

function writeMain(folder: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const main = `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events { worker_connections 1024; }
http { access_log off; ${temporary.join(" ")} include ${folder}/poundkey.conf; }\n`;
  const path = join(folder, "nginx.conf");
  writeFileSync(path, main);
  return path;
}

export async function startNginx(gateways: readonly string[]): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-nginx-"));
  const port = findFreePort();
  writeSite(folder, gateways, port);
  const command = [NGINX ?? "", "-p", folder, "-c", writeMain(folder)];
  const nginx = Bun.spawn(command, { stdout: "ignore", stderr: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  await until("nginx", async () => (await fetch(`${url}/healthz`).catch(() => null))?.ok === true);
  return {
    url,
    async stop() {
      nginx.kill();
      await nginx.exited;
      rmSync(folder, { recursive: true });
    },
  };
}
