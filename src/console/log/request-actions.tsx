// Steps from one request to others: the newer and the older one, the same call by hand, in the playground, decided again.
import { useEffect, useState } from "preact/hooks";
import type { RequestDetailView } from "../../admin/log/request-schema.ts";
import { getGatewayUrl } from "../browser.ts";
import { sendChange } from "../frame/api.ts";
import { formatPercent } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { Button, CopyButton } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { writeSnippet } from "../parts/snippets.ts";
import { Badge, Loaded } from "../parts/states.tsx";
import { type Column, makeColumn, makeHeadColumn, makeNumberColumn, Table } from "../parts/table.tsx";
import { listRivals, openPlayground } from "./handoff.ts";
import { listLatest } from "./request-rows.tsx";

interface RequestPart {
  readonly request: RequestDetailView;
}

export function RequestActions({ request }: RequestPart) {
  const [isDeciding, setDeciding] = useState(false);
  const isChat = request.operation === "chat";
  const hasPrompt = (request.content?.messages.length ?? 0) > 0;
  const canPlay = isChat && may("playground.own");
  const { model_used, model_asked } = request;
  return (
    <>
      <Neighbours request={request} />
      {isChat && <CopyButton text={writeCall(request)} label="Copy as curl" />}
      {canPlay && (
        <Button
          label="Open in playground"
          isTiny
          onClick={() => openPlayground([model_used ?? model_asked ?? ""], request)}
        />
      )}
      {canPlay && hasPrompt && (
        <Button
          label="Same prompt on three models"
          isTiny
          onClick={() => openPlayground(listRivals(request), request)}
        />
      )}
      {isChat && may("playground.use") && hasPrompt && request.selector && (
        <Button label="Decide again" isTiny onClick={() => setDeciding(true)} />
      )}
      {isDeciding && <DecisionNow request={request} onClose={() => setDeciding(false)} />}
    </>
  );
}

/** The prompt stands in the call only if it was logged. */
function writeCall({ model_asked: model, stream, content }: RequestDetailView): string {
  const messages = content?.messages ?? [{ role: "user", content: "(the prompt was not logged)" }];
  const fields = { ...content?.request, ...(stream ? { stream } : {}) };
  return writeSnippet("curl", {
    address: getGatewayUrl(),
    secret: "sk-…",
    model: model ?? "",
    messages,
    fields,
  });
}

interface Ids {
  readonly newer: string | null;
  readonly older: string | null;
}

const NONE: Ids = { newer: null, older: null };

/** The requests beside this one in the list that was shown last, or else in the whole log. */
function Neighbours({ request: { id } }: RequestPart) {
  const list = listLatest();
  const at = list.indexOf(id);
  const asked = useResource<Ids>(at === -1 ? `/requests/${encodeURIComponent(id)}/neighbours` : null);
  const listed = { newer: list[at - 1] ?? null, older: list[at + 1] ?? null };
  const { newer, older } = at === -1 ? (asked.data ?? NONE) : listed;
  const steps = [
    ["Newer", "up", newer],
    ["Older", "down", older],
  ] as const;
  return steps.map(([label, icon, id]) =>
    id === null ? (
      <Button key={label} label={label} icon={icon} isTiny isDisabled />
    ) : (
      <a key={label} class="button tiny" href={makeHref(`/activity/${id}`)}>
        {label}
      </a>
    ),
  );
}

interface ModelChoice {
  readonly choice: string | null;
  readonly why: string | null;
  readonly candidates: readonly {
    readonly model: string;
    readonly eligible: boolean;
    readonly quality: number;
  }[];
}

/** The selector's choice by what is known today. No model is called. */
function DecisionNow({ request, onClose }: RequestPart & { readonly onClose: () => void }) {
  const [data, setData] = useState<ModelChoice>();
  const [error, setError] = useState<string | null>(null);
  const decide = () => {
    const { model_asked: model, content } = request;
    const body = { ...content?.request, model, messages: content?.messages ?? [] };
    return sendChange<ModelChoice>("POST", "/playground/v1/route", body).then(setData, (thrown) =>
      setError(String(thrown.message)),
    );
  };
  useEffect(() => void decide(), []);
  return (
    <Dialog title="Decided again" isWide onClose={onClose}>
      <p class="small faint">By what is known now, for the console's own key. No model was called.</p>
      <Loaded of={{ data, error, isLoading: data === undefined, reload: decide }} rows={4}>
        {({ choice, why, candidates }) => (
          <>
            <p>{why ?? "No model can serve the request."}</p>
            <Table
              label="Candidates now"
              columns={makeColumns(choice, request.model_used)}
              rows={candidates.filter(({ eligible }) => eligible).slice(0, CANDIDATES_SHOWN)}
              keyOf={({ model }) => model}
            />
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

const CANDIDATES_SHOWN = 10;

function makeColumns(
  choice: string | null,
  used: string | null,
): readonly Column<ModelChoice["candidates"][number]>[] {
  return [
    makeHeadColumn("Candidate", ({ model }) => <span class="strong">{model}</span>),
    makeColumn("State", ({ model }) => (
      <span class="row">
        {model === choice && <Badge text="chosen now" tone="ok" />}
        {model === used && <Badge text="answered then" tone="accent" />}
      </span>
    )),
    makeNumberColumn("Chance of a good answer", ({ quality }) => formatPercent(quality)),
  ];
}
