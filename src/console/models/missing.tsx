// The part of the models page about names that clients asked for and that no list has.
import { useState } from "preact/hooks";
import type { ListPage } from "../../admin/list.ts";
import type { MissingModelView } from "../../admin/models/unlisted-models.ts";
import { describeError, sendChange } from "../frame/api.ts";
import { formatCount, formatRelativeTime } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { Button } from "../parts/button.tsx";
import { Card } from "../parts/page.tsx";
import { Loaded, Notice } from "../parts/states.tsx";
import { toast } from "../parts/toast.tsx";

const EVERY_MS = 60_000;

export function MissingModels() {
  const missing = useResource<ListPage<MissingModelView>>("/models/missing", EVERY_MS);
  const [error, setError] = useState<string | null>(null);
  const take = async (model: string) => {
    try {
      await sendChange("POST", "/catalogue", { yes: true, only: [model] });
    } catch (thrown) {
      return setError(describeError(thrown));
    }
    setError(null);
    toast("The catalogue file is written. The gateway reads it within seconds.");
    await missing.reload();
  };
  return (
    <Loaded of={missing}>
      {({ data }) =>
        data.length === 0 ? null : (
          <Card
            title="Names that no list has"
            note="Asked for in the last 24 hours, and answered with 404 model_not_found"
          >
            {error !== null && <Notice tone="bad">{error}</Notice>}
            {data.map(({ model, requests, keys, last_at, in_list }) => (
              <p key={model}>
                <span class="strong">{model}</span>{" "}
                <a href={makeHref("/activity", { show: "refused", model })}>
                  {requests === 1 ? "1 request" : `${formatCount(requests)} requests`} of{" "}
                  {keys === 1 ? "1 key" : `${formatCount(keys)} keys`}
                </a>
                , last {formatRelativeTime(last_at)}
                {in_list && "; in the list "}
                {in_list && may("models.write") && (
                  <Button label="take it" isTiny onClick={() => void take(model)} />
                )}
              </p>
            ))}
          </Card>
        )
      }
    </Loaded>
  );
}
