// The console's frame: the session, the navigation and the page named by the address.

import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useErrorBoundary, useLayoutEffect, useRef, useState } from "preact/hooks";
import { makeGatewayUrl } from "../browser.ts";
import { Button } from "../parts/button.tsx";
import { Drawer } from "../parts/dialog.tsx";
import { Icon, Logo } from "../parts/icon.tsx";
import { PageHead } from "../parts/page.tsx";
import { Empty, Failed } from "../parts/states.tsx";
import { Toasts } from "../parts/toast.tsx";
import { SignIn } from "../people/sign-in.tsx";
import { describeError, signedIn } from "./api.ts";
import { Bell } from "./bell.tsx";
import { clearNames } from "./names.ts";
import { findPage, getLabel, Nav } from "./navigation.tsx";
import { useNotifications } from "./notices.ts";
import { Problems } from "./problems.tsx";
import { forgetRecent } from "./recent.ts";
import { clearCache } from "./resource.ts";
import { makeHref, route } from "./route.ts";
import { SEARCH_KEYS, SearchButton, SearchDialog, useSearchKeys } from "./search.tsx";
import { checkSession, may, session, signInByLink, signOut } from "./session.ts";
import { StopQuestion } from "./stop-question.tsx";
import { ThemeSwitch } from "./theme.tsx";

/** `link` is the secret of the link by which the page was opened, if it signs in. */
export function App({ link }: { readonly link: string | null }) {
  const [error, setError] = useState<string | null>(null);
  const check = () =>
    (link === null ? checkSession() : signInByLink(link)).then(
      () => setError(null),
      (failed) => setError(describeError(failed)),
    );
  useEffect(() => void check(), []);
  useEffect(() => {
    if (signedIn.value !== false) return;
    clearCache();
    clearNames();
    forgetRecent();
  }, [signedIn.value]);
  if (error !== null) return <Failed message={error} retry={check} />;
  if (signedIn.value === null) return null;
  return signedIn.value ? <Shell /> : <SignIn />;
}

function Shell() {
  const [isOpen, setOpen] = useState(false);
  const [isSearching, setSearching] = useState(false);
  const search = () => setSearching(true);
  useSearchKeys(search);
  const main = useRef<HTMLElement>(null);
  const { path } = route.value;
  const found = findPage(path);
  usePageStart(main, path, found && getLabel(found.page), () => setOpen(false));
  const notifications = useNotifications();
  const side = (
    <>
      <SearchButton onOpen={search} />
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
        <div class="row tight between">
          <Brand />
          <Bell all={notifications} />
        </div>
        {side}
      </aside>
      <Bar notifications={notifications} onSearch={search} onMenu={() => setOpen(true)} />
      {isOpen && (
        <Drawer label="Menu" onClose={() => setOpen(false)}>
          <div class="stack">
            <Brand />
            {side}
          </div>
        </Drawer>
      )}
      {isSearching && <SearchDialog onClose={() => setSearching(false)} />}
      <main ref={main} tabIndex={-1}>
        {may("settings.read") && <Problems />}
        <ErrorBoundary key={path}>{found ? found.draw() : <PageNotFound />}</ErrorBoundary>
      </main>
      <StopQuestion />
      <Toasts />
    </div>
  );
}

/** Brings the frame to a new page: its title, and the focus. */
function usePageStart(
  main: RefObject<HTMLElement | null>,
  path: string,
  label: string | null | undefined,
  closeMenu: () => void,
): void {
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    // Keyboard users continue at the top of the new page.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
    document.title = label ? `${label} · Poundkey` : "Poundkey";
    closeMenu();
  }, [path]);
}

interface TopBarProps {
  readonly notifications: ReturnType<typeof useNotifications>;
  readonly onSearch: () => void;
  readonly onMenu: () => void;
}

/** The head of narrow screens, in place of the side. */
function Bar({ notifications, onSearch, onMenu }: TopBarProps) {
  return (
    <header class="bar">
      <Brand />
      <div class="row tight">
        <Button label="Search" kind="quiet" icon="search" isIconOnly onClick={onSearch} />
        <Bell all={notifications} />
        <Button label="Menu" kind="quiet" icon="menu" isIconOnly onClick={onMenu} />
      </div>
    </header>
  );
}

function PageNotFound() {
  return (
    <>
      <PageHead title="Page not found" />
      <Empty
        icon="search"
        title="This address leads nowhere"
        action={
          <a class="button main" href={makeHref("/")}>
            Go to the overview
          </a>
        }
      >
        It may have been cut off. The search ({SEARCH_KEYS}) opens any id or name.
      </Empty>
    </>
  );
}

function Brand() {
  return (
    <a class="brand" href={makeHref("/")}>
      <Logo />
      Poundkey
    </a>
  );
}

function SideEnd() {
  return (
    <div class="side-end small faint">
      <Sender />
      <div class="row">
        <a href={makeGatewayUrl("/docs")} target="_blank" rel="noreferrer" class="row tight faint">
          <Icon name="external" />
          Manual
        </a>
        <Button label="Sign out" kind="quiet" icon="leave" isTiny onClick={() => void signOut()} />
        <ThemeSwitch />
      </div>
    </div>
  );
}

/** Tells who is signed in, and in which role. */
function Sender() {
  const { actor, role, accounts } = session.value ?? {};
  if (!actor || !role) return null;
  const where =
    accounts?.length === 1 ? " in one account" : accounts ? ` in ${accounts.length} accounts` : "";
  return (
    <div class="sender clip" title={`${actor.name || actor.id}, ${role}${where}`}>
      <span class="strong">{actor.name || actor.id}</span>
      {` · ${role}${where}`}
    </div>
  );
}

/** Contains a page's crash: the navigation stays, and the page shows the error. */
function ErrorBoundary({ children }: { readonly children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary();
  if (error === undefined) return children;
  return <Failed message={describeError(error)} retry={async () => reset()} />;
}
