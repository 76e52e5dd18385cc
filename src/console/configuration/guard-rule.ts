// A rule of the guard as YAML.
import { ACTION_OPTIONS } from "../guard/actions.tsx";
import type { ConfigurationProposal } from "./proposal.tsx";
import { readWords } from "./yaml.ts";

/** To begin with, where there are no rules. */
export const FIRST_RULES = `guard:
  rules:
    - name: secrets
      detect: [secrets]
    - name: personal
      detect: [email, phone, card, iban]
      at: [request, answer]`;

export const GUARD_RULE: ConfigurationProposal = {
  title: "A rule of the guard",
  about: "Lists aren't merged: add the entry to those that guard.rules has already.",
  fields: [
    { name: "name", label: "Name", placeholder: "personal" },
    {
      name: "detect",
      label: "Detectors and groups",
      placeholder: "secrets card !jwt",
      hint: "Detectors, groups such as secrets or finance, and words:NAME. An ! takes away.",
    },
    { name: "action", label: "What becomes of it", options: ACTION_OPTIONS },
    {
      name: "at",
      label: "Searches",
      hint: "To swap, requests alone: values are put back into answers.",
      options: [
        { value: "", label: "requests" },
        { value: "answer", label: "answers" },
        { value: "request answer", label: "requests and answers" },
      ],
    },
    { name: "accounts", label: "Accounts", placeholder: "support finance-*", hint: "Empty for all" },
  ],
  write: ({ name = "", detect = "", action, at = "", accounts = "" }) => {
    const detectors = readWords(detect);
    if (name.trim() === "" || detectors === undefined) return null;
    const scope = { at: readWords(at), accounts: readWords(accounts) };
    const rule = { name: name.trim(), detect: detectors, ...(action && { action }), ...scope };
    return { guard: { rules: [rule] } };
  },
};
