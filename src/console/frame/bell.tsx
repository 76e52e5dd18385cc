// The bell: how many things need somebody, and the list of them.
import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Empty, Notice } from "../parts/states.tsx";
import type { Notification } from "./notices.ts";

export function Bell({ all }: { readonly all: readonly Notification[] }) {
  const [isOpen, setOpen] = useState(false);
  const words =
    all.length === 0
      ? "Nothing needs you"
      : `${all.length} ${all.length === 1 ? "thing needs" : "things need"} you`;
  return (
    <>
      <button type="button" class="button quiet icon-only bell" title={words} onClick={() => setOpen(true)}>
        <Icon name="bell" />
        <span class="hidden-text">{words}</span>
        {all.length > 0 && (
          <span class="bell-count" aria-hidden="true">
            {all.length}
          </span>
        )}
      </button>
      {isOpen && (
        <Dialog title={words} onClose={() => setOpen(false)}>
          {all.length === 0 && (
            <Empty icon="check" title="All is well">
              Failing providers, balances and budgets near their end, and keys that end soon appear here.
            </Empty>
          )}
          {all.map(({ tone, text, href }) => (
            <Notice key={`${href} ${text}`} tone={tone}>
              <a href={href} onClick={() => setOpen(false)}>
                {text}
              </a>
            </Notice>
          ))}
        </Dialog>
      )}
    </>
  );
}
