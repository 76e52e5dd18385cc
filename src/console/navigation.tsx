// The console's pages, each with the permission that it needs, and the navigation among those that one may see.
import type { ComponentType, VNode } from "preact";
import { AccountPage } from "./account.tsx";
import { AccountsPage } from "./accounts.tsx";
import { ActivityPage } from "./activity.tsx";
import { AuditPage } from "./audit.tsx";
import { KeyPage } from "./key.tsx";
import { KeysPage } from "./keys.tsx";
import { LimitRequestsPage } from "./limit-requests.tsx";
import { LimitsPage } from "./limits.tsx";
import { ModelsPage } from "./models.tsx";
import { OverviewPage } from "./overview.tsx";
import { Icon, type IconName } from "./parts/icon.tsx";
import { Empty } from "./parts/states.tsx";
import { PeoplePage } from "./people.tsx";
import { PersonPage } from "./person.tsx";
import { PlaygroundPage } from "./playground.tsx";
import { ProvidersPage } from "./providers.tsx";
import { RequestPage } from "./request.tsx";
import { makeHref } from "./route.ts";
import { SamplingPage } from "./sampling.tsx";
import { isMemberOnly, may, type Permission } from "./session.ts";
import { TokensPage } from "./tokens.tsx";

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
  { path: "/", label: "Overview", icon: "overview", Page: OverviewPage, needs: "usage.read" },
  {
    path: "/activity",
    label: "Activity",
    icon: "activity",
    Page: ActivityPage,
    Detail: RequestPage,
    needs: "requests.read",
  },
  { path: "/models", label: "Models", icon: "models", Page: ModelsPage, needs: "models.read" },
  {
    path: "/playground",
    label: "Playground",
    icon: "playground",
    Page: PlaygroundPage,
    needs: "playground.use",
  },
  { path: "/sampling", label: "Sampling", icon: "check", Page: SamplingPage, needs: "learning.write" },
  {
    path: "/settings/router",
    label: "Router",
    memberLabel: "Keys",
    icon: "key",
    Page: KeysPage,
    Detail: KeyPage,
    needs: "keys.read",
    isSetting: true,
  },
  {
    path: "/settings/providers",
    label: "Providers",
    icon: "provider",
    Page: ProvidersPage,
    needs: "settings.read",
    isSetting: true,
  },
  {
    path: "/settings/accounts",
    label: "Accounts",
    icon: "account",
    Page: AccountsPage,
    Detail: AccountPage,
    needs: "accounts.read",
    isSetting: true,
  },
  {
    path: "/settings/people",
    label: "People",
    icon: "people",
    Page: PeoplePage,
    Detail: PersonPage,
    needs: "members.read",
    isSetting: true,
  },
  {
    path: "/settings/requests",
    label: "Requests for more",
    memberLabel: "Ask for more",
    icon: "up",
    Page: LimitRequestsPage,
    needs: "limit_requests.read",
    isSetting: true,
  },
  {
    path: "/settings/tokens",
    label: "Tokens",
    icon: "lock",
    Page: TokensPage,
    needs: "tokens.write",
    isSetting: true,
  },
  {
    path: "/settings/limits",
    label: "Limits",
    icon: "limits",
    Page: LimitsPage,
    needs: "settings.read",
    isSetting: true,
  },
  {
    path: "/settings/audit",
    label: "Audit",
    icon: "audit",
    Page: AuditPage,
    needs: "audit.read",
    isSetting: true,
  },
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

export function Nav({ path }: { readonly path: string }) {
  const shown = PAGES.filter(({ needs }) => may(needs));
  const isHere = (page: Page) =>
    path === page.path || (page.path !== "/" && path.startsWith(`${page.path}/`));
  const link = (page: Page) => (
    <a key={page.path} href={makeHref(page.path)} aria-current={isHere(page) ? "page" : undefined}>
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
