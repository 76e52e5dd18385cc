// The fields of an account that an operator can set.
import type { Fields } from "./field.ts";

const NAME_CHARACTERS_MAX = 100;

export const ACCOUNT_FIELDS = {
  name: {
    kind: "name",
    property: "name",
    charactersMax: NAME_CHARACTERS_MAX,
    manual: `1 to ${NAME_CHARACTERS_MAX} characters`,
    flag: { name: "name", value: "NAME", help: "the account's name" },
    control: { label: "Name", placeholder: "Team or customer" },
  },
} as const satisfies Fields;
