// A provider's dialect and a separate card by a model's id, with the address for calls.
import type { ModelCard } from "../../src/core/models/card.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { findDialect, PROVIDERS } from "../../src/providers/index.ts";
import { makeCard } from "../dialects/cases/drive.ts";

export const TARGET = { baseUrl: "https://upstream.example/v1", secret: "s", headers: {} };

function findProvider(name: string): Dialect {
  const [dialect = findDialect("openai")] = PROVIDERS.find((row) => row.name === name)?.dialects ?? [];
  return dialect;
}

export function readId(id: string): { readonly dialect: Dialect; readonly card: ModelCard } {
  const [provider = "", name = ""] = id.split("#");
  return { dialect: findProvider(provider), card: makeCard(name, null) };
}
