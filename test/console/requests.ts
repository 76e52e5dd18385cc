// Counts what a page of the console asks the gateway for.
import type { Page, Request } from "playwright-core";
import { until } from "../whole/world/until.ts";

const ADMIN = "/admin/v1";
/** Its answer lasts as long as the page. */
const LIVE = `${ADMIN}/requests/live`;

/** For a page on a busy machine. */
const SETTLED_MS = 40_000;

export interface Count {
  /** The paths that were asked for more than once, with how often. */
  readonly repeated: readonly string[];
  readonly paths: readonly string[];
}

/** Counts what the browser asks for from now on. The function that is returned waits until nothing is on its way. */
export function countRequests(page: Page): () => Promise<Count> {
  const paths: string[] = [];
  const pending = new Set<Request>();
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (!pathname.startsWith(ADMIN) || pathname === LIVE) return;
    paths.push(`${request.method()} ${pathname.slice(ADMIN.length)}${search}`);
    pending.add(request);
  });
  page.on("requestfinished", (request) => void pending.delete(request));
  page.on("requestfailed", (request) => void pending.delete(request));
  return async () => {
    await until(
      "the page has all that it asks for",
      async () => {
        // A row that an answer has brought asks for its own only once it is drawn.
        await page.evaluate(
          () =>
            new Promise((drawn) =>
              requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn))),
            ),
        );
        return pending.size === 0;
      },
      SETTLED_MS,
    );
    const counts = Object.entries(Object.groupBy(paths, (path) => path));
    const repeated = counts.flatMap(([path, all = []]) =>
      all.length > 1 ? [`${path} × ${all.length}`] : [],
    );
    return { repeated, paths };
  };
}
