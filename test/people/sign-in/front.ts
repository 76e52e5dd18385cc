// A reverse proxy on a port that is known before what stands behind it, as a public address is.

export interface Front {
  readonly url: string;
  /** Sends requests there from now on. Null refuses them, as a server that is down. */
  lead(target: string | null): void;
  stop(): Promise<void>;
}

export function startFront(): Front {
  let behind: string | null = null;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (behind === null) return new Response("Bad gateway", { status: 502 });
      const { pathname, search, host } = new URL(request.url);
      const headers = new Headers(request.headers);
      // A server behind a proxy finds the public host in this header only.
      headers.set("host", host);
      return fetch(`${behind}${pathname}${search}`, {
        method: request.method,
        headers,
        redirect: "manual",
        decompress: false,
        ...(request.body === null ? {} : { body: await request.arrayBuffer() }),
      });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    lead(target) {
      behind = target;
    },
    stop: () => server.stop(true),
  };
}
