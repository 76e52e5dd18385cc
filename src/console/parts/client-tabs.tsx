// Tabs with each client's setup lines, filled in with the gateway's address and a key.
import { useId, useRef, useState } from "preact/hooks";
import { CLIENT_SETUPS, fillSnippet } from "../../docs/client-setups.ts";
import { recall, remember } from "../browser.ts";
import { Code } from "./button.tsx";

const COUNT = CLIENT_SETUPS.length;
const STEPS: Readonly<Record<string, (at: number) => number>> = {
  ArrowRight: (at) => (at + 1) % COUNT,
  ArrowLeft: (at) => (at + COUNT - 1) % COUNT,
  Home: () => 0,
  End: () => COUNT - 1,
};

export function ClientTabs({ address, secret }: { readonly address: string; readonly secret: string }) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const last = CLIENT_SETUPS.findIndex(({ name }) => name === recall("client"));
  const [at, setAt] = useState(Math.max(0, last));
  const setup = CLIENT_SETUPS[at];
  const choose = (next: number) => {
    setAt(next);
    remember("client", CLIENT_SETUPS[next]?.name ?? "");
  };
  const move = (event: KeyboardEvent) => {
    const next = STEPS[event.key]?.(at);
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
    list.current?.querySelectorAll("button")[next]?.focus();
  };
  return (
    <div class="stack client-tabs">
      <div role="tablist" aria-label="Clients" ref={list} onKeyDown={move}>
        {CLIENT_SETUPS.map(({ name, title }, index) => (
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
            {title}
          </button>
        ))}
      </div>
      {setup && (
        <div class="stack" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${setup.name}`}>
          {setup.snippets.map((snippet) => (
            <div class="stack" key={snippet.code}>
              <p>{snippet.about.replaceAll("`", "")}</p>
              <Code text={fillSnippet(snippet, address, secret)} />
            </div>
          ))}
          <p>
            <a href={`/docs/client-${setup.name}`} target="_blank" rel="noreferrer">
              {setup.title} in the manual
            </a>
          </p>
        </div>
      )}
    </div>
  );
}
