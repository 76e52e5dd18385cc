// The fields that set a limit of a minute, made from the limits' rows, for each kind of owner.
import { LIMIT_MAX } from "../limits/limit.ts";
import { CREDENTIAL_LIMITS, MINUTE_LIMITS, type MinuteLimit, PER_MINUTE_MAX } from "../limits/limit-table.ts";

/** A field for each limit, under its name. */
type LimitFields<Row extends MinuteLimit, Made> = {
  readonly [Name in Row["name"]]: Made & Pick<Extract<Row, { readonly name: Name }>, "property">;
};

function makeFields<Row extends MinuteLimit, Made extends object>(
  rows: readonly Row[],
  make: (row: Row) => Made,
): LimitFields<Row, Made> {
  const fields = Object.fromEntries(
    rows.map((row) => [row.name, { property: row.property, ...make(row) }] as const),
  );
  if (hasAll<Row, Made>(fields, rows)) return fields;
  throw new TypeError("A row of the limits is missing.");
}

function hasAll<Row extends MinuteLimit, Made>(
  fields: Readonly<Record<string, Made & Pick<MinuteLimit, "property">>>,
  rows: readonly Row[],
): fields is LimitFields<Row, Made> & Readonly<Record<string, Made & Pick<MinuteLimit, "property">>> {
  return rows.every(({ name, property }) => fields[name]?.property === property);
}

function makeFlag({ name }: MinuteLimit, help: string) {
  return { name: name.replaceAll("_", "-"), value: "N", help };
}

export const KEY_LIMIT_FIELDS = makeFields(
  MINUTE_LIMITS,
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
  MINUTE_LIMITS,
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
  CREDENTIAL_LIMITS,
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
