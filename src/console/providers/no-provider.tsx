// The way to a first provider, shown while none is enabled.
import { makeHref } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { Card } from "../parts/page.tsx";
import { Empty } from "../parts/states.tsx";

/** No key and no prompt leads anywhere. */
export function NoProvider() {
  const mayAdd = may("providers.write");
  return (
    <Card>
      <Empty
        icon="provider"
        title="No provider is on yet"
        action={
          mayAdd && (
            <a class="button main" href={makeHref("/settings/providers")}>
              Add a provider's key
            </a>
          )
        }
      >
        {mayAdd
          ? "Without one, every request is refused. The simulator answers without any: `poundkey serve --simulate`."
          : "Without one, every request is refused. An operator of this gateway can add a provider's key."}
      </Empty>
    </Card>
  );
}
