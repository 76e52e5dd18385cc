// The part of the models page about models that end, with the keys that still use them.
import type { ListPage } from "../../admin/list.ts";
import type { RetiringView } from "../../admin/models/retiring.ts";
import { formatEnd } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { Card } from "../parts/page.tsx";
import { Loaded } from "../parts/states.tsx";

const EVERY_MS = 60_000;
const KEYS_SHOWN = 10;

export function Retiring() {
  const retiring = useResource<ListPage<RetiringView>>("/models/retiring", EVERY_MS);
  return (
    <Loaded of={retiring}>
      {({ data }) => {
        const used = data.filter(({ names, keys_total }) => names.length > 0 || keys_total > 0);
        if (used.length === 0) return null;
        return (
          <Card
            title="Models that end"
            note="With the keys that used them in the last 30 days or name them, and what of the configuration leads to them"
          >
            {used.map(({ model, shutdown, names, keys, keys_total }) => (
              <p key={model}>
                <span class="strong">{model}</span> {formatEnd(shutdown)}
                {keys_total > 0 && "; used by "}
                {keys.slice(0, KEYS_SHOWN).map(({ key_id, name }, at) => (
                  <span key={key_id}>
                    {at > 0 && ", "}
                    <a href={makeHref("/activity", { key_id, model })}>{name ?? key_id}</a>
                  </span>
                ))}
                {keys_total > KEYS_SHOWN && ` and ${keys_total - KEYS_SHOWN} more`}
                {names.length > 0 && `; named by ${names.join(", ")}`}
              </p>
            ))}
          </Card>
        );
      }}
    </Loaded>
  );
}
