// The routes that take most requests, called by Bun's own router past Elysia, whose work for each request costs 3 µs.
import { addHeaders, type HeaderStore } from "./answers.ts";
import type { Peers } from "./client-address.ts";
import type { Connections } from "./client-watch.ts";

type Server = (Connections & Peers) | null;

/** A path at which clients ask, by POST. */
export interface HotRoute {
  /** May have parameters. */
  readonly path: string;
  /** Rejects only with what nobody foresaw. `set` has the headers that every answer carries. */
  readonly answer: (request: Request, server: Server, set: HeaderStore) => Promise<Response>;
}

/** The parts of Elysia's hooks that run for every request. */
interface Around {
  /** Adds to the headers that every answer carries. Returns the answer if there is nothing more to do. */
  readonly receive: (request: Request, set: HeaderStore) => Response | undefined;
  /** Returns the answer to a request whose own code has thrown. */
  readonly fail: (error: unknown, request: Request, set: HeaderStore) => Response | Promise<Response>;
}

type Direct = Readonly<Record<"POST", (request: Request, server: Server) => Promise<Response>>>;

/** Returns the routes without parameters as Bun's own router takes them. Elysia keeps all for its document. */
export function hotRoutes(routes: readonly HotRoute[], { receive, fail }: Around): Record<string, Direct> {
  const answerWith = (answer: HotRoute["answer"]) => async (request: Request, server: Server) => {
    const set: HeaderStore = { headers: {} };
    try {
      const early = receive(request, set);
      return early === undefined ? await answer(request, server, set) : addHeaders(early, set);
    } catch (error) {
      return addHeaders(await fail(error, request, set), set);
    }
  };
  const plain = routes.filter(({ path }) => !/[:*]/.test(path));
  return Object.fromEntries(plain.map(({ path, answer }) => [path, { POST: answerWith(answer) }]));
}
