// Where settings are written: the file, and the lines of their fields.

/** The file in which settings are written. */
export interface SettingsOrigin {
  /** The configuration file, as it was named. */
  readonly file: string;
  /** The fields that the file has, outer ones before those within, of the sections that pages show. */
  readonly fields: readonly FieldPlace[];
  /** The checked values of each section, as JSON. Never shown: they hold secrets. */
  readonly sections: Readonly<Record<string, string>>;
}

export interface FieldPlace {
  /** Names in mappings, and positions in lists from 0. */
  readonly path: readonly (string | number)[];
  /** From 1. Null if the command line sets the field instead. */
  readonly line: number | null;
}

/** The files that settings come from. */
export interface SettingsSources {
  /** The files whose texts the configuration inserts by `${file:…}`. Missing if there are none. */
  readonly valueFiles?: readonly string[];
  /** Missing without a configuration file. */
  readonly origin?: SettingsOrigin;
}
