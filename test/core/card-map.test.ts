// Values by a model's id that are also read by its place in a list.

import { expect, test } from "bun:test";
import { CardMap } from "../../src/core/world/card-map.ts";

test("the values by place follow each change, for whichever list is asked for", () => {
  const map = new CardMap<number>();
  const places = new Map(["a", "b", "c"].map((id, place) => [id, place]));
  map.set("b", 1).set("other", 2);
  expect(map.listBy(places)).toEqual([undefined, 1, undefined]);
  map.set("c", 3).set("b", 4);
  expect(map.listBy(places)).toEqual([undefined, 4, 3]);
  map.delete("b");
  expect(map.listBy(places)).toEqual([undefined, undefined, 3]);
  expect(map.listBy(new Map([["other", 0]]))).toEqual([2]);
  map.set("a", 5);
  expect(map.listBy(places)).toEqual([5, undefined, 3]);
});
