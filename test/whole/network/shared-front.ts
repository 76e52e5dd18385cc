// A reverse proxy whose address several programs share: nginx if it is installed, or else a small one. The gateway is below a
// path, which is stripped or kept.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../world/until.ts";

const NGINX = Bun.which("nginx");
if (NGINX === null) console.log("no nginx on this machine: a small proxy of the test stands in for it");

export interface SharedFront {
  stop(): Promise<void>;
}

interface Sharing {
  readonly port: number;
  /** The gateway's own address. */
  readonly target: string;
  readonly base: string;
  readonly strips: boolean;
}

/** Returns a port that nothing listens on, since a public address is known before what stands behind it. */
export function findFreePort(): number {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port = 0 } = server;
  server.stop(true);
  return port;
}

export function startSharedFront(sharing: Sharing): Promise<SharedFront> {
  return NGINX === null ? Promise.resolve(startSmall(sharing)) : startNginx(NGINX, sharing);
}

function writeNginx({ port, target, base, strips }: Sharing, folder: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `  ${name}_temp_path ${folder}/${name};`)
    .join("\n");
  return `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 256; }
http {
  access_log off;
${temporary}
  server {
    listen 127.0.0.1:${port};
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header Connection "";
    proxy_buffering off;
    location = ${base} { proxy_pass ${target}${strips ? "/" : ""}; }
    location ${base}/ { proxy_pass ${target}${strips ? "/" : ""}; }
    location /.well-known/ { proxy_pass ${target}; }
    location / { return 404 "another program"; }
  }
}
`;
}

async function startNginx(program: string, sharing: Sharing): Promise<SharedFront> {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-nginx-"));
  const file = join(folder, "nginx.conf");
  writeFileSync(file, writeNginx(sharing, folder));
  const running = Bun.spawn([program, "-p", folder, "-c", file], { stdout: "ignore", stderr: "ignore" });
  await until("nginx", async () => {
    const answer = await fetch(`http://127.0.0.1:${sharing.port}/`).catch(() => null);
    return answer?.status === 404;
  });
  return {
    async stop() {
      running.kill();
      await running.exited;
      rmSync(folder, { recursive: true });
    },
  };
}

function startSmall({ port, target, base, strips }: Sharing): SharedFront {
  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname, search, host } = new URL(request.url);
      const isBelow = pathname === base || pathname.startsWith(`${base}/`);
      if (!isBelow && !pathname.startsWith("/.well-known/"))
        return new Response("another program", { status: 404 });
      const path = isBelow && strips ? pathname.slice(base.length) || "/" : pathname;
      const headers = new Headers(request.headers);
      headers.set("host", host);
      const init = { method: request.method, headers, redirect: "manual", decompress: false } as const;
      return fetch(target + path + search, request.body === null ? init : { ...init, body: request.body });
    },
  });
  return { stop: () => server.stop(true) };
}
