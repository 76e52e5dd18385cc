// Every page of the console, as tests and pictures open it.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The ids of the items that have pages of their own. */
export interface Items {
  readonly request: string;
  /** A request that came on a WebSocket. */
  readonly turn: string;
  readonly account: string;
  readonly key: string;
  readonly person: string;
  readonly batch?: string;
  /** A tool of a tool server. */
  readonly tool?: string;
}

interface View {
  readonly path: string;
  /** Content that appears once the page is loaded, whatever the store holds. */
  readonly shows: string | RegExp;
  /** The item that the page shows, whose id follows the path. The page is left out if there is none. */
  readonly of?: keyof Items;
}

export const VIEWS: readonly View[] = [
  { path: "/", shows: "Time to first token" },
  { path: "/activity", shows: "gpt-5.4" },
  { path: "/activity?show=refused", shows: "invalid_api_key" },
  { path: "/activity", of: "request", shows: "Why this model" },
  { path: "/batches", shows: /No batches yet|lines/ },
  { path: "/batches", of: "batch", shows: "Its requests" },
  { path: "/batches?status=failed", shows: "No matching batches" },
  { path: "/activity", of: "turn", shows: "by WebSocket" },
  { path: "/models", shows: /\d+ of \d+ models/ },
  { path: "/models/OpenAI%23gpt-5.4", shows: "Names and fallbacks" },
  { path: "/tools", shows: /No tool servers|last 30 days/ },
  { path: "/tools", of: "tool", shows: "Who may use it" },
  { path: "/playground", shows: "Answers appear here." },
  { path: "/sampling", shows: "What to sample" },
  { path: "/settings/router", shows: "unlimited" },
  { path: "/settings/router", of: "key", shows: "Used from" },
  { path: "/settings/providers", shows: /^Last 24 hours/ },
  { path: "/settings/providers/OpenAI", shows: "Current state" },
  { path: "/settings/accounts", shows: "default" },
  { path: "/settings/accounts", of: "account", shows: "Balance before" },
  { path: "/settings/statements", shows: "Total" },
  { path: "/settings/reconciliation", shows: "By day, provider and credential" },
  { path: "/settings/reconciliation?range=last-month", shows: "No calls here" },
  { path: "/settings/guard", shows: /No rules yet|Rules/ },
  { path: "/settings/webhooks", shows: /no connection|Nothing waits/ },
  { path: "/settings/webhooks?state=dead", shows: "No matching events" },
  { path: "/settings/people", shows: /Register this gateway there|Role/ },
  { path: "/settings/people", of: "person", shows: "Personal keys" },
  { path: "/settings/directory", shows: /Let your company|The address that the directory gets/ },
  { path: "/settings/requests", shows: /No requests for more|asks/ },
  { path: "/settings/tokens", shows: /No tokens yet|Created/ },
  { path: "/settings/limits", shows: "Free requests per day" },
  { path: "/settings/audit", shows: "topup.made" },
];

export interface OpenedView {
  /** The whole path after the #. */
  readonly path: string;
  readonly shows: string | RegExp;
}

/** Returns the views of which there is an item. */
export function listViews(items: Partial<Items>): readonly OpenedView[] {
  return VIEWS.flatMap((view) => findView(view, items) ?? []);
}

/** Returns a view as it is opened. Null if there is no item for it. */
export function findView({ path, shows, of }: View, items: Partial<Items>): OpenedView | null {
  const id = of && items[of];
  if (of && !id) return null;
  return { path: id ? `${path}/${encodeURIComponent(id)}` : path, shows };
}

/** Returns the views by their names, but for those whose items are left out. */
export function nameViews(leftOut: readonly (keyof Items)[]): readonly (readonly [string, View])[] {
  return VIEWS.filter(({ of }) => !of || !leftOut.includes(of)).map((view) => [
    view.of ? `${view.path}/${view.of}` : view.path,
    view,
  ]);
}

const NAVIGATION = join(import.meta.dir, "..", "..", "src", "console", "frame", "navigation.tsx");

/** Returns the pages in the navigation's table, and those of one item with `/…`, that no view opens. */
export function listUnseenPages(): readonly string[] {
  const rows = readFileSync(NAVIGATION, "utf8").split(/^ {2}\{$/m);
  const pages = rows.flatMap((row) => {
    const path = /^ {4}path: "([^"]+)"/m.exec(row)?.[1];
    if (path === undefined) return [];
    return /^ {4}Detail:/m.test(row) ? [path, `${path}/…`] : [path];
  });
  if (pages.length < 13) throw new Error("The table of pages was not understood.");
  const seen = new Set(
    VIEWS.flatMap(({ path, of }) => {
      const plain = path.replace(/\?.*/, "");
      return of ? [`${plain}/…`] : [plain, `${plain.slice(0, plain.lastIndexOf("/"))}/…`];
    }),
  );
  return pages.filter((page) => !seen.has(page));
}
