// The credentials of a provider, in the order that somebody chose for all providers.
import type { ProviderView } from "../../admin/models/providers.ts";
import { CREDENTIAL_VALUES, type SortOf, sortRows } from "../../core/things/sorts.ts";
import { CredentialRow } from "../models/credentials.tsx";
import { Filter } from "../parts/field.tsx";
import { useChosenOrder } from "./chosen-order.ts";

/** In their usual direction, the one that somebody looks for stands first. */
const WORDS: Readonly<Record<SortOf<"credentials">, string>> = {
  state: "State",
  errors: "Most errors",
  called: "Called last",
  running: "Most calls in progress",
  weight: "Highest weight",
};
const ORDERS = [
  { value: "", label: "Configured first" },
  ...Object.entries(WORDS).map(([value, label]) => ({ value, label })),
];

interface CredentialListProps {
  readonly provider: ProviderView;
  readonly reload: () => Promise<void>;
}

export function CredentialList({ provider, reload }: CredentialListProps) {
  const { order, choose } = useChosenOrder("credentials");
  const placed = provider.credentials.map((credential, at) => ({ ...credential, position: at + 1 }));
  const sorted = order ? sortRows(placed, CREDENTIAL_VALUES, order) : placed;
  return (
    <>
      {placed.length > 1 && (
        <div class="row filters">
          <Filter
            label={`Order of the credentials of ${provider.name}`}
            value={order?.by ?? ""}
            options={ORDERS}
            onInput={choose}
          />
        </div>
      )}
      <ul class="credentials" aria-label={`Credentials of ${provider.name}`}>
        {sorted.map(({ position, ...credential }) => (
          <CredentialRow
            key={credential.id}
            position={position}
            provider={provider}
            credential={credential}
            reload={reload}
          />
        ))}
      </ul>
    </>
  );
}
