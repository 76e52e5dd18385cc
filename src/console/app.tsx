// The console's frame: navigation, session and the page named by the address.
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useErrorBoundary, useRef, useState } from "preact/hooks";
import { AccountPage } from "./account.tsx";
import { AccountsPage } from "./accounts.tsx";
import { ActivityPage } from "./activity.tsx";
import { checkSession, describeError, signedIn, signOut } from "./api.ts";
import { AuditPage } from "./audit.tsx";
import { KeyPage } from "./key.tsx";
import { KeysPage } from "./keys.tsx";
import { LimitsPage } from "./limits.tsx";
import { ModelsPage } from "./models.tsx";
import { OverviewPage } from "./overview.tsx";
import { Button } from "./parts/button.tsx";
import { Drawer } from "./parts/dialog.tsx";
import { Icon, type IconName, Logo } from "./parts/icon.tsx";
import { Empty, Failed } from "./parts/states.tsx";
import { Toasts } from "./parts/toast.tsx";
import { PlaygroundPage } from "./playground.tsx";
import { Problems } from "./problems.tsx";
import { ProvidersPage } from "./providers.tsx";
import { RequestPage } from "./request.tsx";
import { clearCache } from "./resource.ts";
import { makeHref, route } from "./route.ts";
import { SamplingPage } from "./sampling.tsx";
import { SearchEverything } from "./search.tsx";
import { SignIn } from "./sign-in.tsx";

interface Page {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  readonly Page: ComponentType;
  readonly isSetting?: boolean;
  /** Shows one item, whose id is the rest of the path. */
  readonly Detail?: ComponentType<{ readonly id: string }>;
}

const PAGES: readonly Page[] = [
  { path: "/", label: "Overview", icon: "overview", Page: OverviewPage },
  { path: "/activity", label: "Activity", icon: "activity", Page: ActivityPage, Detail: RequestPage },
  { path: "/models", label: "Models", icon: "models", Page: ModelsPage },
  { path: "/playground", label: "Playground", icon: "playground", Page: PlaygroundPage },
  { path: "/sampling", label: "Sampling", icon: "check", Page: SamplingPage },
  {
    path: "/settings/router",
    label: "Router",
    icon: "key",
    Page: KeysPage,
    Detail: KeyPage,
    isSetting: true,
  },
  { path: "/settings/providers", label: "Providers", icon: "provider", Page: ProvidersPage, isSetting: true },
  {
    path: "/settings/accounts",
    label: "Accounts",
    icon: "account",
    Page: AccountsPage,
    Detail: AccountPage,
    isSetting: true,
  },
  { path: "/settings/limits", label: "Limits", icon: "limits", Page: LimitsPage, isSetting: true },
  { path: "/settings/audit", label: "Audit", icon: "check", Page: AuditPage, isSetting: true },
];

export function App() {
  const [error, setError] = useState<string | null>(null);
  const check = () =>
    checkSession().then(
      () => setError(null),
      (failed) => setError(describeError(failed)),
    );
  useEffect(() => void check(), []);
  useEffect(() => {
    if (signedIn.value === false) clearCache();
  }, [signedIn.value]);
  if (error !== null) return <Failed message={error} retry={check} />;
  if (signedIn.value === null) return null;
  return signedIn.value ? <Shell /> : <SignIn />;
}

function Shell() {
  const [isOpen, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const { path } = route.value;
  const found = findPage(path);
  const isFirst = useRef(true);
  useEffect(() => {
    // Keyboard users continue at the top of the new page.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
    document.title = found ? `${found.page.label} · Poundkey` : "Poundkey";
    setOpen(false);
  }, [path]);
  const side = (
    <>
      <Brand />
      <SearchEverything />
      <Nav path={path} />
      <SideEnd />
    </>
  );
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <aside class="side" aria-label="Console">
        {side}
      </aside>
      <header class="bar">
        <Brand />
        <Button label="Menu" kind="quiet" icon="menu" isIconOnly onClick={() => setOpen(true)} />
      </header>
      {isOpen && (
        <Drawer label="Menu" onClose={() => setOpen(false)}>
          <div class="stack">{side}</div>
        </Drawer>
      )}
      <main ref={main} tabIndex={-1}>
        <Problems />
        <ErrorBoundary key={path}>
          {found ? found.draw() : <Empty icon="search" title="Page not found" />}
        </ErrorBoundary>
      </main>
      <Toasts />
    </div>
  );
}

function findPage(path: string) {
  const exact = PAGES.find((page) => page.path === path);
  if (exact) return { page: exact, draw: () => <exact.Page /> };
  const cut = path.lastIndexOf("/");
  const parent = PAGES.find((page) => page.path === path.slice(0, cut));
  const Detail = parent?.Detail;
  return parent && Detail
    ? { page: parent, draw: () => <Detail id={decodeURIComponent(path.slice(cut + 1))} /> }
    : null;
}

function Brand() {
  return (
    <a class="brand" href={makeHref("/")}>
      <Logo />
      Poundkey
    </a>
  );
}

function Nav({ path }: { readonly path: string }) {
  const isHere = (page: Page) =>
    path === page.path || (page.path !== "/" && path.startsWith(`${page.path}/`));
  const link = (page: Page) => (
    <a key={page.path} href={makeHref(page.path)} aria-current={isHere(page) ? "page" : undefined}>
      <Icon name={page.icon} />
      {page.label}
    </a>
  );
  return (
    <nav class="nav" aria-label="Pages">
      {PAGES.filter((page) => !page.isSetting).map(link)}
      <div class="nav-title">Settings</div>
      {PAGES.filter((page) => page.isSetting).map(link)}
    </nav>
  );
}

function SideEnd() {
  return (
    <div class="side-end small faint">
      <a href="/docs" target="_blank" rel="noreferrer" class="row faint">
        <Icon name="external" />
        Manual
      </a>
      <Button label="Sign out" kind="quiet" icon="leave" isTiny onClick={() => void signOut()} />
    </div>
  );
}

/** Contains a page's crash: the navigation stays, and the page shows the error. */
function ErrorBoundary({ children }: { readonly children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary();
  if (error === undefined) return children;
  return <Failed message={describeError(error)} retry={async () => reset()} />;
}
