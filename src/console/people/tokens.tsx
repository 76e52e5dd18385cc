// Access → Tokens: named tokens for programs that use the admin routes; making them, and revoking them.
import { useState } from "preact/hooks";
import type { NewTokenView, TokenView } from "../../admin/people/named-tokens.ts";
import { TOKEN_FIELDS } from "../../core/fields/token.ts";
import { getGatewayUrl } from "../browser.ts";
import { sendChange } from "../frame/api.ts";
import { formatDay } from "../frame/format.ts";
import { usePages } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { useForm } from "../frame/task.ts";
import { Button, Code, CopyButton } from "../parts/button.tsx";
import { Confirm, Dialog, FormDialog } from "../parts/dialog.tsx";
import { makeBody, makeDraft, renderControls } from "../parts/field-form.tsx";
import { PageHead } from "../parts/page.tsx";
import { Badge, Empty, Notice, type Tone } from "../parts/states.tsx";
import { type Column, giveWay, List, makeColumn, makeHeadColumn } from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";
import { Grants } from "./grants.tsx";

const EVERY_MS = 10_000;
/** In a year, the longest that a token lasts. */
const LONGEST = "365:";

export function TokensPage() {
  const tokens = usePages<TokenView>("/tokens", {}, EVERY_MS);
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<NewTokenView | null>(null);
  const [revoked, setRevoked] = useState<TokenView | null>(null);
  const add = <Button label="Add token" kind="main" icon="plus" onClick={() => setAdding(true)} />;
  const show = (token: NewTokenView) => {
    setAdding(false);
    setMade(token);
    void tokens.reload();
  };
  const revoke = async () => {
    await sendChange("DELETE", `/tokens/${revoked?.id}`);
    toast(`${revoked?.name} was revoked`);
    await tokens.reload();
  };
  return (
    <>
      <PageHead title="Tokens" actions={add}>
        For programs that use the admin routes, and for colleagues without a provider to sign in with. Each
        has a role, and lasts a year at most. Calls of models take a key instead.
      </PageHead>
      <List
        label="Tokens"
        of={tokens}
        columns={makeColumns(setRevoked)}
        keyOf={({ id }) => id}
        empty={
          <Empty icon="lock" title="No tokens yet" action={add}>
            A script that reads usage needs no more than the role viewer, and one that makes keys for a team
            the role manager in the team's account.
          </Empty>
        }
      />
      {isAdding && <TokenForm onMade={show} onClose={() => setAdding(false)} />}
      {made && <TokenSecret made={made} onClose={() => setMade(null)} />}
      {revoked && (
        <Confirm
          title={`Revoke ${revoked.name}?`}
          action="Revoke token"
          run={revoke}
          onClose={() => setRevoked(null)}
        >
          All further requests with the token that ends in {revoked.last4} will be refused, and sessions that
          it began end. This can't be undone.
        </Confirm>
      )}
    </>
  );
}

interface TokenFormProps {
  readonly onMade: (token: NewTokenView) => void;
  readonly onClose: () => void;
}

function TokenForm({ onMade, onClose }: TokenFormProps) {
  const form = useForm<string>(
    () => ({ ...makeDraft(TOKEN_FIELDS), role: "viewer", expires_at: LONGEST }),
    async (draft) => {
      const body = makeBody(TOKEN_FIELDS, draft, {});
      onMade(await sendChange<NewTokenView>("POST", "/tokens", { ...body, contact: body.contact || null }));
    },
  );
  return (
    <FormDialog title="Add token" action="Create token" form={form} onClose={onClose}>
      {renderControls(TOKEN_FIELDS, form)}
      <p class="small faint">The token ends with the rights of the person who makes it.</p>
    </FormDialog>
  );
}

export function TokenSecret({
  made,
  onClose,
}: {
  readonly made: NewTokenView;
  readonly onClose: () => void;
}) {
  const foot = <Button label="Done" kind="main" onClick={onClose} />;
  return (
    <Dialog title={`${made.name} is ready`} isWide isKept onClose={onClose} foot={foot}>
      <Notice tone="warn">Copy the token now: it isn't stored and can't be shown again.</Notice>
      <div class="secret">
        <code>{made.secret}</code>
        <CopyButton text={made.secret} label="Copy token" />
      </div>
      <Code
        text={`curl ${getGatewayUrl()}/admin/v1/session \\\n  -H "Authorization: Bearer ${made.secret}"`}
      />
    </Dialog>
  );
}

const TONES: Readonly<Record<TokenView["state"], Tone | undefined>> = {
  active: "ok",
  expired: "warn",
  ended: "warn",
  revoked: undefined,
};

const CREATED: Column<TokenView> = giveWay(
  2,
  makeColumn("Created", ({ created_by: { kind, id }, created_at }) => (
    <div class="beside yields">
      <div class="nowrap">{formatDay(created_at)}</div>
      <div class="small faint">
        by {kind === "person" ? <a href={makeHref(`/settings/people/${id}`)}>a person</a> : MAKERS[kind]}
      </div>
    </div>
  )),
);

function makeColumns(onRevoke: (token: TokenView) => void): readonly Column<TokenView>[] {
  return [
    makeHeadColumn("Name", ({ name, last4, contact }) => (
      <div class="beside yields">
        <div class="row tight">
          <span class="strong clip name" title={name}>
            {name}
          </span>
          <code class="faint nowrap">…{last4}</code>
        </div>
        {contact && (
          <div class="small faint" title={contact}>
            {contact}
          </div>
        )}
      </div>
    )),
    makeColumn("Role", ({ grants, content }) => (
      <div class="beside yields">
        <Grants of={grants} />
        {content && <div class="small faint">reads prompts and answers</div>}
      </div>
    )),
    CREATED,
    makeColumn("State", ({ state, expires_at }) => (
      <div class="beside yields">
        <Badge text={state} tone={TONES[state]} hasDot />
        {state === "active" && expires_at && (
          <div class="small faint whole">until {formatDay(expires_at)}</div>
        )}
      </div>
    )),
    {
      label: "",
      as: "narrow",
      cell: (token) =>
        token.state !== "revoked" && (
          <Button
            label="Revoke"
            about={token.name}
            isTiny
            kind="quiet"
            icon="trash"
            onClick={() => onRevoke(token)}
          />
        ),
    },
  ];
}

const MAKERS: Readonly<Record<TokenView["created_by"]["kind"], string>> = {
  person: "a person",
  token: "another token",
  admin: "the admin token",
  key: "a key",
  cli: "the command line",
  system: "the gateway",
  scim: "the directory",
};
