// A change of the configured limits as YAML: of the fields that are filled in.
import type { ConfigurationProposal } from "./proposal.tsx";
import { readNumber, type Tree } from "./yaml.ts";

const AS_IT_IS = { value: "", label: "As it is" };
const UNLIMITED = "unlimited";

export const LIMITS_CHANGE: ConfigurationProposal = {
  title: "Change limits",
  about: "What stays empty stays as it is.",
  fields: [
    {
      name: "requests_per_day",
      label: "Free requests per day",
      placeholder: "200",
      hint: `A number, or ${UNLIMITED}`,
    },
    { name: "throttle", label: "Beyond those, one every", placeholder: "10m" },
    {
      name: "free_usd",
      label: "Free requests may cost, in USD per day",
      placeholder: "20",
      hint: `An amount, or ${UNLIMITED}`,
    },
    { name: "key_usd", label: "Budget of each key that has none of its own, in USD per month" },
    {
      name: "charge",
      label: "Charged",
      options: [
        AS_IT_IS,
        { value: "beyond_allowance", label: "Requests beyond the allowance" },
        { value: "always", label: "Every request" },
      ],
    },
    { name: "markup", label: "Price, times the provider's", placeholder: "1.1" },
    { name: "keep", label: "Log retention", placeholder: "30d" },
  ],
  write: (draft) => {
    const { requests_per_day = "", throttle = "", free_usd = "", key_usd = "" } = draft;
    const { charge = "", markup = "", keep = "" } = draft;
    const change = {
      quota: group({
        requests_per_day: readLimit(requests_per_day),
        throttle: throttle.trim() || undefined,
        free: group({ budget_usd_per_day: readLimit(free_usd) }),
      }),
      key_defaults: group({
        budgets: key_usd.trim() === "" ? undefined : [{ usd: readNumber(key_usd), per: "month" }],
      }),
      billing: group({
        charge: charge || undefined,
        markup: markup.trim() === "" ? undefined : readNumber(markup),
      }),
      log: group({ keep: keep.trim() || undefined }),
    };
    return group(change) ?? null;
  },
};

function readLimit(typed: string): Tree | undefined {
  if (typed.trim() === "") return undefined;
  return typed.trim() === UNLIMITED ? null : readNumber(typed);
}

/** Returns undefined if nothing of it is set. */
function group(fields: { readonly [name: string]: Tree | undefined }) {
  return Object.values(fields).every((value) => value === undefined) ? undefined : fields;
}
