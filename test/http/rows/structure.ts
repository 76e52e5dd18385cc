// Rows of bodies with much structure: as many elements and fields as a body may have, and more.

import { asking } from "../../whole/world/world.ts";
import type { Row } from "./row.ts";

const GOOD = JSON.stringify(asking("Local#sim"));
/** The body itself has six elements and fields: `model`, `messages`, a message, its `role` and `content`, and `x`. */
const OWN_ELEMENTS = 6;
const withElements = (count: number) =>
  `{"x":[${Array(count - OWN_ELEMENTS)
    .fill("1")
    .join()}],${GOOD.slice(1)}`;

const STRUCTURES: Readonly<Record<string, string>> = {
  "100,001 elements and fields": withElements(100_001),
  "300,000 empty lists": `{"x":[${Array(300_000).fill("[]").join()}],${GOOD.slice(1)}`,
  "100,000 fields": `{${Array.from({ length: 100_000 }, (_, at) => `"${at}":1`).join()},${GOOD.slice(1)}`,
};

export const STRUCTURE_ROWS: readonly Row[] = Object.entries(STRUCTURES).map(
  ([name, body]): Row => ({
    name: `body: ${name}`,
    body,
    status: 400,
    code: null,
    param: null,
    contains: ["more than 100000 elements and fields"],
  }),
);

export const MOST_STRUCTURE_ROW: Row = {
  name: "100,000 elements and fields",
  body: withElements(100_000),
  status: 200,
};
