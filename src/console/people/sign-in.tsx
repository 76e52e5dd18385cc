// Sign-in with the admin token, or the way to the company's provider.
import { useEffect, useState } from "preact/hooks";
import type { SignInView } from "../../admin/people/sign-in.ts";
import { ApiError, describeError } from "../frame/api.ts";
import { findProvider, signIn } from "../frame/session.ts";
import { useTask } from "../frame/task.ts";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/field.tsx";
import { Logo } from "../parts/icon.tsx";

export function SignIn() {
  const [token, setToken] = useState("");
  const [found, setFound] = useState<SignInView | null>(null);
  useEffect(() => {
    // Without an answer, the admin token is the way in.
    findProvider().then(setFound, () => undefined);
  }, []);
  const { isBusy, failed, start } = useTask(() => signIn(token.trim()));
  return (
    <main class="sign-in">
      <form class="card sign-in-card" onSubmit={start}>
        <div class="brand">
          <Logo />
          Poundkey
        </div>
        <div>
          <h1>Sign in</h1>
          <p>
            {found?.provider ? "With your company's provider, or with" : "Sign in with"} this gateway's admin
            token.
          </p>
        </div>
        {found?.start_url && (
          <a class="button main" href={found.start_url}>
            Sign in with {found.provider}
          </a>
        )}
        <TextField
          label="Admin token"
          type="password"
          name="token"
          autocomplete="current-password"
          isRequired
          isFocused
          value={token}
          onInput={setToken}
          error={failed === null ? null : describeFailure(failed)}
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

function describeFailure(error: unknown): string {
  if (!(error instanceof ApiError)) return describeError(error);
  return error.status === 401 ? "Incorrect admin token." : error.message;
}
