// A new key's secret, shown once, with code that uses it.
import { gatewayAddress } from "./browser.ts";
import { Button, CopyButton } from "./parts/button.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { ExampleCode } from "./parts/example.tsx";
import { Notice } from "./parts/states.tsx";
import type { NewKey } from "./types.ts";
import { useModels } from "./use-models.ts";

export function KeySecret({ made, onClose }: { readonly made: NewKey; readonly onClose: () => void }) {
  const { sample } = useModels();
  const example = {
    address: gatewayAddress(),
    secret: made.secret,
    model: sample,
    messages: [{ role: "user", content: "Hello!" }],
  };
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
      <ExampleCode example={example} />
    </Dialog>
  );
}
