// The words of a command line without a command.
import { expect, test } from "bun:test";
import { readWords } from "../../src/cli/bare-words.ts";

test.each<[readonly string[], readonly string[]]>([
  [[], ["serve", "--quickstart"]],
  [
    ["--port", "0"],
    ["serve", "--quickstart", "--port", "0"],
  ],
  [["--quickstart"], ["serve", "--quickstart"]],
  [["--help"], ["--help"]],
  [["-h"], ["-h"]],
  [["--version"], ["--version"]],
  [["serve"], ["serve"]],
  [
    ["keys", "list"],
    ["keys", "list"],
  ],
])("in the user's places, %p stands for %p", (args, words) => {
  expect(readWords(args, "user")).toEqual(words);
});

test.each([undefined, "", "folder"])("in the places %p a command is expected", (places) => {
  for (const args of [[], ["--port", "0"]]) expect(readWords(args, places)).toEqual(args);
});
