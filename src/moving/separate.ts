// Deployments that differ in key, price, headers or fallbacks are kept apart: a provider's keys serve all of its models.
import type { ImportedDeployment, Providers, Share } from "./providers.ts";

/** A deployment behind a name that clients ask for. */
export interface NamedDeployment {
  readonly deployment: ImportedDeployment;
  readonly name: string;
  /** Deployments of one name and rank share the load. Those of another rank follow if they fail, or are for others. */
  readonly rank: string;
  /** The deployments that follow if it fails, to be compared. Null if it is the last anyway. */
  readonly next: string | null;
}

interface ModelTerms {
  /** The model's own entry, with its price. */
  readonly entry: string;
  readonly next: string | null;
}

/** The deployments of one model among which calls by one name may choose. */
interface ModelUnit {
  readonly name: string;
  readonly model: string;
  readonly terms: ModelTerms;
  readonly headers: string;
  /** True if it should have the provider's own name: clients may ask for its models by their full names. */
  readonly isPlain: boolean;
  readonly keys: string;
  readonly members: readonly NamedDeployment[];
}

/** The units that become one provider. */
interface ProviderSlot {
  readonly units: ModelUnit[];
  /** By model. */
  readonly terms: Map<string, ModelTerms>;
}

/** Adds all of them. Returns the id of each, or `Provider#*`. */
export function addSeparately(providers: Providers, all: readonly NamedDeployment[]): readonly string[] {
  const shares = new Map<NamedDeployment, Share>();
  for (const server of Map.groupBy(all, nameServer).values()) {
    const slots = fillSlots(server);
    const plain = slots.find(({ units }) => units.some(({ isPlain }) => isPlain)) ?? slots[0];
    for (const [number, slot] of slots.entries()) {
      const share = slot === plain ? null : { number, label: slot.units[0]?.name ?? "" };
      for (const member of slot.units.flatMap(({ members }) => members)) shares.set(member, share);
    }
  }
  return all.map((one) => providers.add(one.deployment, shares.get(one) ?? null, one.name));
}

function nameServer({ deployment: { provider, place } }: NamedDeployment): string {
  return `${provider} ${place ?? ""}`;
}

function fillSlots(server: readonly NamedDeployment[]): readonly ProviderSlot[] {
  const slots: ProviderSlot[] = [];
  for (const unit of listUnits(server)) {
    const found = slots.find((slot) => canShare(slot, unit));
    const slot: ProviderSlot = found ?? { units: [], terms: new Map() };
    if (found === undefined) slots.push(slot);
    slot.units.push(unit);
    slot.terms.set(unit.model, {
      ...unit.terms,
      next: unit.terms.next ?? slot.terms.get(unit.model)?.next ?? null,
    });
  }
  return slots;
}

function canShare({ units: [first], terms }: ProviderSlot, unit: ModelUnit): boolean {
  if (first?.keys !== unit.keys || first.headers !== unit.headers) return false;
  const { entry, next } = terms.get(unit.model) ?? unit.terms;
  const isLast = next === null || unit.terms.next === null;
  return entry === unit.terms.entry && (isLast || next === unit.terms.next);
}

function listUnits(server: readonly NamedDeployment[]): readonly ModelUnit[] {
  const groups = Map.groupBy(server, ({ name, rank, next, deployment }) => {
    const { model, headers = {}, credential } = deployment;
    const parts = [name, rank, next, deployment.name, model, headers, credential === null];
    return JSON.stringify(parts);
  });
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const { name, next, deployment } = first;
    const { provider, model, headers = {} } = deployment;
    const keys = [...new Set(members.map((one) => one.deployment.credential?.key ?? ""))];
    return {
      name,
      members,
      model: deployment.name ?? "*",
      terms: { entry: JSON.stringify(model), next },
      headers: JSON.stringify(headers),
      isPlain:
        deployment.name === null || name.toLowerCase() === `${provider}/${deployment.name}`.toLowerCase(),
      keys: JSON.stringify(keys.toSorted()),
    };
  });
}
