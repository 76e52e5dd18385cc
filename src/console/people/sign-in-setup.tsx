// The first day of People: how to let people sign in with the company's identity provider, step by step.
import type { SettingsView } from "../../admin/models/settings-schema.ts";
import { getGatewayUrl, makeGatewayUrl } from "../browser.ts";
import { useOrigins } from "../configuration/origin.tsx";
import { ProposalButton } from "../configuration/proposal.tsx";
import { makeSignInStart } from "../configuration/sign-in-change.ts";
import { useResource } from "../frame/resource.ts";
import { Code, CopyButton } from "../parts/button.tsx";
import { Card } from "../parts/page.tsx";
import { Empty, Notice } from "../parts/states.tsx";

const CALLBACK = "/auth/oidc/callback";

/** The address to which the provider sends people back. Without one in the configuration, the one of this page. */
function usePublicUrl(): string {
  const configured = useResource<SettingsView>("/settings").data?.server.public_url;
  return configured ?? getGatewayUrl();
}

/** The least that works. The issuer and the names of groups are to be replaced. */
const makeConfiguration = (url: string) => `server:
  public_url: ${url}
sign_in:
  oidc:
    issuer: https://login.example.com
    client_id: poundkey
    client_secret: "\${OIDC_CLIENT_SECRET}"
    rules:
      - { group: platform, role: admin }
      - { group: everyone, role: member, accounts: [default] }`;

export function SignInSetup() {
  const url = usePublicUrl();
  return (
    <div class="stack">
      <Card
        title="Let people sign in with your company's identity provider"
        note="Entra ID, Google, Okta, Keycloak, authentik: any with OpenID Connect"
      >
        <ol class="steps">
          <li>
            <h3>Register this gateway there</h3>
            <p class="soft">As a web application, with this redirect address:</p>
            <div class="secret">
              <code>{url + CALLBACK}</code>
              <CopyButton text={url + CALLBACK} label="Copy address" />
            </div>
          </li>
          <li>
            <h3>Tell the gateway about it</h3>
            <p class="soft">
              In its configuration file, with the issuer and client that the provider shows. Each rule gives
              the people of one group there a role here; nobody gets in without one.
            </p>
            <Code text={makeConfiguration(url)} />
            <div class="row">
              <StartButton url={url} />
            </div>
          </li>
          <li>
            <h3>Try it</h3>
            <p class="soft">
              <code>poundkey check --probe</code> asks the provider. The sign-in page then has a second
              button, and whoever uses it appears here.
            </p>
          </li>
        </ol>
      </Card>
      <Notice>
        The admin token stays a way in, always: also when the provider is away or a rule is wrong.{" "}
        <a href={makeGatewayUrl("/docs/sign-in")} target="_blank" rel="noreferrer">
          The manual
        </a>{" "}
        has a table of providers, and says what happens when people leave.
      </Notice>
    </div>
  );
}

function StartButton({ url }: { readonly url: string }) {
  const isNamed = useOrigins().find(["server", "public_url"]) !== null;
  return <ProposalButton label="Write it with your values" proposal={makeSignInStart(url, isNamed)} />;
}

export function NobodyYet({ provider }: { readonly provider: string }) {
  const url = usePublicUrl();
  return (
    <Card>
      <Empty
        icon="people"
        title="Nobody has signed in yet"
        action={<CopyButton text={url} label="Copy the address to share" />}
      >
        People sign in with {provider} at {url}, and appear here from then on. The admin token stays a way in.
      </Empty>
    </Card>
  );
}
