// The contenders beside the floor: nginx if it is installed, and with `--peers` Portkey's gateway.
import { join } from "node:path";
import { freePort, run, type Started, start } from "../processes.ts";

/** The latest version at the time of writing. */
const PORTKEY = "1.15.2";
/** Its streams fail with newer versions: github.com/Portkey-AI/gateway/issues/1389. */
const NODE_SERVER = "1.14.1";

export interface Peer {
  readonly name: string;
  readonly started: Started;
  readonly version: string;
}

/** Installs it into the directory, outside any project, and starts it. */
export async function startPortkey(directory: string): Promise<Peer> {
  const folder = join(directory, "portkey");
  const wants = {
    private: true,
    dependencies: { "@portkey-ai/gateway": PORTKEY },
    overrides: { "@hono/node-server": NODE_SERVER },
  };
  await Bun.write(join(folder, "package.json"), JSON.stringify(wants));
  await run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"], folder);
  const program = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
  const port = await freePort();
  const started = await start({
    command: ["node", program, `--port=${port}`, "--headless"],
    directory: folder,
    env: { NODE_ENV: "production" },
    says: /running at:[\s\S]*?http:\/\/localhost:(\d+)/,
  });
  const node = (await run(["node", "--version"], folder)).trim();
  return { name: "Portkey", started, version: `@portkey-ai/gateway ${PORTKEY} on Node ${node}` };
}

const NGINX_SAYS = "listens on http://127.0.0.1";

/** A reverse proxy with one worker and kept-alive connections. Null if nginx isn't installed. */
export async function startNginx(
  directory: string,
  upstream: { readonly port: number; readonly path: string },
): Promise<Peer | null> {
  const program = Bun.which("nginx");
  if (program === null) return null;
  const folder = join(directory, `nginx${upstream.path.replaceAll("/", "-")}`);
  const port = await freePort();
  const config = join(folder, "nginx.conf");
  await Bun.write(config, nginxConfiguration(folder, port, upstream));
  // nginx prints nothing when it listens, so the shell prints first, and connections are tried until one succeeds.
  const script = `echo "${NGINX_SAYS}:${port}"; exec "$0" -p "$1" -c "$2" -e "$1/error.log"`;
  const started = await start({ command: ["sh", "-c", script, program, folder, config], directory: folder });
  await listening(port);
  const shown = Bun.spawnSync([program, "-v"]).stderr.toString();
  return { name: "nginx", started, version: shown.replace("nginx version: ", "").trim() };
}

function nginxConfiguration(
  folder: string,
  port: number,
  upstream: { readonly port: number; readonly path: string },
): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder};`,
  );
  return `daemon off; user root; worker_processes 1; pid ${folder}/nginx.pid; worker_rlimit_nofile 20000;
events { worker_connections 16000; }
http {
  access_log off; ${temporary.join(" ")}
  client_max_body_size 64m; client_body_buffer_size 64m; keepalive_requests 1000000;
  upstream provider { server 127.0.0.1:${upstream.port}; keepalive 256; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://provider${upstream.path};
      proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; proxy_read_timeout 600s;
    }
  }
}
`;
}

async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
      socket.end();
      return;
    } catch {
      await Bun.sleep(10);
    }
  }
  throw new Error(`Nobody listens on port ${port}.`);
}
