// The sign-in as YAML: the whole of it at first, and then a role for a group.
import { ROLES } from "../frame/session.ts";
import type { ConfigurationProposal } from "./proposal.tsx";
import { readWords, type Tree, writeReference } from "./yaml.ts";

const GROUP = { name: "group", label: "Group at the provider", placeholder: "platform" };
const ROLE = {
  name: "role",
  label: "Role here",
  options: ["", ...ROLES.filter((role) => role !== "member")].map((value) => ({
    value,
    label: value || "member",
  })),
};
const ACCOUNTS = { name: "accounts", label: "Accounts", placeholder: "default", hint: "Empty for all" };

function writeRule({ group = "", role = "", accounts = "" }: Readonly<Record<string, string>>): Tree {
  return { group: group.trim(), role: role || "member", accounts: readWords(accounts) };
}

/** `isNamed` is true if the file has the address at which browsers reach the gateway. */
export function makeSignInStart(publicUrl: string, isNamed: boolean): ConfigurationProposal {
  return {
    title: "Sign-in with your company's identity provider",
    about: "The issuer and the client are what the provider shows after the registration.",
    fields: [
      { name: "issuer", label: "Issuer", placeholder: "https://login.example.com" },
      { name: "client_id", label: "Client id", placeholder: "poundkey" },
      {
        name: "secret",
        label: "Environment variable with the client's secret",
        placeholder: "OIDC_CLIENT_SECRET",
      },
      GROUP,
      ROLE,
      ACCOUNTS,
    ],
    write: (draft) => {
      const { issuer = "", client_id = "", secret = "", group = "" } = draft;
      if ([issuer, client_id, group].some((typed) => typed.trim() === "")) return null;
      const oidc = {
        issuer: issuer.trim(),
        client_id: client_id.trim(),
        client_secret: writeReference(secret || "OIDC_CLIENT_SECRET"),
        rules: [writeRule(draft)],
      };
      return { server: isNamed ? undefined : { public_url: publicUrl }, sign_in: { oidc } };
    },
  };
}

export const SIGN_IN_RULE: ConfigurationProposal = {
  title: "A role for a group",
  about: "Lists aren't merged: add the entry to the rules that the file has already.",
  fields: [GROUP, ROLE, ACCOUNTS],
  write: (draft) =>
    (draft.group ?? "").trim() === "" ? null : { sign_in: { oidc: { rules: [writeRule(draft)] } } },
};
