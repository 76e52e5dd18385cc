// A receiver of webhooks on loopback that answers as a test wants, and remembers what came.
import { Webhook } from "standardwebhooks";

/** 32 bytes. */
export const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

interface Received {
  readonly id: string | null;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Answers from now on. */
  answer: (received: Received) => Response | Promise<Response>;
  /** Refuses connections until `start`. */
  stop(): Promise<void>;
  start(): void;
}

export function startReceiver(): Receiver {
  const received: Received[] = [];
  const serve = (port: number) =>
    Bun.serve({
      hostname: "127.0.0.1",
      port,
      fetch: async (request) => {
        const headers = Object.fromEntries(request.headers);
        const one = { id: headers["webhook-id"] ?? null, text: await request.text(), headers };
        received.push(one);
        return receiver.answer(one);
      },
    });
  let server = serve(0);
  const port = server.port ?? 0;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook?token=hush`,
    received,
    answer: () => new Response(null, { status: 204 }),
    stop: () => server.stop(true),
    start: () => {
      server = serve(port);
    },
  };
  return receiver;
}

/** Returns the body, as a receiver reads it that checks the signature. Throws if it is wrong. */
export function verify({ text, headers }: Received, secret = SECRET): unknown {
  return new Webhook(secret).verify(text, { ...headers });
}
