// The console's pages, each with the permission that it needs, and the navigation among those that one may see.
import type { ComponentType, VNode } from "preact";
import { PLAIN_THINGS } from "../../core/things/plain-things.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Empty } from "../parts/states.tsx";
import { lazy } from "./lazy.tsx";
import { makeHref, route } from "./route.ts";
import { keepScope } from "./scope.ts";
import { isMemberOnly, may, type Permission } from "./session.ts";

interface Page {
  readonly path: string;
  readonly label: string;
  /** The label for people who have nothing here but keys of their own. */
  readonly memberLabel?: string;
  readonly icon: IconName;
  readonly Page: ComponentType;
  /** The page is shown to those who have it in some account. */
  readonly needs: Permission;
  readonly isSetting?: boolean;
  /** Shows one item, whose id is the rest of the path. */
  readonly Detail?: ComponentType<{ readonly id: string }>;
}

const PAGES: readonly Page[] = [
  {
    path: "/",
    label: "Overview",
    icon: "overview",
    Page: lazy(async () => (await import("../log/overview.tsx")).OverviewPage),
    needs: "usage.read",
  },
  {
    path: "/activity",
    label: "Activity",
    icon: "activity",
    Page: lazy(async () => (await import("../log/activity.tsx")).ActivityPage),
    Detail: lazy(async () => (await import("../log/request.tsx")).RequestPage),
    needs: "requests.read",
  },
  {
    path: "/batches",
    label: "Batches",
    icon: "send",
    Page: lazy(async () => (await import("../models/batches.tsx")).BatchesPage),
    needs: "batches.read",
  },
  {
    path: "/models",
    label: "Models",
    icon: "models",
    Page: lazy(async () => (await import("../models/models.tsx")).ModelsPage),
    Detail: lazy(async () => (await import("../models/model.tsx")).ModelPage),
    needs: "models.read",
  },
  {
    path: "/tools",
    label: "Tools",
    icon: "tools",
    Page: lazy(async () => (await import("../tools/tools.tsx")).ToolsPage),
    Detail: lazy(async () => (await import("../tools/tool.tsx")).ToolPage),
    needs: "tools.read",
  },
  {
    path: "/playground",
    label: "Playground",
    icon: "playground",
    Page: lazy(async () => (await import("../models/playground.tsx")).PlaygroundPage),
    needs: "playground.use",
  },
  {
    path: "/sampling",
    label: "Sampling",
    icon: "check",
    Page: lazy(async () => (await import("../models/sampling.tsx")).SamplingPage),
    needs: "learning.write",
  },
  {
    path: "/settings/router",
    label: "Router · keys",
    memberLabel: "Keys",
    icon: "key",
    Page: lazy(async () => (await import("../keys/keys.tsx")).KeysPage),
    Detail: lazy(async () => (await import("../keys/key.tsx")).KeyPage),
    needs: "keys.read",
    isSetting: true,
  },
  {
    path: "/settings/providers",
    label: "Providers",
    icon: "provider",
    Page: lazy(async () => (await import("../models/providers.tsx")).ProvidersPage),
    Detail: lazy(async () => (await import("../models/provider.tsx")).ProviderPage),
    needs: "settings.read",
    isSetting: true,
  },
  {
    path: "/settings/accounts",
    label: "Accounts",
    icon: "account",
    Page: lazy(async () => (await import("../money/accounts.tsx")).AccountsPage),
    Detail: lazy(async () => (await import("../money/account.tsx")).AccountPage),
    needs: "accounts.read",
    isSetting: true,
  },
  {
    path: "/settings/reconciliation",
    label: "Reconciliation",
    icon: "invoice",
    Page: lazy(async () => (await import("../money/reconciliation.tsx")).ReconciliationPage),
    needs: "reconciliation.read",
    isSetting: true,
  },
  {
    path: "/settings/people",
    label: "People",
    icon: "people",
    Page: lazy(async () => (await import("../people/people.tsx")).PeoplePage),
    Detail: lazy(async () => (await import("../people/person.tsx")).PersonPage),
    needs: "members.read",
    isSetting: true,
  },
  {
    path: "/settings/directory",
    label: "Directory",
    icon: "people",
    Page: lazy(async () => (await import("../people/directory.tsx")).DirectoryPage),
    needs: "directory.read",
    isSetting: true,
  },
  {
    path: "/settings/requests",
    label: "Requests for more",
    memberLabel: "Ask for more",
    icon: "up",
    Page: lazy(async () => (await import("../limits/limit-requests.tsx")).LimitRequestsPage),
    needs: "limit_requests.read",
    isSetting: true,
  },
  {
    path: "/settings/tokens",
    label: "Tokens",
    icon: "lock",
    Page: lazy(async () => (await import("../people/tokens.tsx")).TokensPage),
    needs: "tokens.write",
    isSetting: true,
  },
  {
    path: "/settings/limits",
    label: "Limits",
    icon: "limits",
    Page: lazy(async () => (await import("../limits/limits.tsx")).LimitsPage),
    needs: "settings.read",
    isSetting: true,
  },
  {
    path: "/settings/webhooks",
    label: "Webhooks",
    icon: "send",
    Page: lazy(async () => (await import("../events/webhooks.tsx")).WebhooksPage),
    needs: "webhooks.read",
    isSetting: true,
  },
  {
    path: "/settings/audit",
    label: "Audit",
    icon: "audit",
    Page: lazy(async () => (await import("../audit/audit.tsx")).AuditPage),
    needs: "audit.read",
    isSetting: true,
  },
  ...PLAIN_THINGS.map(
    (thing): Page => ({
      path: `/settings/${thing.plural}`,
      label: thing.tag,
      icon: "check",
      Page: lazy(async () => (await import("../things/plain.tsx")).makePlainPage(thing)),
      needs: thing.sees,
      isSetting: true,
    }),
  ),
];

/** The page's name for the one who is signed in. */
export function getLabel({ label, memberLabel = label }: Pick<Page, "label" | "memberLabel">): string {
  return isMemberOnly() ? memberLabel : label;
}

/** The page at a path, and how it is drawn. Null if there is none. */
export function findPage(path: string): { readonly page: Page; readonly draw: () => VNode } | null {
  const cut = path.lastIndexOf("/");
  const exact = PAGES.find((page) => page.path === path);
  const parent = PAGES.find((page) => page.path === path.slice(0, cut) && page.Detail);
  const page = exact ?? parent;
  if (!page) return null;
  if (!may(page.needs)) return { page, draw: () => <NotYours page={page} /> };
  if (exact) return { page, draw: () => <exact.Page /> };
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
  const link = (page: Page) => (
    <a
      key={page.path}
      href={makeHref(page.path, hasScope(page.path) ? kept : {})}
      aria-current={isHere(page) ? "page" : undefined}
    >
      <Icon name={page.icon} />
      {getLabel(page)}
    </a>
  );
  const settings = shown.filter((page) => page.isSetting);
  return (
    <nav class="nav" aria-label="Pages">
      {shown.filter((page) => !page.isSetting).map(link)}
      {settings.length > 0 && <div class="nav-title">Settings</div>}
      {settings.map(link)}
    </nav>
  );
}
