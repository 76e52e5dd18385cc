// The console's pages, each with the permission that it needs, and the navigation among those that one may see.
import type { ComponentType, VNode } from "preact";
import { PLAIN_THINGS } from "../../core/things/plain-things.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Empty } from "../parts/states.tsx";
import type { Query } from "./api.ts";
import { lazy } from "./lazy.tsx";
import { useOpenCount } from "./open-requests.ts";
import { makeHref, route } from "./route.ts";
import { keepScope } from "./scope.ts";
import { isMemberOnly, may, type SessionPermission } from "./session.ts";

/** In the order of the navigation. */
const GROUPS = ["Observe", "Build", "Access", "Money", "Gateway"] as const;

interface Page {
  readonly path: string;
  readonly label: string;
  /** The label for people who have nothing here but keys of their own. */
  readonly memberLabel?: string;
  readonly icon: IconName;
  readonly Page: ComponentType;
  /** The page is shown to those who have it in some account. */
  readonly needs: SessionPermission;
  readonly group: (typeof GROUPS)[number];
  /** The page of people who have nothing here but keys of their own. */
  readonly MemberPage?: ComponentType;
  /** Counts what waits there for the one who is signed in. */
  readonly useCount?: () => number;
  /** Shows one item, whose id is the rest of the path. */
  readonly Detail?: ComponentType<{ readonly id: string }>;
}

const PAGES: readonly Page[] = [
  {
    path: "/",
    label: "Overview",
    memberLabel: "Home",
    icon: "overview",
    Page: lazy(async () => (await import("../log/overview.tsx")).OverviewPage),
    MemberPage: lazy(async () => (await import("../people/home.tsx")).HomePage),
    group: "Observe",
    needs: "usage.read",
  },
  {
    path: "/activity",
    label: "Activity",
    icon: "activity",
    Page: lazy(async () => (await import("../log/activity.tsx")).ActivityPage),
    Detail: lazy(async () => (await import("../log/request.tsx")).RequestPage),
    group: "Observe",
    needs: "requests.read",
  },
  {
    path: "/settings/audit",
    label: "Audit",
    icon: "audit",
    Page: lazy(async () => (await import("../audit/audit.tsx")).AuditPage),
    group: "Observe",
    needs: "audit.read",
  },
  {
    path: "/playground",
    label: "Playground",
    icon: "playground",
    Page: lazy(async () => (await import("../models/playground.tsx")).PlaygroundPage),
    group: "Build",
    needs: "playground.own",
  },
  {
    path: "/models",
    label: "Models",
    icon: "models",
    Page: lazy(async () => (await import("../models/models.tsx")).ModelsPage),
    Detail: lazy(async () => (await import("../models/model.tsx")).ModelPage),
    group: "Build",
    needs: "models.read",
  },
  {
    path: "/tools",
    label: "Tools",
    icon: "tools",
    Page: lazy(async () => (await import("../tools/tools.tsx")).ToolsPage),
    Detail: lazy(async () => (await import("../tools/tool.tsx")).ToolPage),
    group: "Build",
    needs: "tools.read",
  },
  {
    path: "/sampling",
    label: "Sampling",
    icon: "check",
    Page: lazy(async () => (await import("../models/sampling.tsx")).SamplingPage),
    group: "Build",
    needs: "learning.write",
  },
  {
    path: "/batches",
    label: "Batches",
    icon: "send",
    Page: lazy(async () => (await import("../models/batches.tsx")).BatchesPage),
    Detail: lazy(async () => (await import("../models/batch.tsx")).BatchPage),
    group: "Build",
    needs: "batches.read",
  },
  {
    path: "/settings/router",
    label: "Keys",
    icon: "key",
    Page: lazy(async () => (await import("../keys/keys.tsx")).KeysPage),
    Detail: lazy(async () => (await import("../keys/key.tsx")).KeyPage),
    group: "Access",
    needs: "keys.read",
  },
  {
    path: "/settings/people",
    label: "People",
    icon: "people",
    Page: lazy(async () => (await import("../people/people.tsx")).PeoplePage),
    Detail: lazy(async () => (await import("../people/person.tsx")).PersonPage),
    group: "Access",
    needs: "members.read",
  },
  {
    path: "/settings/directory",
    label: "Directory",
    icon: "directory",
    Page: lazy(async () => (await import("../people/directory.tsx")).DirectoryPage),
    group: "Access",
    needs: "directory.read",
  },
  {
    path: "/settings/requests",
    label: "Requests for more",
    memberLabel: "Ask for more",
    icon: "up",
    Page: lazy(async () => (await import("../limits/limit-requests.tsx")).LimitRequestsPage),
    useCount: useOpenCount,
    group: "Access",
    needs: "limit_requests.read",
  },
  {
    path: "/settings/tokens",
    label: "Tokens",
    icon: "lock",
    Page: lazy(async () => (await import("../people/tokens.tsx")).TokensPage),
    group: "Access",
    needs: "tokens.write",
  },
  {
    path: "/settings/accounts",
    label: "Accounts",
    icon: "account",
    Page: lazy(async () => (await import("../money/accounts.tsx")).AccountsPage),
    Detail: lazy(async () => (await import("../money/account.tsx")).AccountPage),
    group: "Money",
    needs: "accounts.read",
  },
  {
    path: "/settings/statements",
    label: "Statements",
    icon: "invoice",
    Page: lazy(async () => (await import("../money/months.tsx")).MonthsPage),
    group: "Money",
    needs: "journal.read",
  },
  {
    path: "/settings/reconciliation",
    label: "Reconciliation",
    icon: "scales",
    Page: lazy(async () => (await import("../money/reconciliation.tsx")).ReconciliationPage),
    group: "Money",
    needs: "reconciliation.read",
  },
  {
    path: "/settings/providers",
    label: "Providers",
    icon: "provider",
    Page: lazy(async () => (await import("../models/providers.tsx")).ProvidersPage),
    Detail: lazy(async () => (await import("../models/provider.tsx")).ProviderPage),
    group: "Gateway",
    needs: "settings.read",
  },
  {
    path: "/settings/limits",
    label: "Limits",
    icon: "limits",
    Page: lazy(async () => (await import("../limits/limits.tsx")).LimitsPage),
    group: "Gateway",
    needs: "settings.read",
  },
  {
    path: "/settings/guard",
    label: "Guard",
    icon: "shield",
    Page: lazy(async () => (await import("../guard/guard.tsx")).GuardPage),
    group: "Gateway",
    needs: "settings.read",
  },
  {
    path: "/settings/webhooks",
    label: "Webhooks",
    icon: "send",
    Page: lazy(async () => (await import("../events/webhooks.tsx")).WebhooksPage),
    group: "Gateway",
    needs: "webhooks.read",
  },
  ...PLAIN_THINGS.map(
    (thing): Page => ({
      path: `/settings/${thing.plural}`,
      label: thing.tag,
      icon: "check",
      Page: lazy(async () => (await import("../things/plain.tsx")).makePlainPage(thing)),
      needs: thing.sees,
      group: "Gateway",
    }),
  ),
];

