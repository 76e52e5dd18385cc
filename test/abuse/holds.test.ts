// A short form of the table of holds: nothing that a provider can truthfully report costs more than is held and charged.
import { expect, test } from "bun:test";
import { type HoldRow, listHoldRows } from "./hold-rows.ts";

const rows = listHoldRows();
const nameRow = ({ provider, model, attack }: HoldRow) => `${provider}#${model}: ${attack}`;
const operations = [...new Set(rows.map(({ operation }) => operation))];

test("every operation with a hold is in the table, but transcription", () => {
  expect(operations.toSorted()).toEqual(
    ["chat", "completion", "embeddings", "images", "moderation", "rerank", "speech"].toSorted(),
  );
});

test.each(operations)("%s: the true cost is within the hold", (operation) => {
  const over = rows.filter((row) => row.operation === operation && row.trueUsd > row.holdUsd);
  expect(over.map(nameRow)).toEqual([]);
});

test.each(operations)("%s: what is truthfully reported is charged", (operation) => {
  const under = rows.filter((row) => row.operation === operation && row.chargedUsd < row.trueUsd);
  expect(under.map(nameRow)).toEqual([]);
});
