// The line of the models page about the day of the prices, and what a list of prices would change.
import type { SettingsView } from "../../admin/models/settings-schema.ts";
import { formatDay } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { Loaded } from "../parts/states.tsx";

export function PriceAge() {
  const settings = useResource<SettingsView>("/settings");
  return (
    <Loaded of={settings}>
      {({ prices }) => (
        <p class="small faint">
          Prices of {formatDay(prices.as_of)}
          {prices.changes_waiting !== null &&
            prices.changes_waiting > 0 &&
            `; ${prices.changes_waiting} changes since, which poundkey catalogue update shows`}
        </p>
      )}
    </Loaded>
  );
}
