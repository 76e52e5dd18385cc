// Sign-in with the admin token, or the way to the company's identity provider.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SignInView } from "../../admin/people/sign-in.ts";
import { makeGatewayUrl } from "../browser.ts";
import { describeError } from "../frame/api.ts";
import { isDemo } from "../frame/demo.ts";
import { findProvider, refusedLink, signIn } from "../frame/session.ts";
import { useTask } from "../frame/task.ts";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/field.tsx";
import { Logo } from "../parts/icon.tsx";
import { Notice } from "../parts/states.tsx";
import { DemoPeople } from "./demo-sign-in.tsx";

export function SignIn() {
  const [token, setToken] = useState("");
  const [found, setFound] = useState<SignInView | null>(null);
  useEffect(() => {
    // Without an answer, the admin token is the way in.
    findProvider().then(setFound, () => undefined);
  }, []);
  const { isBusy, failed, start } = useTask(() => signIn(token.trim()));
  if (isDemo()) {
    return (
      <main class="sign-in">
        <div class="card sign-in-card">
          <Welcome />
          <DemoPeople />
        </div>
      </main>
    );
  }
  return (
    <main class="sign-in">
      <form class="card sign-in-card" onSubmit={start}>
        <Welcome />
        {refusedLink.value !== null && <Notice tone="bad">{refusedLink.value}</Notice>}
        <Company found={found} />
        <TextField
          label="Admin token"
          type="password"
          name="token"
          autocomplete="current-password"
          isRequired
          isFocused
          value={token}
          onInput={setToken}
          error={failed === null ? null : describeError(failed)}
        />
        <Button
          label="Sign in"
          {...(found?.provider ? {} : { kind: "main" })}
          type="submit"
          isBusy={isBusy}
        />
        <TokenHelp />
      </form>
    </main>
  );
}

function Welcome() {
  return (
    <>
      <div class="brand">
        <Logo />
        Poundkey
      </div>
      <div>
        <h1>Sign in</h1>
        <p>
          One address and one key for the language models of many providers, with budgets, logs and
          statements. <a href={makeGatewayUrl("/docs")}>What this is</a> ·{" "}
          <a href={makeGatewayUrl("/docs/clients")}>Connect a program</a>
        </p>
      </div>
    </>
  );
}

/** People come by their company's identity provider; the token is for the gateway's operator. */
function Company({ found }: { readonly found: SignInView | null }) {
  const link = useRef<HTMLAnchorElement>(null);
  const url = found?.start_url;
  useLayoutEffect(() => link.current?.focus(), [url]);
  if (!url) return null;
  return (
    <>
      <a ref={link} class="button main" href={url}>
        Sign in with {found.provider}
      </a>
      <p class="small faint">Or with the admin token, if you run this gateway:</p>
    </>
  );
}

function TokenHelp() {
  return (
    <details>
      <summary>Where is the token?</summary>
      <ul>
        <li>
          It was printed once, at the first start, unless it is set in <code>POUNDKEY_ADMIN_TOKEN</code> or{" "}
          <code>server.admin_token</code>.
        </li>
        <li>
          <code>poundkey admin token --reset</code> creates a new one.
        </li>
      </ul>
    </details>
  );
}
