// Tabs with each client's setup lines, filled in with the gateway's address and a key.
import { useId, useRef, useState } from "preact/hooks";
import { CLIENT_SETUPS, type ClientSetup, fillSnippet, TOOL_SETUPS } from "../../docs/site/client-setups.ts";
import { makeGatewayUrl, readStored, writeStored } from "../browser.ts";
import { Code } from "./button.tsx";
import { Monogram } from "./icon.tsx";

/** A call by hand comes first: it shows whether the key works before anything is set up. */
const CURL: TabSetup = {
  name: "curl",
  title: "curl",
  page: makeGatewayUrl("/docs"),
  snippets: [
    {
      about: "Try the key:",
      language: "sh",
      code: `curl {address}/v1/chat/completions \\
  -H "Authorization: Bearer {key}" \\
  -H "Content-Type: application/json" \\
  -d '{ "model": "Router#fair", "messages": [{ "role": "user", "content": "Hello!" }] }'`,
    },
  ],
};

interface TabSetup extends Pick<ClientSetup, "name" | "title" | "snippets"> {
  readonly page: string;
}

/** Clients of models, and clients of tool servers. */
const SETUPS: Readonly<Record<"models" | "tools", readonly TabSetup[]>> = {
  models: [
    CURL,
    ...CLIENT_SETUPS.map((setup) => ({ ...setup, page: makeGatewayUrl(`/docs/client-${setup.name}`) })),
  ],
  tools: TOOL_SETUPS.map(({ tools, ...setup }) => ({
    ...setup,
    snippets: tools,
    page: makeGatewayUrl("/docs/tool-servers"),
  })),
};
const STEPS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

interface ClientTabsProps {
  readonly address: string;
  readonly secret: string;
  readonly to?: keyof typeof SETUPS;
}

export function ClientTabs({ address, secret, to = "models" }: ClientTabsProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const setups = SETUPS[to];
  const last = setups.findIndex(({ name }) => name === readStored("client"));
  const [at, setAt] = useState(Math.max(0, last));
  const setup = setups[at];
  const choose = (next: number) => {
    setAt(next);
    writeStored("client", setups[next]?.name ?? "");
  };
  const move = (event: KeyboardEvent) => {
    const next = STEPS[event.key]?.(at, setups.length);
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
    list.current?.querySelectorAll("button")[next]?.focus();
  };
  return (
    <div class="stack client-tabs">
      <div role="tablist" aria-label="Clients" ref={list} onKeyDown={move}>
        {setups.map(({ name, title }, index) => (
          <button
            key={name}
            id={`${id}-${name}`}
            type="button"
            role="tab"
            aria-selected={index === at}
            aria-controls={`${id}-panel`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => choose(index)}
          >
            <Monogram name={title} />
            {title}
          </button>
        ))}
      </div>
      {setup && <Panel id={id} setup={setup} address={address} secret={secret} />}
    </div>
  );
}

interface TabPanelProps extends Omit<ClientTabsProps, "to"> {
  /** The id that those of all tabs begin with. */
  readonly id: string;
  readonly setup: TabSetup;
}

function Panel({ id, setup, address, secret }: TabPanelProps) {
  return (
    <div class="stack" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${setup.name}`}>
      {setup.snippets.map((snippet) => (
        <div class="stack" key={snippet.code}>
          <p>{snippet.about.replaceAll("`", "")}</p>
          <Code text={fillSnippet(snippet, address, secret)} />
        </div>
      ))}
      <p>
        <a href={setup.page} target="_blank" rel="noreferrer">
          {setup.title} in the manual
        </a>
      </p>
    </div>
  );
}
