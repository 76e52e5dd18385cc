// The places of store, keys and configuration, by the environment's variables.
import { expect, test } from "bun:test";
import { findPlaces, findPlacesMistake, findSettingsFolder, NO_PLACE } from "../../src/config/places.ts";

type Variables = Readonly<Record<string, string>>;

const read = (variables: Variables) => (name: string) => variables[name];
const inUser = (variables: Variables) => findPlaces(read({ POUNDKEY_PLACES: "user", ...variables }));

test.each([
  [{}],
  [{ POUNDKEY_PLACES: "" }],
  [{ POUNDKEY_PLACES: "folder" }],
  [{ HOME: "/home/ann", XDG_DATA_HOME: "/data", XDG_CONFIG_HOME: "/settings" }],
])("with %j all lies in the working folder", (variables) => {
  expect(findPlaces(read(variables))).toEqual({
    kind: "folder",
    config: "poundkey.yaml",
    data: ".poundkey",
    store: "sqlite:./.poundkey/poundkey.db",
  });
});

test.each<[Variables, string | null, string | null]>([
  [{ HOME: "/home/ann" }, "/home/ann/.config/poundkey", "/home/ann/.local/share/poundkey"],
  [
    { HOME: "/home/ann", XDG_CONFIG_HOME: "/settings", XDG_DATA_HOME: "/data/" },
    "/settings/poundkey",
    "/data/poundkey",
  ],
  [{ HOME: "/home/ann", XDG_DATA_HOME: "/data" }, "/home/ann/.config/poundkey", "/data/poundkey"],
  [
    { HOME: "/home/ann", XDG_CONFIG_HOME: "settings", XDG_DATA_HOME: "./data" },
    "/home/ann/.config/poundkey",
    "/home/ann/.local/share/poundkey",
  ],
  [
    { HOME: "/home/ann", XDG_CONFIG_HOME: "", XDG_DATA_HOME: "" },
    "/home/ann/.config/poundkey",
    "/home/ann/.local/share/poundkey",
  ],
  [{ XDG_CONFIG_HOME: "/settings", XDG_DATA_HOME: "/data" }, "/settings/poundkey", "/data/poundkey"],
  [{ HOME: "home", XDG_DATA_HOME: "/data" }, null, "/data/poundkey"],
  [{ HOME: "" }, null, null],
  [{}, null, null],
])("in the user's places, %j leads to %p and %p", (variables, settings, data) => {
  expect(findSettingsFolder(read(variables))).toBe(settings);
  expect(inUser(variables)).toEqual({
    kind: "user",
    config: settings && `${settings}/poundkey.yaml`,
    data,
    store: data === null ? NO_PLACE : `sqlite:${data}/poundkey.db`,
  });
});

test("any other choice of the places is named as a mistake", () => {
  expect(findPlacesMistake(read({ POUNDKEY_PLACES: "home" }))).toBe(
    'POUNDKEY_PLACES must be folder or user, not "home"',
  );
  for (const kind of ["", "folder", "user"])
    expect(findPlacesMistake(read({ POUNDKEY_PLACES: kind }))).toBeNull();
});
