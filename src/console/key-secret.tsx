// A new key's secret, shown once, with the lines that put it into each client.

import type { NewKeyView } from "../admin/keys.ts";
import { gatewayAddress } from "./browser.ts";
import { Button, CopyButton } from "./parts/button.tsx";
import { ClientTabs } from "./parts/client-tabs.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { Notice } from "./parts/states.tsx";

export function KeySecret({ made, onClose }: { readonly made: NewKeyView; readonly onClose: () => void }) {
  const foot = (
    <Button kind="main" onClick={onClose}>
      Done
    </Button>
  );
  return (
    <Dialog title={`${made.name} is ready`} isWide isKept onClose={onClose} foot={foot}>
      <Notice tone="warn">Copy the key now: it is kept nowhere and can't be shown again.</Notice>
      <div class="secret">
        <code>{made.secret}</code>
        <CopyButton text={made.secret} label="Copy key" />
      </div>
      <ClientTabs address={gatewayAddress()} secret={made.secret} />
    </Dialog>
  );
}
