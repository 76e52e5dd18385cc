// The fields that set a limit of a minute, made from the limits' rows, for each kind of owner.
import { LIMIT_MAX } from "../limits/limit.ts";
import { MINUTE_LIMITS, type MinuteLimit, PER_MINUTE_MAX } from "../limits/limit-table.ts";

/** A field for each limit, under its name. */
type LimitFields<Made> = {
  readonly [Name in MinuteLimit["name"]]: Made &
    Pick<Extract<MinuteLimit, { readonly name: Name }>, "property">;
};

function makeFields<Made extends object>(make: (row: MinuteLimit) => Made): LimitFields<Made> {
  const fields = Object.fromEntries(
    MINUTE_LIMITS.map((row) => [row.name, { property: row.property, ...make(row) }] as const),
  );
  if (hasAll<Made>(fields)) return fields;
  throw new TypeError("A row of the limits is missing.");
}

function hasAll<Made>(
  fields: Readonly<Record<string, Made & Pick<MinuteLimit, "property">>>,
): fields is LimitFields<Made> & Readonly<Record<string, Made & Pick<MinuteLimit, "property">>> {
  return MINUTE_LIMITS.every(({ name, property }) => fields[name]?.property === property);
}

function makeFlag({ name }: MinuteLimit, help: string) {
  return { name: name.replaceAll("_", "-"), value: "N", help };
}

export const KEY_LIMIT_FIELDS = makeFields(
  (row) =>
    ({
      kind: "count_or_default",
      role: "member",
      initial: "default",
      max: LIMIT_MAX,
      countLabel: row.key.countLabel,
      manual: row.key.manual,
      flag: makeFlag(row, row.key.help),
      control: { label: row.label },
    }) as const,
);

export const ACCOUNT_LIMIT_FIELDS = makeFields(
  (row) =>
    ({
      kind: "limit",
      role: "operator",
      initial: null,
      min: 0,
      max: LIMIT_MAX,
      manual: row.account.manual,
      flag: makeFlag(row, row.account.help),
      control: { label: row.label, hint: "Of all keys together; empty means no limit" },
    }) as const,
);

export const CREDENTIAL_LIMIT_FIELDS = makeFields(
  ({ label, credential: { manual } }) =>
    ({
      kind: "limit",
      initial: null,
      min: 1,
      max: PER_MINUTE_MAX,
      manual,
      control: { label, hint: "The provider's limit; empty means none" },
    }) as const,
);