/** The page's name for the one who is signed in. */
export function getLabel({ label, memberLabel = label }: Pick<Page, "label" | "memberLabel">): string {
  return isMemberOnly() ? memberLabel : label;
}

/** The pages that one may see, as the search names them. */
export function listPages() {
  const shown = PAGES.filter(({ needs }) => may(needs));
  return shown.map((page) => ({ kind: "page", name: getLabel(page), path: page.path }));
}

/** The page at a path, and how it is drawn. Null if there is none. */
export function findPage(path: string): { readonly page: Page; readonly draw: () => VNode } | null {
  const cut = path.lastIndexOf("/");
  const exact = PAGES.find((page) => page.path === path);
  const parent = PAGES.find((page) => page.path === path.slice(0, cut) && page.Detail);
  const page = exact ?? parent;
  if (!page) return null;
  if (!may(page.needs)) return { page, draw: () => <NotYours page={page} /> };
  if (exact) {
    const Own = (isMemberOnly() ? exact.MemberPage : undefined) ?? exact.Page;
    return { page, draw: () => <Own /> };
  }
  const Detail = page.Detail ?? NotYours;
  return { page, draw: () => <Detail page={page} id={decodeURIComponent(path.slice(cut + 1))} /> };
}

function NotYours({ page }: { readonly page: Page }) {
  return (
    <Empty icon="key" title={`${getLabel(page)} isn't for your role`}>
      It needs the permission {page.needs}, which an administrator can give.
    </Empty>
  );
}

function hasScope(path: string): boolean {
  return path === "/" || path === "/activity";
}

export function Nav({ path }: { readonly path: string }) {
  const shown = PAGES.filter(({ needs }) => may(needs));
  const isHere = (page: Page) =>
    path === page.path || (page.path !== "/" && path.startsWith(`${page.path}/`));
  // The pages that show the log show the same part of it.
  const kept = hasScope(path) ? keepScope(route.value.query) : {};
  return (
    <nav class="nav" aria-label="Pages">
      {GROUPS.map((group) => {
        const pages = shown.filter((page) => page.group === group);
        return (
          pages.length > 0 && (
            <section key={group} aria-label={group}>
              <div class="nav-title" aria-hidden="true">
                {group}
              </div>
              {pages.map((page) => (
                <PageLink
                  key={page.path}
                  page={page}
                  isHere={isHere(page)}
                  query={hasScope(page.path) ? kept : {}}
                />
              ))}
            </section>
          )
        );
      })}
    </nav>
  );
}

interface PageLinkProps {
  readonly page: Page;
  readonly isHere: boolean;
  readonly query: Query;
}

function PageLink({ page, isHere, query }: PageLinkProps) {
  const count = page.useCount?.() ?? 0;
  return (
    <a href={makeHref(page.path, query)} aria-current={isHere ? "page" : undefined}>
      <Icon name={page.icon} />
      {getLabel(page)}
      {count > 0 && (
        <span class="nav-count">
          {count}
          <span class="hidden-text"> waiting</span>
        </span>
      )}
    </a>
  );
}
